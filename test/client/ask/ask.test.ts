import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAsk } from '../../../client/ask/ask.ts';
import type { StopSignal } from '../../../client/ask/ask-exit.ts';
import { parseAskArgs } from '../../../client/ask/ask-options.ts';
import { printRun } from '../../../client/ask/ask-print.ts';
import { ControlConnection } from '../../../server/control/control-connection.ts';
import type { FlowRun } from '../../../src/flow/flow-runner.ts';
import type { FlowSpec } from '../../../src/flow/flow-spec.ts';
import { checkSpec } from '../../../src/flow/spec.ts';
import { type FakeClient, FlowWorld } from '../../support/flow-world.ts';

/** A real control socket in front of a flow queue whose clients are made of nothing. */
class AskWorld extends FlowWorld {
  readonly directory = mkdtempSync(join(tmpdir(), 'ask-'));
  readonly path = join(this.directory, 'default.ctl');
  readonly lines: string[] = [];
  #server: Server | undefined;
  #heard = () => {};
  #drop = () => {};

  async listen(path = this.path): Promise<void> {
    this.#server = createServer((socket) => {
      const connection = new ControlConnection(
        {
          flows: this.queue,
          version: '0',
          runCommand: () => Promise.reject(new Error('no commands here')),
          grantOf: () => ({ access: 'full', pane: undefined }),
          checkHealth: () => [],
          failed: (error) => this.lines.push(String(error)),
        },
        {
          write: (line) => socket.write(line),
          pause: () => socket.pause(),
          resume: () => socket.resume(),
          end: () => socket.end(),
        },
      );
      socket.on('data', (chunk) => {
        this.lines.push(...chunk.toString().trim().split('\n'));
        connection.receive(chunk);
        this.#heard();
      });
      socket.on('error', () => socket.destroy());
      socket.on('close', () => connection.closed());
      this.#drop = () => socket.destroy();
    });
    await new Promise<void>((resolve) => this.#server?.listen(path, resolve));
  }

  /** Resolves when the asker waits for its result. */
  async asked(): Promise<void> {
    while (!this.lines.some((line) => line.includes('"wait":25'))) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  drop(): void {
    this.#drop();
  }

  /** The server is gone, without a word. */
  end(): void {
    this.#server?.close();
    this.#drop();
  }

  close(): void {
    this.queue.close();
    this.#server?.close();
    rmSync(this.directory, { recursive: true });
  }
}

