/** Tools about panes. They are commands of tmux's language: in mplex over the control socket, in tmux by its client. */
import { execFile } from 'node:child_process';
import { chooseBackend } from '../ask/backends.ts';
import { connectControl } from '../ask/control-client.ts';
import { accepted } from '../ask/native-backend.ts';
import type { McpContext } from './mcp.ts';
import type { AgentTool, ToolWatch } from './mcp-tool.ts';
import { failure, success } from './mcp-tool.ts';

/** How often a pane is looked at while it is waited on, ms. */
const LOOK_MS = 250;
const WAIT_DEFAULT_S = 60;
const WAIT_MAX_S = 600;
const LINES_MAX = 10_000;
const OUTPUT_MAX = 8 << 20;

type RunCommand = (argv: readonly string[]) => Promise<string>;

const PANE = { type: 'string', description: 'A pane id such as "%3", or any target of tmux.' };

export function createPaneTools(context: McpContext): AgentTool[] {
  const run = commandRunner(context);
  return [listTool(run), readTool(run), sendTool(run), waitTool(run, context)];
}

/** Runs one command and gives its output; rejects with what it said when it fails. */
function commandRunner(context: McpContext): RunCommand {
  if (chooseBackend({ ...context, isTerminal: false }) === 'tmux') return (argv) => runTmux(context, argv);
  return async (argv) => {
    const client = await connectControl(context.controlPath);
    try {
      const { code, stdout, stderr } = accepted(await client.request({ op: 'command', argv }));
      if (code !== 0) throw new Error(String(stderr).trim() || `${argv[0]} failed`);
      return String(stdout);
    } finally {
      client.close();
    }
  };
}

function runTmux({ env }: McpContext, argv: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('tmux', [...argv], { env: { ...env }, maxBuffer: OUTPUT_MAX }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve(stdout);
    });
  });
}

const LIST_FIELDS = [
  'pane_id',
  'session_name',
  'window_index',
  'window_name',
  'pane_active',
  'pane_width',
  'pane_height',
  'pane_current_command',
  'pane_current_path',
  'pane_title',
] as const;

function listTool(run: RunCommand): AgentTool {
  return {
    name: 'plexer_list_panes',
    annotations: { title: 'List panes', readOnlyHint: true },
    description: 'List all panes: id, session, window, program, directory, size.',
    inputSchema: { type: 'object', properties: {} },
    async call() {
      // Quoted for a shell, no field can hold a bare blank.
      const format = LIST_FIELDS.map((field) => `x#{q:${field}}`).join(' ');
      const output = await run(['list-panes', '-a', '-F', format]);
      const panes = output.split('\n').flatMap((line) => {
        if (line === '') return [];
        const values = line.match(/(?:[^\\ ]|\\.)+/g) ?? [];
        return [Object.fromEntries(LIST_FIELDS.map((field, at) => [field, unquote(values[at] ?? 'x')]))];
      });
      return success({ panes });
    },
  };
}

/** Without the `x` that kept an empty field in its place. */
function unquote(word: string): string {
  return word.slice(1).replaceAll(/\\(.)/g, '$1');
}

function readTool(run: RunCommand): AgentTool {
  return {
    name: 'plexer_read_pane',
    annotations: { title: 'Read a pane', readOnlyHint: true },
    description: 'Read what a pane shows, and as many lines of its history as wanted.',
    inputSchema: {
      type: 'object',
      properties: { pane: PANE, history: { type: 'integer', description: 'Lines of history before the screen.' } },
      required: ['pane'],
    },
    async call(args) {
      const history = typeof args.history === 'number' ? Math.min(LINES_MAX, Math.max(0, Math.trunc(args.history))) : 0;
      return { text: await capture(run, targetOf(args), history), isError: false };
    },
  };
}

function sendTool(run: RunCommand): AgentTool {
  return {
    name: 'plexer_send',
    annotations: { title: 'Type into a pane', readOnlyHint: false },
    description: 'Type into a pane: text as it is, then keys by their tmux names (Enter, C-c, Up).',
    inputSchema: {
      type: 'object',
      properties: {
        pane: PANE,
        text: { type: 'string', description: 'Typed as it is; no Enter is added.' },
        keys: { type: 'array', items: { type: 'string' }, description: 'Keys pressed after the text, e.g. ["Enter"].' },
      },
      required: ['pane'],
    },
    async call(args) {
      const target = targetOf(args);
      const keys = typeof args.keys === 'string' ? args.keys.split(' ') : args.keys;
      const names = Array.isArray(keys) ? keys.map(String).filter((key) => key !== '') : [];
      const text = typeof args.text === 'string' ? args.text : '';
      if (text === '' && names.length === 0) return failure('nothing to send: give "text" or "keys"');
      if (text !== '') await run(['send-keys', '-t', target, '-l', '--', text]);
      if (names.length > 0) await run(['send-keys', '-t', target, '--', ...names]);
      return success({ sent: true });
    },
  };
}

function waitTool(run: RunCommand, { clock }: McpContext): AgentTool {
  return {
    name: 'plexer_wait',
    annotations: { title: 'Wait for a pane', readOnlyHint: true },
    description: 'Wait until a pane shows a text, or has shown nothing new for some seconds; gives what it shows then.',
    inputSchema: {
      type: 'object',
      properties: {
        pane: PANE,
        pattern: { type: 'string', description: 'Regular expression (JavaScript) that the screen has to match.' },
        quiet: { type: 'number', description: 'Seconds without a change; default 2 if there is no pattern.' },
        timeout: { type: 'number', description: `Seconds, default ${WAIT_DEFAULT_S}, at most ${WAIT_MAX_S}.` },
      },
      required: ['pane'],
    },
    async call(args, watch) {
      const pattern = typeof args.pattern === 'string' ? new RegExp(args.pattern, 'm') : undefined;
      const quietS = typeof args.quiet === 'number' ? args.quiet : pattern ? undefined : 2;
      const timeoutS = typeof args.timeout === 'number' ? Math.min(WAIT_MAX_S, args.timeout) : WAIT_DEFAULT_S;
      const ended = await lookUntil(() => capture(run, targetOf(args), 0), { pattern, quietS, timeoutS, watch, clock });
      return success(ended);
    },
  };
}

interface Look {
  readonly pattern: RegExp | undefined;
  readonly quietS: number | undefined;
  readonly timeoutS: number;
  readonly watch: ToolWatch;
  readonly clock: McpContext['clock'];
}

async function lookUntil(
  look: () => Promise<string>,
  { pattern, quietS, timeoutS, watch, clock }: Look,
): Promise<{ readonly reason: 'pattern' | 'quiet' | 'timeout' | 'cancelled'; readonly screen: string }> {
  const started = clock.now();
  let screen = await look();
  let changed = started;
  for (;;) {
    const now = clock.now();
    if (pattern?.test(screen)) return { reason: 'pattern', screen };
    if (quietS !== undefined && now - changed >= quietS * 1000) return { reason: 'quiet', screen };
    if (now - started >= timeoutS * 1000) return { reason: 'timeout', screen };
    if (watch.signal.aborted) return { reason: 'cancelled', screen };
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
    const next = await look();
    if (next !== screen) changed = clock.now();
    screen = next;
  }
}

function capture(run: RunCommand, target: string, history: number): Promise<string> {
  return run(['capture-pane', '-p', '-J', '-t', target, ...(history > 0 ? ['-S', `-${history}`] : [])]);
}

function targetOf(args: Readonly<Record<string, unknown>>): string {
  if (typeof args.pane !== 'string' || args.pane === '') throw new Error('"pane" must be a pane id such as "%3"');
  return args.pane;
}
