/**
 * What a person says of a terminal, against or beyond what it answers: features by tmux(1)'s names (terminal-features, -T)
 * and terminfo capabilities that are set or taken away (terminal-overrides). Only what mplex acts on has a row; other names
 * mean nothing here and change nothing.
 */
import type { TerminalCapabilities } from './message.ts';

/** What a word can give or take. */
export const FEATURE_BITS = [
  'clipboard',
  'extendedKeys',
  'hyperlinks',
  'synchronizedOutput',
  'styledUnderlines',
] as const satisfies readonly (keyof TerminalCapabilities)[];
type FeatureBit = (typeof FEATURE_BITS)[number];
type Colors = TerminalCapabilities['colors'];

/** Changes of capabilities; nothing is both given and taken away. */
export interface FeatureChanges {
  readonly given: readonly FeatureBit[];
  readonly taken: readonly FeatureBit[];
  /** It has no fewer colours than this. */
  readonly colorsMin: Colors | undefined;
  /** And no more than this. */
  readonly colorsMax: Colors | undefined;
}

export const NO_CHANGES: FeatureChanges = { given: [], taken: [], colorsMin: undefined, colorsMax: undefined };

/** One word's meaning; a word that takes away has `has` false. */
export interface FeatureWord {
  readonly subject: FeatureBit | Colors;
  readonly has: boolean;
}

/** Features by their names in tmux, in its order; `hyperlinks` is of 3.4. */
export const FEATURES: readonly (readonly [name: string, subject: FeatureBit | Colors])[] = [
  ['256', 256],
  ['clipboard', 'clipboard'],
  ['extkeys', 'extendedKeys'],
  ['hyperlinks', 'hyperlinks'],
  ['RGB', 'rgb'],
  ['sync', 'synchronizedOutput'],
  ['usstyle', 'styledUnderlines'],
];

/** Terminfo's names for them, tmux's extensions among them (tmux(1), TERMINFO EXTENSIONS). */
const CAPABILITIES: ReadonlyMap<string, FeatureBit | Colors> = new Map<string, FeatureBit | Colors>([
  ['RGB', 'rgb'],
  ['Tc', 'rgb'],
  ['setrgbf', 'rgb'],
  ['setrgbb', 'rgb'],
  ['Ms', 'clipboard'],
  ['Eneks', 'extendedKeys'],
  ['Hls', 'hyperlinks'],
  ['Sync', 'synchronizedOutput'],
  ['Smulx', 'styledUnderlines'],
  ['Setulc', 'styledUnderlines'],
]);
/** The console's colours. */
const FEW_COLORS = 16;

/** `RGB:usstyle`, `256,clipboard`: the words of a feature list. */
export function featureWords(list: string): FeatureWord[] {
  const names = list.split(/[:,]/).map((name) => name.trim().toLowerCase());
  return FEATURES.filter(([name]) => names.includes(name.toLowerCase())).map(([, subject]) => ({ subject, has: true }));
}

/** `Tc`, `Ms@`, `Smulx=\E[4::%p1%dm`, `colors=256`: the words of a terminal's overrides. `::` is a colon in a value. */
export function overrideWords(text: string): FeatureWord[] {
  return text.split(/(?<!:):(?!:)/).flatMap((part): FeatureWord[] => {
    const [, name = '', sign, value = ''] = /^([^=@#]*)([=@])?(.*)$/s.exec(part) ?? [];
    if (name === 'colors') return sign === '=' ? colorWords(Number(value)) : [];
    const subject = CAPABILITIES.get(name);
    return subject === undefined ? [] : [{ subject, has: sign !== '@' }];
  });
}

function colorWords(count: number): FeatureWord[] {
  if (!Number.isInteger(count) || count < 0) return [];
  if (count > 256) return [{ subject: 'rgb', has: true }];
  return [{ subject: 256, has: count === 256 }];
}

/** What words amount to; of two about the same the later counts. */
export function changesOf(words: readonly FeatureWord[]): FeatureChanges {
  const bits = new Map<FeatureBit, boolean>();
  let [colorsMin, colorsMax]: (Colors | undefined)[] = [];
  for (const { subject, has } of words) {
    if (typeof subject === 'string' && subject !== 'rgb') bits.set(subject, has);
    else if (has) {
      colorsMin = larger(colorsMin ?? FEW_COLORS, subject);
      if (colorsMax !== undefined && larger(colorsMax, subject) === subject) colorsMax = undefined;
    } else {
      colorsMax = subject === 'rgb' ? 256 : FEW_COLORS;
      if (colorsMin !== undefined && larger(colorsMin, subject) === colorsMin) colorsMin = undefined;
    }
  }
  const bitsThat = (has: boolean) => FEATURE_BITS.filter((bit) => bits.get(bit) === has);
  return { given: bitsThat(true), taken: bitsThat(false), colorsMin, colorsMax };
}

/** The capabilities after the changes. A terminal without extended keys has none in any way. */
export function changeCapabilities(from: TerminalCapabilities, changes: FeatureChanges): TerminalCapabilities {
  const { given, taken, colorsMin, colorsMax } = changes;
  if (given.length + taken.length === 0 && colorsMin === undefined && colorsMax === undefined) return from;
  const bits = [...given.map((bit) => [bit, true]), ...taken.map((bit) => [bit, false])];
  const least = colorsMin === undefined ? from.colors : larger(from.colors, colorsMin);
  const colors = colorsMax !== undefined && larger(least, colorsMax) === least ? colorsMax : least;
  const kittyKeys = from.kittyKeys && !taken.includes('extendedKeys');
  return { ...from, ...Object.fromEntries(bits), colors, kittyKeys };
}

/** The names of features that a terminal has, as `client_termfeatures` lists them. */
export function featureNames({ colors, ...capabilities }: TerminalCapabilities): string[] {
  const has = (subject: FeatureBit | Colors) =>
    typeof subject === 'string' && subject !== 'rgb' ? capabilities[subject] : larger(colors, subject) === colors;
  return FEATURES.filter(([, subject]) => has(subject)).map(([name]) => name);
}

function larger(a: Colors, b: Colors): Colors {
  if (a === 'rgb' || b === 'rgb') return 'rgb';
  return a === 256 || b === 256 ? 256 : 16;
}
