/**
 * What the outer terminal can do: first guessed from the environment, then asked. Nobody waits for the answers: the client
 * attaches with the guess and tells what it learns when it learns it. The questions end with DA1, which every terminal
 * answers: an answer that is not there before DA1's will not come.
 */
import { cleanText } from '../../protocol/clean-text.ts';
import { parseColorSpec } from '../../protocol/color-spec.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { TerminalCapabilities } from '../../protocol/message.ts';
import {
  changeCapabilities,
  changesOf,
  type FeatureChanges,
  featureWords,
  NO_CHANGES,
} from '../../protocol/terminal-features.ts';
import type { Environment } from '../server-socket.ts';
import type { TerminalReply } from './input-recognizer.ts';

/** OSC 10 and 11. */
export const COLOR_QUESTIONS = '\x1b]10;?\x1b\\\x1b]11;?\x1b\\';
/** The size of a cell in pixels. */
export const CELL_QUESTION = '\x1b[16t';
/**
 * XTVERSION, DECRQM 2026 and 2031, kitty keyboard flags, the theme, colours, the size of a cell and of the text area in
 * pixels, and DA1 as the fence.
 */
const QUESTIONS = `\x1b[>q\x1b[?2026$p\x1b[?2031$p\x1b[?u\x1b[?996n${COLOR_QUESTIONS}${CELL_QUESTION}\x1b[14t\x1b[c`;
/** Terminals that print what they do not know, or answer nothing. */
const MUTE = /^(?:linux|dumb|vt\d+|ansi|unknown|)$/;
const NAME_MAX = 100;
/** A cell is no larger, pixels. */
const CELL_MAX = 1000;

type Features = Pick<
  TerminalCapabilities,
  'colors' | 'synchronizedOutput' | 'styledUnderlines' | 'hyperlinks' | 'clipboard' | 'extendedKeys'
>;
/** What nobody guesses. */
type Answers = Omit<TerminalCapabilities, keyof Features | 'term' | 'name'>;

const UNANSWERED: Answers = {
  kittyKeys: false,
  themeReports: false,
  theme: undefined,
  foreground: undefined,
  background: undefined,
  cellPixels: undefined,
};

const MODERN: Features = {
  colors: 'rgb',
  synchronizedOutput: false,
  styledUnderlines: true,
  hyperlinks: true,
  clipboard: true,
  extendedKeys: true,
};

/**
 * Terminals by a word of their XTVERSION, TERM or TERM_PROGRAM, first match first. Synchronised output is not guessed, it
 * is asked for.
 */
