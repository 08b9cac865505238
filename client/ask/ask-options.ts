/** The words of `mplex ask` as data: what is asked, of whom, and how the end is told. */
import { parseArgs } from 'node:util';
import { countCodePoints } from '../../protocol/clean-text.ts';
import { ANSWER_MAX, LABEL_MAX, OPTIONS_MAX, TEXT_MAX, TIMEOUT_MAX_S, TITLE_MAX } from '../../protocol/dialog.ts';
import { MplexError } from '../../protocol/errors.ts';
import type { FlowSpec } from '../../src/flow/flow-spec.ts';
import { nearest } from '../../src/flow/nearest.ts';
import { type BackendName, parseBackend } from './backends.ts';
import { type AskShape, quickSpec } from './quick-spec.ts';

export const ASK_USAGE = `usage: mplex ask [flags] question [option ...]
       mplex ask [flags] --spec file|-
With options: choose one, and its text is printed. Without: type a text, and it is printed.
  --spec FILE        run a whole flow; - reads it from standard input
  --confirm          ask yes or no; exit 0 for yes, 1 for no; y and n answer at once
  --message          show the text and wait until it is acknowledged
  --title TEXT       title of the dialog (also --header)
  --body TEXT        more to read above the question
  --default N        option that is highlighted first, counted from 0; with --confirm: yes or no (default no)
  --selected TEXT    the same, by its text
  --initial TEXT     text to start from (also --value)
  --affirmative TEXT, --negative TEXT
                     the words for yes and no
  --timeout TIME     give up after so long: 90, 90s, 5m (default 300 s)
  --expires TIME     give up when nobody has seen it by then
  --pane %N          the asking pane (default $MPLEX_PANE)
  --client NAME      ask this client and nobody else
  --queue            wait while the client is busy with another dialog
  --wait-client      as --if-unattended wait
  --if-unattended P  when nobody can be asked: fail, wait, or default (the defaults stated)
  --on-timeout P     when time is up: fail, or default (never a yes)
  --backend NAME     native, tmux or tty (default: by where the call stands)
  --print FORM       value, lines, json, sh or env (default value; json with --spec)
  --json             as --print json
  --meta             json tells who answered and when
exit status: 0 answered, 1 no, 2 usage or a bad spec, 4 dismissed, 5 nobody to ask, 6 busy, 7 cancelled,
124 timeout, 125 failure, 130 interrupted; each can be changed: MPLEX_ASK_EXIT_DISMISSED=1`;

const PRINT_FORMS = ['value', 'lines', 'json', 'sh', 'env'] as const;
export type PrintForm = (typeof PRINT_FORMS)[number];

export interface AskCall {
  readonly source:
    | { readonly kind: 'quick'; readonly shape: AskShape; readonly spec: FlowSpec }
    /** A path, or `-`. */
    | { readonly kind: 'file'; readonly path: string };
  readonly print: PrintForm;
  readonly meta: boolean;
  readonly backend: BackendName | undefined;
  readonly pane: string | undefined;
  readonly client: string | undefined;
  readonly queue: boolean;
  readonly waitClient: boolean;
  /** Seconds. */
  readonly expiresS: number | undefined;
  readonly defaults: { readonly timeout: boolean; readonly unattended: boolean };
}

const FLAGS = {
  spec: { type: 'string' },
  confirm: { type: 'boolean' },
  message: { type: 'boolean' },
  title: { type: 'string' },
  header: { type: 'string' },
  body: { type: 'string' },
  default: { type: 'string' },
  selected: { type: 'string' },
  initial: { type: 'string' },
  value: { type: 'string' },
  affirmative: { type: 'string' },
  negative: { type: 'string' },
  timeout: { type: 'string' },
  expires: { type: 'string' },
  pane: { type: 'string' },
  client: { type: 'string' },
  queue: { type: 'boolean' },
  'wait-client': { type: 'boolean' },
  'if-unattended': { type: 'string' },
  'on-timeout': { type: 'string' },
  backend: { type: 'string' },
  print: { type: 'string' },
  json: { type: 'boolean' },
  meta: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Flags that make a question of their own and have no place beside a spec. */
const QUICK_FLAGS = [
  'confirm',
  'message',
  'title',
  'header',
  'body',
  'default',
  'selected',
  'initial',
  'value',
  'affirmative',
  'negative',
  'timeout',
] as const;

/** Reads the arguments after `ask`; 'help' if help is wanted. Throws MplexError 'usage'. */
export function parseAskArgs(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): AskCall | 'help' {
  const { values, positionals } = parseFlags(argv);
  if (values.help) return 'help';
  const source = values.spec === undefined ? quickSource(values, positionals) : fileSource(values, positionals);
  const pane = values.pane ?? env.MPLEX_PANE;
  const unattended = oneOf(values['if-unattended'] ?? 'fail', ['fail', 'wait', 'default'], '--if-unattended');
  const onTimeout = oneOf(values['on-timeout'] ?? 'fail', ['fail', 'default'], '--on-timeout');
  if (values.json && values.print !== undefined && values.print !== 'json') {
    throw usage('--json and another --print exclude each other');
  }
  const form = values.json ? 'json' : values.print;
  const print = form === undefined ? (source.kind === 'file' ? 'json' : 'value') : oneOf(form, PRINT_FORMS, '--print');
  if (values.meta && print !== 'json') throw usage('--meta is for --print json');
  // A question that nobody sees ends with its time, too.
  const expires = values.expires ?? values.timeout;
  return {
    source,
    print,
    meta: values.meta ?? false,
    backend: values.backend === undefined ? undefined : parseBackend(values.backend),
    pane: pane === '' ? undefined : pane,
    client: values.client,
    queue: values.queue ?? false,
    waitClient: values['wait-client'] === true || unattended === 'wait',
    expiresS: expires === undefined ? undefined : parseTime(expires, '--expires'),
    defaults: { timeout: onTimeout === 'default', unattended: unattended === 'default' },
  };
}

type Values = ReturnType<typeof parseFlags>['values'];

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: FLAGS, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(flagFault(error instanceof Error ? error.message : String(error)));
  }
}

