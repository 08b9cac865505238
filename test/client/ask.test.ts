import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAsk } from '../../client/ask.ts';
import { parseAskArgs } from '../../client/ask-options.ts';
import { ControlConnection } from '../../server/control-connection.ts';
import { checkSpec } from '../../src/flow/spec.ts';
import { type FakeClient, FlowWorld } from '../support/flow-world.ts';

/** A real control socket in front of a flow queue whose clients are made of nothing. */
class AskWorld extends FlowWorld {
  readonly directory = mkdtempSync(join(tmpdir(), 'ask-'));
  readonly path = join(this.directory, 'default.ctl');
  readonly lines: string[] = [];
  #server: Server | undefined;
  #heard = () => {};
  #drop = () => {};

  async listen(): Promise<void> {
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
    await new Promise<void>((resolve) => this.#server?.listen(this.path, resolve));
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
  readonly signal: (signal: 'SIGINT' | 'SIGTERM') => void;
  output(): { stdout: string; stderr: string };
}

let world: AskWorld;
beforeEach(async () => {
  world = new AskWorld();
  await world.listen();
});
afterEach(() => world.close());

/** Standard input of the next call. */
const stdin = '';

function ask(
  argv: readonly string[],
  env: Record<string, string> = { MPLEX_PANE: '%1' },
  path = world.path,
  clock = REAL_CLOCK,
): Run {
  const written = { stdout: '', stderr: '' };
  let handler: (signal: 'SIGINT' | 'SIGTERM') => void = () => {};
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
    expect(await answer(['--confirm', 'Sure?'], 'Enter')).toEqual({ code: 0, stdout: '', stderr: '' });
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
    [['--confirm', 'Sure?'], 'j Enter', 1, { status: 'done', answers: { answer: false }, action: null }],
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
    [['--nope', 'Q'], "Unknown option '--nope'"],
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
      expect(call !== 'help' && call.source.kind === 'quick' && checkSpec(call.source.spec)).toMatchObject({
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
