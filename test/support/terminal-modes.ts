/** What a stream of terminal output leaves switched on: the state a terminal is in after the last byte. */

export interface TerminalModes {
  /** DEC private modes (`CSI ? n h`, `l`) by number, as last set. */
  readonly decModes: ReadonlyMap<number, boolean>;
  /** Levels of the kitty keyboard protocol still pushed (`CSI > n u`, `CSI < n u`). */
  readonly kittyLevels: number;
  /** modifyOtherKeys (`CSI > 4 ; n m`). */
  readonly modifyOtherKeys: number;
  /** Application keypad (`ESC =`, `ESC >`). */
  readonly applicationKeypad: boolean;
}

export function modesAfter(bytes: string): TerminalModes {
  const decModes = new Map<number, boolean>();
  let kittyLevels = 0;
  let modifyOtherKeys = 0;
  let applicationKeypad = false;
  for (const [, dec, set, kitty, count, other, keypad] of bytes.matchAll(
    /\x1b(?:\[\?([\d;]+)([hl])|\[([<>])(\d*)u|\[>4(?:;(\d*))?m|([=>]))/g,
  )) {
    if (dec) for (const mode of dec.split(';')) decModes.set(Number(mode), set === 'h');
    else if (kitty === '>') kittyLevels += 1;
    else if (kitty === '<') kittyLevels = Math.max(0, kittyLevels - Number(count || 1));
    else if (keypad) applicationKeypad = keypad === '=';
    else modifyOtherKeys = Number(other ?? 0);
  }
  return { decModes, kittyLevels, modifyOtherKeys, applicationKeypad };
}

/** Private modes that must be off, and on, in a terminal given back to a shell. */
const OFF = [1, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1049, 47, 2004, 2026, 2031, 2048];
const ON = [7, 25];

/** What is not as a shell expects it; empty if all is. */
export function leftovers(bytes: string): string[] {
  const { decModes, kittyLevels, modifyOtherKeys, applicationKeypad } = modesAfter(bytes);
  return [
    ...OFF.filter((mode) => decModes.get(mode) === true).map((mode) => `mode ${mode} is on`),
    ...ON.filter((mode) => decModes.get(mode) === false).map((mode) => `mode ${mode} is off`),
    ...(kittyLevels > 0 ? ['kitty keys are pushed'] : []),
    ...(modifyOtherKeys > 0 ? ['modifyOtherKeys is on'] : []),
    ...(applicationKeypad ? ['the keypad is in application mode'] : []),
  ];
}