const REAL_CLOCK = {
  now: () => performance.now(),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits a fiftieth of the time. */
const FAST_CLOCK = { ...REAL_CLOCK, after: (ms: number, run: () => void) => REAL_CLOCK.after(ms / 50, run) };

interface Run {
  readonly code: Promise<number>;
  readonly signal: (signal: StopSignal) => void;
  output(): { stdout: string; stderr: string };
}

let world: AskWorld;
beforeEach(async () => {
  world = new AskWorld();
  await world.listen();
});
afterEach(() => world.close());

/** Standard input of the next call. */
let stdin = '';

function ask(
  argv: readonly string[],
  env: Record<string, string> = { MPLEX_PANE: '%1' },
  path = world.path,
  clock = REAL_CLOCK,
): Run {
  const written = { stdout: '', stderr: '' };
  let handler: (signal: StopSignal) => void = () => {};
  const code = runAsk(argv, {
    env,
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    readStdin: () => Promise.resolve(stdin),
    controlPath: path,
    isServerNamed: true,
    isTerminal: false,
    clock,
    onSignal: (own) => {
      handler = own;
    },
  });
  return { code, signal: (signal) => handler(signal), output: () => written };
}

/** Asks and answers with keys. */
async function answer(
  argv: readonly string[],
  keys: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const client = world.attach();
  const run = ask(argv);
  await world.asked();
  press(client, keys);
  const code = await run.code;
  expect(client.shown).toBeUndefined();
  return { code, ...run.output() };
}

function press(client: FakeClient, keys: string): void {
  world.arm(client);
  world.keys(client, keys);
}

describe('mplex ask', () => {
  it('prints the chosen option', async () => {
    expect(await answer(['Where?', 'staging', 'prod'], 'j Enter')).toEqual({ code: 0, stdout: 'prod\n', stderr: '' });
  });

  it('prints the typed text', async () => {
    expect(await answer(['--initial', 'v', 'Tag?'], '2 Enter')).toEqual({ code: 0, stdout: 'v2\n', stderr: '' });
  });

  it('accepts an empty text', async () => {
    expect(await answer(['Tag?'], 'Enter')).toEqual({ code: 0, stdout: '\n', stderr: '' });
  });

  it('says yes and no by its exit code', async () => {
    expect(await answer(['--confirm', 'Sure?'], 'k Enter')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.each([
    [[], 'Enter', 1],
    [['--default', 'yes'], 'Enter', 0],
    [['--default', 'no'], 'Enter', 1],
    [['--default=true'], 'Enter', 0],
    [['--default=false'], 'Enter', 1],
    [[], 'y', 0],
    [['--default', 'yes'], 'n', 1],
    [['--affirmative', 'Jawohl', '--negative', 'Nein'], 'Y', 0],
  ])('starts a confirmation on no unless %j says otherwise, and ends it by %s with %i', async (flags, keys, code) => {
    expect(await answer(['--confirm', ...flags, 'Sure?'], keys)).toEqual({ code, stdout: '', stderr: '' });
  });

  it('takes no y that was typed before the confirmation was armed', async () => {
    const client = world.attach();
    const run = ask(['--confirm', 'Sure?']);
    await world.asked();
    world.queue.painted(client);
    expect(world.keys(client, 'y')).toEqual(['pass']);
    world.arm(client);
    world.keys(client, 'n');
    expect(await run.code).toBe(1);
  });

  it('says no by exit code 1', async () => {
    expect(await answer(['--confirm', '--default', '1', 'Sure?'], 'Enter')).toMatchObject({ code: 1, stdout: '' });
  });

  it('shows a message', async () => {
    expect(await answer(['--message', 'Done'], 'Enter')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.each([
    [['Where?', 'a', 'b'], 'j Enter', 0, { status: 'done', answers: { answer: 'b' }, action: null }],
    [['Tag?'], 'x Enter', 0, { status: 'done', answers: { answer: 'x' }, action: null }],
    [['--confirm', 'Sure?'], 'Enter', 1, { status: 'done', answers: { answer: false }, action: null }],
    [['--message', 'Done'], 'Enter', 0, { status: 'done', answers: {}, action: null }],
    [['Tag?'], 'Escape', 4, { status: 'cancelled', at: 'ask', answers: {} }],
    [['Tag?'], 'C-c', 130, { status: 'cancelled', at: 'ask', answers: {} }],
  ])('prints the outcome of %j after %s as JSON', async (argv, keys, code, outcome) => {
    const result = await answer(['--json', ...argv], keys);
    expect(JSON.parse(result.stdout)).toEqual(outcome);
    expect(result.code).toBe(code);
  });

  it('ends with 4 when it is dismissed', async () => {
    expect(await answer(['Where?', 'a'], 'q')).toEqual({ code: 4, stdout: '', stderr: '' });
  });

  it('is interrupted by C-c in the dialog', async () => {
    expect(await answer(['Where?', 'a'], 'C-c')).toEqual({ code: 130, stdout: '', stderr: '' });
  });

  it('times out with code 124 and no value, seen or not', async () => {
    const client = world.attach();
    const seen = ask(['--timeout', '3', '--json', 'Where?', 'a']);
    await world.asked();
    world.arm(client);
    world.clock.advance(3000);
    expect(await seen.code).toBe(124);
    expect(JSON.parse(seen.output().stdout)).toEqual({ status: 'timeout', at: 'ask', answers: {} });
    world.detach(client);
    world.lines.length = 0;
    const unseen = ask(['--timeout', '3', '--wait-client', 'Where?', 'a']);
    await world.asked();
    world.clock.advance(3000);
    expect(await unseen.code).toBe(124);
  });

  it('takes the question back on a signal', async () => {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 7],
      ['SIGHUP', 7],
    ] as const) {
      const client = world.attach();
      const run = ask(['Where?', 'a']);
      await world.asked();
      expect(client.shown).toBeDefined();
      run.signal(signal);
      expect(await run.code).toBe(code);
      expect(client.shown).toBeUndefined();
      world.detach(client);
      world.lines.length = 0;
    }
  });

  it('waits over several polls', async () => {
    const client = world.attach();
    const run = ask(['Where?', 'a']);
    await world.asked();
    world.lines.length = 0;
    world.clock.advance(25_000);
    await world.asked();
    press(client, 'Enter');
    expect(await run.code).toBe(0);
  });

  it('says who could not be asked', async () => {
    expect(await ask(['Where?', 'a']).code).toBe(5);
    const none = ask(['Where?', 'a'], {}, join(world.directory, 'none'));
    expect(await none.code).toBe(5);
    expect(none.output().stderr).toMatch(/^mplex ask: no server running on .*none \(ENOENT\)\n$/);
    const client = world.attach();
    client.isBusy = true;
    const busy = ask(['--json', 'Where?', 'a']);
    expect(await busy.code).toBe(6);
    expect(JSON.parse(busy.output().stdout)).toMatchObject({ status: 'error', code: 'busy', at: 'ask', answers: {} });
    client.isBusy = false;
    world.deadPanes.add('%9');
    expect(await ask(['--pane', '%9', 'Where?']).code).toBe(2);
    world.queue.show({ kind: 'message', pane: '%1' });
    world.queue.mute(client);
    expect(await ask(['Where?']).code).toBe(5);
  });

  it('ends with 5 when the server ends, 4 when the pane closes, 7 when somebody takes the question back', async () => {
    for (const [end, code] of [
      [() => world.queue.paneClosed('%1'), 4],
      [() => world.queue.cancel('flow-2'), 7],
      [() => world.queue.close(), 5],
    ] as const) {
      const client = world.attach();
      const run = ask(['Where?', 'a']);
      await world.asked();
      end();
      expect(await run.code).toBe(code);
      world.lines.length = 0;
      world.detach(client);
    }
  });

  it('finds its question again when the connection breaks', async () => {
    const client = world.attach();
    const run = ask(['Where?', 'a']);
    await world.asked();
    world.lines.length = 0;
    world.drop();
    await world.asked();
    press(client, 'Enter');
    expect(await run.code).toBe(0);
  });

  it('fails with 125 when the server does not come back', async () => {
    world.attach();
    const run = ask(['--json', 'Where?', 'a'], {}, world.path, FAST_CLOCK);
    await world.asked();
    world.end();
    expect(await run.code).toBe(125);
    const error = 'the server closed the connection';
    expect(run.output().stderr).toBe(`mplex ask: ${error}\n`);
    expect(JSON.parse(run.output().stdout)).toEqual({ status: 'error', error, code: 'io', at: 'ask', answers: {} });
  });

  it('ends with 5 when a server comes back that does not know the question', async () => {
    const client = world.attach();
    const run = ask(['Where?', 'a']);
    await world.asked();
    world.queue.close();
    world.drop();
    expect(await run.code).toBe(5);
    expect(client.shown).toBeUndefined();
  });

  it.each([
    [[], 'a question is needed'],
    [['--nope', 'Q'], 'unknown flag: --nope (what begins with a dash goes after --)'],
    [['--tilte', 'T', 'Q'], 'unknown flag: --tilte (did you mean --title?)'],
    [['--title'], '--title needs a value'],
    [['q', '--timeout', '-1'], '--timeout needs a value'],
    [['q', '-5'], 'unknown flag: -5 (what begins with a dash goes after --)'],
    [['q', '--confirm=x'], "option '--confirm' does not take an argument"],
    [['--confirm', '--default', 'maybe', 'Q'], '--default must be yes or no, not "maybe"'],
    [['--confirm', '--message', 'Q'], '--confirm and --message exclude each other'],
    [['--confirm', 'Q', 'a'], '--confirm takes no options'],
    [['Q', ...Array(13).fill('a')], 'at most 12 options are possible, not 13'],
    [['--initial', 'x', 'Q', 'a'], '--initial is for a text question'],
    [['--default', '0', 'Q'], '--default is for a question with options'],
    [['--default', '2', 'Q', 'a', 'b'], '--default must be from 0 to 1, not "2"'],
    [['Q', 'a', 'a'], 'the option "a" is there twice'],
    [['--selected', 'c', 'Q', 'a'], '--selected "c" is none of the options'],
    [['--affirmative', 'Sure', 'Q'], '--affirmative is for --confirm'],
    [['--spec', 'f', 'Q'], '--spec takes no question'],
    [['--spec', 'f', '--title', 'x'], '--spec and --title exclude each other'],
    [['--print', 'xml', 'Q'], '--print must be one of value, lines, json, sh, env, not "xml"'],
    [['--meta', 'Q'], '--meta is for --print json'],
    [['--backend', 'x', 'Q'], '--backend must be one of native, tmux, tty, not "x"'],
    [['--on-timeout', 'yes', 'Q'], '--on-timeout must be one of fail, default, not "yes"'],
    [['--if-unattended', 'ask', 'Q'], '--if-unattended must be one of fail, wait, default, not "ask"'],
    [['--title', 'x'.repeat(201), 'Q'], '--title may be 200 characters long, not 201'],
    [['--timeout', '0', 'Q'], '--timeout must be above 0 and at most 86400 seconds, not "0"'],
    [['--timeout', '1e3', 'Q'], '--timeout must be above 0 and at most 86400 seconds, not "1e3"'],
  ])('refuses %j', async (argv, message) => {
    const run = ask(argv);
    expect(await run.code).toBe(2);
    expect(run.output().stderr.split('\n')[0]).toBe(`mplex ask: ${message}`);
    expect(run.output().stdout).toBe('');
  });

  it('prints its usage on request', async () => {
    const run = ask(['--help']);
    expect(await run.code).toBe(0);
    expect(run.output().stdout).toMatch(/^usage: mplex ask/);
  });
});

const FLOW = {
  screens: [
    {
      id: 'main',
      fields: [
        {
          id: 'env',
          type: 'choice',
          label: 'Where',
          options: ['staging', { label: 'Production', value: 7 }],
          default: 0,
        },
        { id: 'the-note', type: 'text', label: 'Note', initial: "it's" },
      ],
      actions: [
        { id: 'go', label: 'Deploy' },
        { id: 'no', label: 'Not now' },
      ],
      next: { no: '$cancel' },
    },
  ],
};

/** Runs FLOW and answers its three asks. */
async function answerFlow(argv: readonly string[], keys: readonly string[]) {
  const client = world.attach();
  stdin = JSON.stringify(FLOW);
  const run = ask(['--spec', '-', ...argv]);
  for (const [index, some] of keys.entries()) {
    await world.asked();
    world.lines.length = 0;
    world.queue.painted(client);
    world.clock.advance(index === 0 ? 500 : 150);
    world.keys(client, some);
  }
  return { code: await run.code, ...run.output() };
}

describe('mplex ask --spec', () => {
  it('prints the one outcome of a flow', async () => {
    expect(await answerFlow([], ['j Enter', 'Enter', 'Enter'])).toEqual({
      code: 0,
      stdout: '{"status":"done","answers":{"env":7,"the-note":"it\'s"},"action":"go"}\n',
      stderr: '',
    });
  });

  it.each([
    ['value', "7\nit's\n"],
    ['lines', "env=7\nthe-note=it's\n"],
    ['sh', "ask_status='done'\nask_action='go'\nask_env='7'\nask_the_note='it'\\''s'\n"],
    ['env', 'ASK_STATUS=done\nASK_ACTION=go\nASK_ENV=7\nASK_THE_NOTE="it\'s"\n'],
  ])('prints as %s', async (form, stdout) => {
    expect(await answerFlow(['--print', form], ['j Enter', 'Enter', 'Enter'])).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('tells an action that leads to $cancel from Escape by its exit code', async () => {
    const no = await answerFlow([], ['Enter', 'Enter', 'j Enter']);
    expect([no.code, JSON.parse(no.stdout)]).toMatchObject([1, { status: 'cancelled', at: 'main' }]);
    const left = await answerFlow(['--print', 'sh'], ['Enter', 'Escape']);
    expect([left.code, left.stdout]).toEqual([4, "ask_status='cancelled'\nask_at='main'\nask_env='staging'\n"]);
  });

  it('reads the spec from a file, and says what is wrong with it', async () => {
    const file = join(world.directory, 'bad.json');
    writeFileSync(file, '{"screens":[{"id":"a"}],"timeout":1}');
    const run = ask(['--spec', file]);
    expect(await run.code).toBe(2);
    expect(run.output()).toEqual({
      stdout: '',
      stderr: `mplex ask: ${file}: /timeout: expected at least 5, found 1
mplex ask: ${file}: /screens/0: expected a screen with a body, fields or actions, found an object
`,
    });
    const none = ask(['--spec', join(world.directory, 'none.json')]);
    expect(await none.code).toBe(2);
    expect(none.output().stderr).toMatch(/^mplex ask: can't read .*none.json: No such file or directory/);
  });

  it('refuses, before it asks, ids that become the same variable', async () => {
    const field = (id: string) => ({ id, type: 'text' });
    for (const ids of [['a-b', 'a_b'], ['status'], ['action']]) {
      stdin = JSON.stringify({ screens: [{ id: 's', fields: ids.map(field) }] });
      const run = ask(['--spec', '-', '--print', 'sh']);
      expect(await run.code).toBe(2);
      expect(run.output().stderr).toMatch(/^mplex ask: --print sh: ask_\w+ of field /);
    }
  });

  it('quotes for a shell whatever was typed', () => {
    const nasty = `'; rm -rf ~; echo "$(id)" \`id\` \\ \n end`;
    const run: FlowRun = {
      outcome: { status: 'done', answers: { a: nasty }, action: null },
      cause: 'finished',
      path: [],
      code: undefined,
      asks: [],
      defaulted: undefined,
    };
    const script = `${printRun(run, { form: 'sh', meta: false, backend: '' })}printf %s "$ask_a"`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(nasty);
    const [line, ...more] = printRun(run, { form: 'lines', meta: false, backend: '' }).trimEnd().split('\n');
    expect([line?.startsWith("a='; rm"), more]).toEqual([true, []]);
  });
});

describe('policies of mplex ask', () => {
  it('waits for a server as for a client, as long as it may, and takes the question back meanwhile', async () => {
    world.end();
    const path = join(world.directory, 'later.ctl');
    const wait = ['--if-unattended', 'wait'];
    const patient = ask([...wait, 'Where?', 'a'], {}, path, FAST_CLOCK);
    const expired = ask([...wait, '--expires', '1', '--json', 'Where?', 'a'], {}, path, FAST_CLOCK);
    expect(await expired.code).toBe(124);
    expect(JSON.parse(expired.output().stdout)).toMatchObject({ status: 'timeout', answers: {} });
    const stopped = ask([...wait, 'Where?', 'a'], {}, path, FAST_CLOCK);
    stopped.signal('SIGTERM');
    expect(await stopped.code).toBe(7);
    const client = world.attach();
    await world.listen(path);
    await world.asked();
    press(client, 'Enter');
    expect(await patient.code).toBe(0);
  });

  it('answers by the stated default when time is up, and says so', async () => {
    const client = world.attach();
    const run = ask(['--on-timeout', 'default', '--default', '1', '--timeout', '3', '--json', 'Where?', 'a', 'b']);
    await world.asked();
    world.arm(client);
    world.clock.advance(3000);
    expect(await run.code).toBe(0);
    const outcome = { status: 'timeout', at: 'ask', answers: { answer: 'b' }, defaults: ['answer'] };
    expect(JSON.parse(run.output().stdout)).toEqual(outcome);
  });

  it('says with --meta what it says without, too', async () => {
    const run = ask(['--json', '--meta', '--if-unattended', 'default', '--default', '1', 'Where?', 'a', 'b']);
    expect(await run.code).toBe(0);
    const said = { status: 'error', code: 'no_client', answers: { answer: 'b' }, defaults: ['answer'] };
    expect(JSON.parse(run.output().stdout)).toMatchObject({ ...said, meta: { backend: 'native', path: ['ask'] } });
  });

  it('never answers yes, and takes no default that was not stated', async () => {
    for (const [argv, code] of [
      [['--confirm', '--default', 'yes', 'Sure?'], 124],
      [['--confirm', 'Sure?'], 124],
      [['--confirm', '--default', 'no', 'Sure?'], 1],
      [['Where?', 'a', 'b'], 124],
      [['--message', 'Look'], 124],
    ] as const) {
      const client = world.attach();
      world.lines.length = 0;
      const run = ask(['--on-timeout', 'default', '--timeout', '3', ...argv]);
      await world.asked();
      world.arm(client);
      world.clock.advance(3000);
      expect(await run.code).toBe(code);
      expect(run.output().stdout).toBe('');
      world.detach(client);
    }
  });

  it('does without a person as it is told: fail, default, or wait', async () => {
    expect(await ask(['--default', '0', 'Where?', 'a']).code).toBe(5);
    const byDefault = ask(['--if-unattended', 'default', '--default', '0', 'Where?', 'a']);
    expect(await byDefault.code).toBe(0);
    expect(byDefault.output()).toEqual({
      stdout: 'a\n',
      stderr: 'mplex ask: no client is attached\n'.replace(
        'no client is attached',
        'no client shows the session of %1',
      ),
    });
    world.lines.length = 0;
    const waits = ask(['--if-unattended', 'wait', 'Where?', 'a']);
    await world.asked();
    const client = world.attach();
    press(client, 'Enter');
    expect(await waits.code).toBe(0);
  });

  it('has exit codes that the environment changes', async () => {
    expect(await ask(['Where?', 'a'], { MPLEX_ASK_EXIT_NOBODY: '1' }).code).toBe(1);
    expect(await ask([], { MPLEX_ASK_EXIT_USAGE: '64' }).code).toBe(64);
    expect(await ask(['Where?', 'a'], { MPLEX_ASK_EXIT_BUSY: '256' }).code).toBe(2);
  });
});

describe('the words of an ask', () => {
  it('become a question as data', () => {
    const argv = ['--title=T', '--body', 'B', '--queue', '--wait-client', '--timeout', '9', 'Q', '--', '-x'];
    const field = { id: 'answer', type: 'choice', label: 'Q', options: ['-x'] };
    expect(parseAskArgs(argv, { MPLEX_PANE: '%4' })).toEqual({
      source: {
        kind: 'quick',
        shape: 'option',
        spec: { timeout: 9, screens: [{ id: 'ask', title: 'T', body: 'B', fields: [field] }] },
      },
      print: 'value',
      meta: false,
      backend: undefined,
      pane: '%4',
      client: undefined,
      queue: true,
      waitClient: true,
      expiresS: 9,
      defaults: { timeout: false, unattended: false },
    });
  });

  it('make specs that the schema takes', () => {
    for (const argv of [
      ['Q', 'a', 'b'],
      ['--confirm', '--default', 'no', 'Q'],
      ['--message', 'Q'],
      ['--initial', 'x', 'Q'],
      ['--title', 'T', '--body', 'B', 'x'.repeat(300), 'a'],
    ]) {
      const call = parseAskArgs(argv, {});
      expect(call !== 'help' && call.source.kind === 'quick' && checkSpec(unmarked(call.source.spec))).toMatchObject({
        ok: true,
      });
    }
  });

  it('put a question that is too long for a label into the body', () => {
    const long = 'x'.repeat(201);
    expect(parseAskArgs(['--body', 'B', long], {})).toMatchObject({
      source: { spec: { screens: [{ body: `B\n\n${long}` }] } },
    });
    expect(parseAskArgs([long, 'a'], {})).toMatchObject({
      source: { spec: { screens: [{ body: long, fields: [{ type: 'choice', label: '' }] }] } },
    });
  });
});

/** A spec as others may write it: without the mark of a confirmation. */
function unmarked(spec: FlowSpec): unknown {
  return JSON.parse(JSON.stringify(spec, (key, value) => (key === 'isConfirmation' ? undefined : value)));
}
