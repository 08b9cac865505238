/**
 * The modifiers of `#{...}` (tmux(1) FORMATS), one row each. A row notes in the plan what is to be done; the order in
 * which a plan is carried out is fixed (format-expand.ts), whatever the order the modifiers were written in.
 */
import type { Modifier } from './format-parser.ts';

export type Comparison = '==' | '!=' | '<' | '>' | '<=' | '>=' | '||' | '&&' | 'm';
export type LoopKind = 'S' | 'W' | 'P';

/** How a time is written: ctime(3), short for what is past, or by strftime(3) with the given format. */
export type TimeForm =
  | { readonly kind: 'plain' }
  | { readonly kind: 'short' }
  | { readonly kind: 'custom'; readonly format: string };

/** What to do with the body and then with the value. Filled by the rows below. */
export interface FormatPlan {
  /** What the body is; the last of several counts, by the priority in `evaluate`. */
  literal: boolean;
  character: boolean;
  colour: boolean;
  loop: LoopKind | undefined;
  exists: 'window' | 'session' | undefined;
  search: MatchFlags | undefined;
  compare: { readonly operator: Comparison; readonly flags: MatchFlags } | undefined;
  expression: { readonly operator: string; readonly flags: string; readonly precision: string | undefined } | undefined;
  /** What to do with a variable. */
  time: TimeForm | undefined;
  baseName: boolean;
  directoryName: boolean;
  quoteShell: boolean;
  quoteStyle: boolean;
  /** What to do with any value. */
  expand: 'no' | 'format' | 'time';
  substitutions: { readonly pattern: string; readonly replacement: string; readonly ignoreCase: boolean }[];
  limit: number;
  marker: string | undefined;
  pad: number;
  length: boolean;
  width: boolean;
}