/** Node's words about a flag, in ours. */
function flagFault(message: string): string {
  const valueless = /^Option '([^' ]+).*' argument (?:missing|is ambiguous)/.exec(message);
  if (valueless) return `${valueless[1]?.replace(/^-\w, /, '')} needs a value`;
  const flag = /^Unknown option '(-+([^']*))'/.exec(message);
  if (!flag) return message.charAt(0).toLowerCase() + (message.split('. ')[0] ?? '').slice(1);
  const [, written = '', name = ''] = flag;
  const meant = nearest(name, Object.keys(FLAGS));
  return `unknown flag: ${written}${meant === undefined ? ' (what begins with a dash goes after --)' : ` (did you mean --${meant}?)`}`;
}

function fileSource(values: Values, positionals: readonly string[]): AskCall['source'] {
  const quick = QUICK_FLAGS.find((flag) => values[flag] !== undefined);
  if (quick !== undefined) throw usage(`--spec and --${quick} exclude each other`);
  if (positionals.length > 0) throw usage('--spec takes no question');
  const path = values.spec ?? '';
  if (path === '') throw usage('--spec needs a file, or - for standard input');
  return { kind: 'file', path };
}

function quickSource(values: Values, positionals: readonly string[]): AskCall['source'] {
  const [question, ...options] = positionals;
  if (question === undefined || question === '') throw usage('a question is needed');
  const shape = shapeOf(values, options);
  const words: [string, string] = [values.affirmative ?? 'Yes', values.negative ?? 'No'];
  const title = values.title ?? values.header;
  const initial = values.initial ?? values.value;
  const shown = shape === 'confirm' ? words : options;
  const preset = presetOf(values, shape, shown);
  const timeout = values.timeout === undefined ? undefined : parseTime(values.timeout, '--timeout');
  checkLength('--title', title, TITLE_MAX);
  checkLength('--body and question together', `${values.body ?? ''}\n\n${question}`, TEXT_MAX);
  checkLength('--initial', initial, ANSWER_MAX);
  for (const option of shown) checkLength('an option', option, LABEL_MAX);
  const spec = quickSpec({ shape, question, title, body: values.body, options, preset, initial, words, timeout });
  return { kind: 'quick', shape, spec };
}

function shapeOf(values: Values, options: readonly string[]): AskShape {
  if (values.confirm && values.message) throw usage('--confirm and --message exclude each other');
  const shape = values.confirm ? 'confirm' : values.message ? 'message' : options.length > 0 ? 'option' : 'text';
  if (shape !== 'option' && options.length > 0) throw usage(`--${shape} takes no options`);
  if (options.length > OPTIONS_MAX) throw usage(`at most ${OPTIONS_MAX} options are possible, not ${options.length}`);
  const repeated = options.find((option, at) => options.indexOf(option) !== at);
  if (repeated !== undefined) throw usage(`the option ${JSON.stringify(repeated)} is there twice`);
  for (const flag of ['initial', 'value'] as const) {
    if (values[flag] !== undefined && shape !== 'text') throw usage(`--${flag} is for a text question`);
  }
  for (const flag of ['default', 'selected'] as const) {
    if (values[flag] !== undefined && shape !== 'option' && shape !== 'confirm') {
      throw usage(`--${flag} is for a question with options`);
    }
  }
  for (const flag of ['affirmative', 'negative'] as const) {
    if (values[flag] !== undefined && shape !== 'confirm') throw usage(`--${flag} is for --confirm`);
  }
  return shape;
}

/** gum writes `--default=false`. */
const CONFIRM_PRESETS: Readonly<Record<string, number>> = { yes: 0, true: 0, no: 1, false: 1 };

function presetOf(values: Values, shape: AskShape, shown: readonly string[]): number | undefined {
  if (values.selected !== undefined) {
    const index = shown.indexOf(values.selected);
    if (index < 0) throw usage(`--selected ${JSON.stringify(values.selected)} is none of the options`);
    return index;
  }
  const text = values.default;
  if (text === undefined) return undefined;
  if (shape === 'confirm' && Object.hasOwn(CONFIRM_PRESETS, text)) return CONFIRM_PRESETS[text];
  const value = /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (value >= 0 && value < shown.length) return value;
  if (shape === 'confirm') throw usage(`--default must be yes or no, not ${JSON.stringify(text)}`);
  throw usage(`--default must be from 0 to ${shown.length - 1}, not ${JSON.stringify(text)}`);
}

function checkLength(what: string, text: string | undefined, max: number): void {
  const length = countCodePoints(text ?? '');
  if (length > max) throw usage(`${what} may be ${max} characters long, not ${length}`);
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** Seconds, with or without a unit. */
function parseTime(text: string, flag: string): number {
  const [, digits, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const value = digits === undefined ? 0 : Number(digits) * (UNITS[unit] ?? 1);
  if (value > 0 && value <= TIMEOUT_MAX_S) return value;
  throw usage(`${flag} must be above 0 and at most ${TIMEOUT_MAX_S} seconds, not ${JSON.stringify(text)}`);
}

function oneOf<T extends string>(text: string, known: readonly T[], flag: string): T {
  const found = known.find((one) => one === text);
  if (found === undefined) throw usage(`${flag} must be one of ${known.join(', ')}, not ${JSON.stringify(text)}`);
  return found;
}

function usage(message: string): MplexError {
  return new MplexError('usage', message);
}