const TERMINALS: readonly (readonly [pattern: RegExp, features: Partial<Features>])[] = [
  [/kitty|ghostty|wezterm|foot|contour|rio\b|iterm/i, MODERN],
  [/alacritty/i, { ...MODERN, extendedKeys: true }],
  [/mintty/i, MODERN],
  [/vscode|xterm\.js/i, { ...MODERN, extendedKeys: false }],
  [/konsole/i, { ...MODERN, styledUnderlines: false, extendedKeys: false }],
  [/vte|gnome/i, { ...MODERN, clipboard: false, extendedKeys: false }],
  [/apple_terminal/i, { colors: 256 }],
  [/windows.?terminal/i, { ...MODERN, extendedKeys: false }],
  [/mplex/i, { ...MODERN, extendedKeys: false }],
  [/tmux/i, MODERN],
  [/^xterm\(/i, { colors: 'rgb', clipboard: true, extendedKeys: true }],
];

const PLAIN: Features = {
  colors: 16,
  synchronizedOutput: false,
  styledUnderlines: false,
  hyperlinks: false,
  clipboard: false,
  extendedKeys: false,
};

export interface CapabilityHints {
  readonly env: Environment;
  /** -2: the terminal has 256 colours, whatever TERM says. */
  readonly colors256?: boolean;
  /** -T: features that the terminal has, whatever it says: `RGB:usstyle`. */
  readonly features?: string;
  /** The terminal's size in cells now. */
  readonly size?: () => Size;
}

/** Asks one terminal once and keeps what is known of it. */
export class CapabilityProbe {
  readonly #term: string;
  readonly #isMute: boolean;
  #capabilities: TerminalCapabilities;
  #isSettled = false;
  /** By -T, then by the server's options. */
  readonly #ownChanges: FeatureChanges;
  #changes = NO_CHANGES;
  /** With the changes made. */
  #changed: TerminalCapabilities;
  readonly #size: () => Size | undefined;
  /** It told its theme itself: the background says no more. */
  #toldTheme = false;
  /** It told the size of a cell itself. */
  #toldCells = false;

  constructor({ env, colors256 = false, features = '', size }: CapabilityHints) {
    this.#size = size ?? (() => undefined);
    this.#term = cleanText(env.TERM ?? '', { max: NAME_MAX });
    this.#isMute = MUTE.test(this.#term);
    this.#isSettled = this.#isMute;
    this.#capabilities = guess(this.#term, env, colors256);
    this.#ownChanges = changesOf(featureWords(features));
    this.#changed = this.#withChanges();
  }

  /** What to send to the terminal; '' for one that had better not be asked. */
  get questions(): string {
    return this.#isMute ? '' : QUESTIONS;
  }

  /** What is known now. */
  get capabilities(): TerminalCapabilities {
    return this.#changed;
  }

  /** What the person says of the terminal counts more than what it answers; whether that changed what is known. */
  change(changes: FeatureChanges): boolean {
    const before = JSON.stringify(this.#changed);
    this.#changes = changes;
    this.#changed = this.#withChanges();
    return JSON.stringify(this.#changed) !== before;
  }

  #withChanges(): TerminalCapabilities {
    return changeCapabilities(changeCapabilities(this.#capabilities, this.#ownChanges), this.#changes);
  }

  /** Whether the last answer has come. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Takes an answer into account; whether that changed what is known. Answers to nobody's question change nothing. */
  accept(reply: TerminalReply): boolean {
    const before = this.#capabilities;
    if (reply.kind === 'dcs') {
      if (reply.text.startsWith('>|')) this.#named(cleanText(reply.text.slice(2), { max: NAME_MAX }));
    } else if (reply.kind === 'osc') this.#colored(reply.text);
    else if (reply.kind === 'csi' && reply.prefix === '?') this.#answered(reply);
    else if (reply.kind === 'csi' && reply.prefix === '' && reply.final === 't') this.#measured(reply.params);
    if (this.#capabilities === before) return false;
    this.#changed = this.#withChanges();
    return true;
  }

  /** Whether it tells how large a cell is: to be asked again when its size changes. */
  get tellsCells(): boolean {
    return this.#toldCells;
  }

  #answered(reply: Extract<TerminalReply, { kind: 'csi' }>): void {
    const { final, intermediates, params } = reply;
    const [first = 0, second = 0] = params;
    // DECRPM: 1 set, 2 reset, 3 and 4 permanently so; 0 is unknown.
    const isKnown = second >= 1 && second <= 3;
    if (final === 'c') this.#finish(params);
    else if (final === 'u') this.#learn({ extendedKeys: true, kittyKeys: true });
    else if (isThemeNotice(reply)) this.#themed(second);
    else if (final !== 'y' || intermediates !== '$') return;
    else if (first === 2026) this.#learn({ synchronizedOutput: isKnown });
    else if (first === 2031) this.#learn({ themeReports: second === 1 || second === 2 });
  }

  #themed(number: number): void {
    if (number !== 1 && number !== 2) return;
    this.#toldTheme = true;
    this.#learn({ theme: number === 1 ? 'dark' : 'light' });
  }

  #colored(text: string): void {
    const [, code, spec] = /^(10|11);(.{1,64})$/.exec(text) ?? [];
    const color = spec === undefined ? undefined : parseColorSpec(spec);
    if (color === undefined) return;
    if (code === '10') this.#learn({ foreground: color });
    else this.#learn({ background: color, ...(!this.#toldTheme && { theme: themeOf(color) }) });
  }

  /** `CSI 6 ; height ; width t`, a cell; `CSI 4 ; height ; width t`, the text area. */
  #measured([what, height = 0, width = 0]: readonly number[]): void {
    const size = what === 6 ? { cols: 1, rows: 1 } : what === 4 && !this.#toldCells ? this.#size() : undefined;
    if (!size) return;
    const cell = { width: Math.floor(width / size.cols), height: Math.floor(height / size.rows) };
    const isCell = (pixels: number) => pixels >= 1 && pixels <= CELL_MAX;
    if (!isCell(cell.width) || !isCell(cell.height)) return;
    this.#toldCells ||= what === 6;
    this.#learn({ cellPixels: cell });
  }

  /** DA1. Its attribute 52 says that OSC 52 is taken; an mplex that does not say so refuses it (option set-clipboard). */
  #finish(attributes: readonly number[]): void {
    this.#isSettled = true;
    if (attributes.includes(52)) this.#learn({ clipboard: true });
    else if (/^mplex\b/.test(this.#capabilities.name)) this.#learn({ clipboard: false });
  }

  #named(name: string): void {
    if (name === this.#capabilities.name) return;
    const features = featuresOf(name);
    this.#capabilities = { ...this.#capabilities, name };
    // A terminal that says its name is a recent one: links are safe to send.
    this.#learn({
      hyperlinks: true,
      ...features,
      colors: moreColors(this.#capabilities.colors, features.colors ?? 16),
    });
  }

  #learn(features: Partial<Features & Answers>): void {
    const known = { ...this.#capabilities, ...withoutGuess(features) };
    const next: TerminalCapabilities = { ...known, extendedKeys: known.extendedKeys || known.kittyKeys };
    const isSame = JSON.stringify(next) === JSON.stringify(this.#capabilities);
    if (!isSame) this.#capabilities = next;
  }
}

/** `CSI ? 997 ; n n`: the terminal tells its theme. */
export function isThemeNotice(reply: TerminalReply): boolean {
  return reply.kind === 'csi' && reply.prefix === '?' && reply.final === 'n' && reply.params[0] === 997;
}

/** Synchronised output comes from DECRPM alone; a table's `false` must not undo its answer. */
function withoutGuess(features: Partial<Features & Answers>): Partial<Features & Answers> {
  if (features.synchronizedOutput !== false || Object.keys(features).length === 1) return features;
  const { synchronizedOutput: _, ...rest } = features;
  return rest;
}

function featuresOf(name: string): Partial<Features> {
  return TERMINALS.find(([pattern]) => pattern.test(name))?.[1] ?? {};
}

function guess(term: string, env: Environment, colors256: boolean): TerminalCapabilities {
  const named = MUTE.test(term) ? {} : featuresOf(`${env.TERM_PROGRAM ?? ''} ${term}`);
  // VTE has had styled underlines since 0.52; its version number is 5200.
  const vte = Number(env.VTE_VERSION ?? 0) >= 5200 ? featuresOf('vte') : {};
  const isXtermLike = /^(?:xterm|screen|tmux|rxvt|st\b)/.test(term);
  const features = { ...PLAIN, clipboard: isXtermLike, ...named, ...vte };
  let colors = moreColors(features.colors, termColors(term));
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? '')) colors = 'rgb';
  if (colors256) colors = moreColors(colors, 256);
  return { term, name: '', ...features, ...UNANSWERED, colors: MUTE.test(term) && !colors256 ? 16 : colors };
}

/** Dark if its luminance (ITU-R BT.709, without gamma) is below the middle. */
function themeOf(color: number): 'dark' | 'light' {
  const luminance = 0.2126 * (color >> 16) + 0.7152 * ((color >> 8) & 0xff) + 0.0722 * (color & 0xff);
  return luminance < 128 ? 'dark' : 'light';
}

function termColors(term: string): TerminalCapabilities['colors'] {
  if (/-direct$|truecolor/.test(term)) return 'rgb';
  return /256colou?r/.test(term) ? 256 : 16;
}

function moreColors(
  a: TerminalCapabilities['colors'],
  b: TerminalCapabilities['colors'],
): TerminalCapabilities['colors'] {
  if (a === 'rgb' || b === 'rgb') return 'rgb';
  return a === 256 || b === 256 ? 256 : 16;
}