export interface MatchFlags {
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

interface ModifierEntry {
  readonly names: readonly string[];
  readonly usage: string;
  readonly help: string;
  readonly note: (plan: FormatPlan, args: readonly string[], name: string) => void;
}

const MODIFIER_TABLE: readonly ModifierEntry[] = [
  {
    names: ['==', '!=', '<', '>', '<=', '>=', '||', '&&'],
    usage: '#{==:a,b}',
    help: '1 if the comparison of two formats holds, else 0',
    note: (plan, args, name) => {
      plan.compare = { operator: comparison(name), flags: matchFlags(args) };
    },
  },
  {
    names: ['m'],
    usage: '#{m/ri:pattern,text}',
    help: '1 if the text fits the fnmatch(3) pattern, or with r the regular expression; i ignores case',
    note: (plan, args) => {
      plan.compare = { operator: 'm', flags: matchFlags(args) };
    },
  },
  {
    names: ['C'],
    usage: '#{C/ri:pattern}',
    help: 'the line of the pane that has the pattern, 0 for none',
    note: (plan, args) => {
      plan.search = matchFlags(args);
    },
  },
  {
    names: ['e'],
    usage: '#{e|op|f|places:a,b}',
    help: 'arithmetic: + - * / m %% == != < <= > >=; f for floating point',
    note: (plan, [operator, flags = '', precision, ...more]) => {
      if (operator !== undefined && more.length === 0) plan.expression = { operator, flags, precision };
    },
  },
  {
    names: ['s'],
    usage: '#{s/pattern/text/i:name}',
    help: 'replaces each match of a regular expression; i ignores case',
    note: (plan, [pattern, replacement, flags = '']) => {
      if (pattern === undefined || replacement === undefined) return;
      plan.substitutions.push({ pattern, replacement, ignoreCase: flags.includes('i') });
    },
  },
  {
    names: ['='],
    usage: '#{=N:name} #{=/N/marker:name}',
    help: 'at most N columns from the start, or from the end if negative; the marker shows that something was cut',
    note: (plan, [limit, marker]) => {
      if (limit === undefined) return;
      plan.limit = parseCount(limit);
      if (marker !== undefined) plan.marker = marker;
    },
  },
  {
    names: ['p'],
    usage: '#{pN:name}',
    help: 'padded to N columns at the end, or at the start if negative',
    note: (plan, [width]) => {
      if (width !== undefined) plan.pad = parseCount(width);
    },
  },
  {
    names: ['t'],
    usage: '#{t:name} #{t/p:name} #{t/f/%%H:name}',
    help: 'seconds since 1970 as a date: in full, short, or by a strftime(3) format',
    note: (plan, [kind, format]) => {
      if (kind?.includes('p')) plan.time = { kind: 'short' };
      else if (kind?.includes('f') && format !== undefined)
        plan.time = { kind: 'custom', format: unescapeFormat(format) };
      else plan.time ??= { kind: 'plain' };
    },
  },
  {
    names: ['q'],
    usage: '#{q:name} #{q/h:name}',
    help: 'escaped for sh(1), or with h or e for a style',
    note: (plan, [kind]) => {
      if (kind === undefined) plan.quoteShell = true;
      else if (/[eh]/.test(kind)) plan.quoteStyle = true;
    },
  },
  {
    names: ['N'],
    usage: '#{N/w:name} #{N/s:name}',
    help: '1 if a window of the session, or a session, has that name',
    note: (plan, [kind]) => {
      if (kind === undefined || kind.includes('w')) plan.exists = 'window';
      else if (kind.includes('s')) plan.exists = 'session';
    },
  },
  flagRow('l', 'the text itself, not expanded', (plan) => {
    plan.literal = true;
  }),
  flagRow('a', 'the character with that number', (plan) => {
    plan.character = true;
  }),
  flagRow('c', 'a colour as six hexadecimal digits', (plan) => {
    plan.colour = true;
  }),
  flagRow('b', 'basename(3) of a variable', (plan) => {
    plan.baseName = true;
  }),
  flagRow('d', 'dirname(3) of a variable', (plan) => {
    plan.directoryName = true;
  }),
  flagRow('n', 'the length in bytes', (plan) => {
    plan.length = true;
  }),
  flagRow('w', 'the width in columns', (plan) => {
    plan.width = true;
  }),
  flagRow('E', 'the value is expanded again', (plan) => {
    plan.expand = 'format';
  }),
  flagRow('T', 'the value is expanded again, strftime(3) too', (plan) => {
    if (plan.expand === 'no') plan.expand = 'time';
  }),
  {
    names: ['S', 'W', 'P'],
    usage: '#{W:format,current}',
    help: 'the format once for each session, window or pane; the second for the current one',
    note: (plan, _args, name) => {
      const kind: LoopKind = name === 'S' ? 'S' : name === 'W' ? 'W' : 'P';
      // Sessions go before windows and windows before panes, whichever comes first.
      if (plan.loop === undefined || LOOP_ORDER.indexOf(kind) < LOOP_ORDER.indexOf(plan.loop)) plan.loop = kind;
    },
  },
];

const LOOP_ORDER: readonly LoopKind[] = ['S', 'W', 'P'];

function flagRow(name: string, help: string, note: (plan: FormatPlan) => void): ModifierEntry {
  return { names: [name], usage: `#{${name}:…}`, help, note };
}

const COMPARISONS: readonly Comparison[] = ['==', '!=', '<', '>', '<=', '>=', '||', '&&'];

function comparison(name: string): Comparison {
  return COMPARISONS.find((operator) => operator === name) ?? '==';
}

function matchFlags([flags = '']: readonly string[]): MatchFlags {
  return { regex: flags.includes('r'), ignoreCase: flags.includes('i') };
}

/** A whole number of 32 bits; 0 for anything else. */
function parseCount(text: string): number {
  const value = /^\s*[-+]?\d+$/.test(text) ? Number(text) : 0;
  return Math.abs(value) <= 2147483648 ? value : 0;
}

/** Takes the `#` off `#,`, `##`, `#{`, `#}` and `#:`, except inside `#{...}`. */
function unescapeFormat(text: string): string {
  let out = '';
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    const next = text[at + 1];
    if (character === '#' && next === '{') depth++;
    if (character === '#' && next !== undefined && ',#{}:'.includes(next)) {
      if (depth !== 0) out += character;
      continue;
    }
    if (character === '}') depth--;
    out += character;
  }
  return out;
}

const BY_NAME = new Map(MODIFIER_TABLE.flatMap((entry) => entry.names.map((name) => [name, entry] as const)));

/** The plan of a list of modifiers whose arguments are expanded. */
export function planModifiers(modifiers: readonly Modifier[]): FormatPlan {
  const plan: FormatPlan = {
    literal: false,
    character: false,
    colour: false,
    loop: undefined,
    exists: undefined,
    search: undefined,
    compare: undefined,
    expression: undefined,
    time: undefined,
    baseName: false,
    directoryName: false,
    quoteShell: false,
    quoteStyle: false,
    expand: 'no',
    substitutions: [],
    limit: 0,
    marker: undefined,
    pad: 0,
    length: false,
    width: false,
  };
  for (const { name, args } of modifiers) {
    BY_NAME.get(name)?.note(plan, args, name);
  }
  return plan;
}
