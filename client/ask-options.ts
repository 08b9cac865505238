/** The words of `mplex ask` as data: what is asked, of whom, and how the answer is printed. */
import { parseArgs } from 'node:util';
import { countCodePoints } from '../protocol/clean-text.ts';
import type { Ask } from '../protocol/dialog.ts';
import { LABEL_MAX, OPTIONS_MAX, TIMEOUT_MAX_S } from '../protocol/dialog.ts';
import { MplexError } from '../protocol/errors.ts';

export const ASK_USAGE = `usage: mplex ask [flags] question [option ...]
With options: choose one, and its text is printed. Without: type a text, and it is printed.
  --confirm          ask yes or no; exit 0 for yes, 1 for no
  --message          show the text and wait until it is acknowledged
  --title TEXT       title of the dialog
  --body TEXT        more to read above the question
  --default N        option that is highlighted first, counted from 0
  --initial TEXT     text to start from
  --timeout SECONDS  give up after so long (default 300)
  --pane %N          the asking pane (default $MPLEX_PANE)
  --queue            wait while the client is busy with another dialog
  --wait-client      wait until a client is attached
  --json             print the outcome as one JSON object
exit status: 0 answered, 1 no, 2 usage, 4 dismissed, 5 nobody to ask, 6 busy, 7 cancelled, 124 timeout,
125 failure, 130 interrupted`;

/** How the value becomes output and exit code. */
export type AskShape = 'option' | 'text' | 'confirm' | 'message';

export interface AskCall {
  readonly shape: AskShape;
  readonly ask: Ask;
  readonly json: boolean;
}

const FLAGS = {
  confirm: { type: 'boolean' },
  message: { type: 'boolean' },
  title: { type: 'string' },
  body: { type: 'string' },
  default: { type: 'string' },
  initial: { type: 'string' },
  timeout: { type: 'string' },
  pane: { type: 'string' },
  queue: { type: 'boolean' },
  'wait-client': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const CONFIRM_OPTIONS = ['Yes', 'No'];

/** Reads the arguments after `ask`; 'help' if help is wanted. Throws MplexError 'usage'. */
export function parseAskArgs(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): AskCall | 'help' {
  const { values, positionals } = parseFlags(argv);
  if (values.help) return 'help';
  const [question, ...options] = positionals;
  if (question === undefined || question === '') throw usage('a question is needed');
  const shape = shapeOf(values, options);
  const pane = values.pane ?? env.MPLEX_PANE;
  const timeout = values.timeout === undefined ? undefined : parseSeconds(values.timeout);
  const common = {
    ...wording(question, values.body),
    ...(values.title !== undefined && { title: values.title }),
    ...(pane !== undefined && pane !== '' && { pane }),
    // A question that nobody sees ends then, too.
    ...(timeout !== undefined && { timeout, expires: timeout }),
    ...(values.queue && { queue: true }),
    ...(values['wait-client'] && { wait_client: true }),
  };
  return { shape, json: values.json ?? false, ask: makeAsk(shape, { common, options, values }) };
}

type Values = ReturnType<typeof parseFlags>['values'];

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: FLAGS, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

function shapeOf(values: Values, options: readonly string[]): AskShape {
  if (values.confirm && values.message) throw usage('--confirm and --message exclude each other');
  const shape = values.confirm ? 'confirm' : values.message ? 'message' : options.length > 0 ? 'option' : 'text';
  if (shape !== 'option' && options.length > 0) throw usage(`--${shape} takes no options`);
  if (options.length > OPTIONS_MAX) throw usage(`at most ${OPTIONS_MAX} options are possible, not ${options.length}`);
  if (values.initial !== undefined && shape !== 'text') throw usage('--initial is for a text question');
  if (values.default !== undefined && shape !== 'option' && shape !== 'confirm') {
    throw usage('--default is for a question with options');
  }
  return shape;
}

interface AskParts {
  readonly common: Omit<Ask, 'kind'>;
  readonly options: readonly string[];
  readonly values: Values;
}

function makeAsk(shape: AskShape, { common, options, values }: AskParts): Ask {
  switch (shape) {
    case 'text':
      return { ...common, kind: 'text', ...(values.initial !== undefined && { initial: values.initial }) };
    case 'message':
      return { ...common, kind: 'message' };
    case 'option':
    case 'confirm': {
      const shown = shape === 'confirm' ? CONFIRM_OPTIONS : options;
      const index = values.default === undefined ? {} : { default: parseIndex(values.default, shown.length) };
      return { ...common, kind: 'choice', options: shown, ...index };
    }
  }
}

/** A question that is too long for a label is the body. */
function wording(question: string, body: string | undefined): { label?: string; body?: string } {
  const isLong = countCodePoints(question) > LABEL_MAX || question.includes('\n');
  if (!isLong) return { label: question, ...(body !== undefined && { body }) };
  return { body: body === undefined ? question : `${body}\n\n${question}` };
}

function parseSeconds(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= TIMEOUT_MAX_S) return value;
  throw usage(`--timeout must be above 0 and at most ${TIMEOUT_MAX_S} seconds, not ${JSON.stringify(text)}`);
}

function parseIndex(text: string, count: number): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (value >= 0 && value < count) return value;
  throw usage(`--default must be from 0 to ${count - 1}, not ${JSON.stringify(text)}`);
}

function usage(message: string): MplexError {
  return new MplexError('usage', message);
}
