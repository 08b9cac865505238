/** The client in a real terminal: whatever way it ends, the terminal is as it was. */
import { readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import type { IPty } from 'node-pty';
import { spawn } from 'node-pty';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { enterSequence, leaveSequence } from '../../../client/terminal/tty.ts';
import { DEFAULT_STYLE, setCell } from '../../../protocol/cell.ts';
import { diffFrames } from '../../../protocol/damage.ts';
import type { Frame } from '../../../protocol/frame.ts';
import { blankFrame } from '../../../protocol/frame.ts';
import type { InputEvent } from '../../../protocol/key.ts';
import { FakeServer } from '../../support/fake-server.ts';
import { firstLeak } from '../../support/output-grammar.ts';
import type { Screen } from '../../support/screen-of.ts';
import { feed, internalsOf, openScreen, screenText } from '../../support/screen-of.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SIZE = { cols: 60, rows: 12 };
let script: string;
/** Files that the bundled client is made of. */
let inputs: string[];
let server: FakeServer;
let pty: IPty | undefined;

beforeAll(async () => {
  const directory = resolve('node_modules/.cache/mplex-test');
  script = `${directory}/attach-program.mjs`;
  const own = `${directory}/attach-program-${process.pid}.mjs`;
  await mkdir(directory, { recursive: true });
  const { metafile } = await build({
    metafile: true,
    entryPoints: ['test/support/attach-program.ts'],
    outfile: own,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  inputs = Object.keys(metafile.inputs);
  await rename(own, script);
});

beforeEach(async () => {
  server = await FakeServer.open();
});

afterEach(() => {
  pty?.kill('SIGKILL');
  pty = undefined;
  server.close();
});

function textFrame(lines: readonly string[]): Frame {
  const frame = blankFrame(SIZE);
  for (const [y, line] of lines.entries()) {
    for (const [x, character] of [...line].entries()) setCell(frame.rows[y]!, x, character, 1, DEFAULT_STYLE);
  }
  return {
    ...frame,
    cursor: { ...frame.cursor, visible: true },
    modes: { mouse: 'drag', focus: true, keyFlags: 5, otherKeys: true },
  };
}

const blank = blankFrame({ cols: 1, rows: 1 });

interface Run {
  readonly pty: IPty;
  readonly screen: Screen;
  /** All that came out of the terminal. */
  readonly output: () => string;
  readonly text: () => string;
  readonly clientPid: () => number;
}

/** Runs the client from a shell that prints the terminal's settings before and after. */
async function runClient(wish = ''): Promise<Run> {
  // The shell stays: of a terminal whose programs have all ended node-pty drops what it has not read after 200 ms.
  const command = `stty -g; node ${script} ${server.path} ${wish}; echo "code=$?"; stty -g; exec cat`;
  const child = spawn('/bin/sh', ['-c', command], {
    ...SIZE,
    name: 'xterm-256color',
    env: { ...process.env, TERM: 'xterm-256color' },
  });
  pty = child;
  const screen = openScreen(SIZE);
  let output = '';
  child.onData((data) => {
    output += data;
    void feed(screen, data);
  });
  await waitUntil('the attach message', () => server.sent('attach').length === 1, { describe: () => output });
  const clientPid = () => Number(server.sent('attach')[0]?.token.replace('pid ', ''));
  return { pty: child, screen, output: () => output, text: () => screenText(screen).join('\n'), clientPid };
}

async function showFrame(run: Run): Promise<void> {
  server.send({ kind: 'frame', seq: 1, damage: diffFrames(blank, textFrame(['hello', 'world']))! });
  await waitUntil('the frame', () => run.text().startsWith('hello\nworld'), { describe: run.output });
}

async function expectRestored(run: Run, code: number): Promise<void> {
  const isOver = () => run.text().includes(`code=${code}`) && (run.output().match(/:[0-9a-f:]+\r/g)?.length ?? 0) >= 2;
  await waitUntil(`code=${code}`, isOver, { describe: run.output });
  const settings = run.output().match(/[0-9a-f]+:[0-9a-f:]+(?=\r)/g) ?? [];
  expect(settings).toHaveLength(2);
  expect(settings[1]).toBe(settings[0]);
  expect(run.screen.buffer.active.type).toBe('normal');
  expect(run.screen.modes).toMatchObject({
    applicationCursorKeysMode: false,
    applicationKeypadMode: false,
    bracketedPasteMode: false,
    mouseTrackingMode: 'none',
    sendFocusMode: false,
    wraparoundMode: true,
  });
  expect(internalsOf(run.screen).coreService.isCursorHidden).toBe(false);
}

describe('the client in a real terminal', () => {
  it('draws, takes keys raw, and restores everything when it is detached', async () => {
    const run = await runClient();
    await showFrame(run);
    run.pty.write('\x03\x1a\x11a');
    const keys = () => server.sent('input').flatMap((message) => message.events.map(keyOf));
    await waitUntil('the keys', () => keys().length === 4);
    expect(keys()).toEqual(['C-c', 'C-z', 'C-q', 'a']);
    server.send({ kind: 'exit', reason: { kind: 'detached', session: '0' } });
    await expectRestored(run, 0);
    expect(run.text()).toContain('[detached (from session 0)]\ncode=0');
    expect(run.text()).not.toContain('hello');
  });

  function keyOf(event: InputEvent): string {
    return event.kind === 'key' ? event.key : event.kind;
  }

  it('restores everything when the server is killed', async () => {
    const run = await runClient();
    await showFrame(run);
    server.dropClient();
    await expectRestored(run, 1);
    expect(run.text()).toContain('[server exited unexpectedly]');
  });

  it('restores everything on SIGTERM', async () => {
    const run = await runClient();
    await showFrame(run);
    process.kill(run.clientPid(), 'SIGTERM');
    await expectRestored(run, 1);
    expect(run.text()).toContain('[terminated]');
  });

  it('restores everything when it dies of a bug', async () => {
    const run = await runClient('bug');
    await showFrame(run);
    process.kill(run.clientPid(), 'SIGUSR1');
    await expectRestored(run, 1);
    expect(run.text()).toContain('Error: a bug');
  });

  it('ends when its terminal hangs up', async () => {
    const run = await runClient();
    await showFrame(run);
    run.pty.kill('SIGHUP');
    await waitUntil('the goodbye or the end', () => server.sent('bye').length === 1 || !server.isConnected);
    await waitUntil('the end of the process', () => !isAlive(run.clientPid()));
  });

  /** A zombie that its new parent has not collected yet is dead. */
  function isAlive(pid: number): boolean {
    try {
      return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    } catch {
      return false;
    }
  }

  it('follows the size of the terminal', async () => {
    const run = await runClient();
    await showFrame(run);
    run.pty.resize(40, 10);
    await waitUntil('the resize', () => server.sent('resize').length === 1);
    expect(server.sent('resize')[0]?.size).toEqual({ cols: 40, rows: 10 });
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await expectRestored(run, 0);
  });

  it('hears the server and signals though the terminal takes nothing, and draws the newest when it does', async () => {
    const run = await runClient();
    await showFrame(run);
    run.pty.pause();
    let last = textFrame(['hello', 'world']);
    let seq = 1;
    // Frames that differ everywhere, until the terminal is full and the acknowledgement stays away.
    for (let isFull = false; !isFull && seq < 2000; ) {
      const next = textFrame(Array.from({ length: SIZE.rows }, (_, y) => String((seq + y) % 10).repeat(SIZE.cols)));
      seq += 1;
      server.send({ kind: 'frame', seq, damage: diffFrames(last, next)! });
      last = next;
      const acked = () => server.sent('frame-ack').some((ack) => ack.seq === seq);
      isFull = await waitUntil('an acknowledgement', acked, { timeoutMs: 300 }).then(
        () => false,
        () => true,
      );
    }
    expect(seq).toBeLessThan(2000);
    run.pty.write('k');
    await waitUntil('a key while the terminal is stuck', () =>
      server.sent('input').some((message) => message.events.some((event) => keyOf(event) === 'k')),
    );
    const newest = textFrame(['newest']);
    server.send({ kind: 'frame', seq: seq + 1, damage: diffFrames(last, newest)! });
    run.pty.resume();
    await waitUntil('the newest frame', () => run.text().startsWith('newest'), { describe: run.text });
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await expectRestored(run, 0);
  });

  it('ends on SIGTERM though the terminal takes nothing', async () => {
    const run = await runClient();
    await showFrame(run);
    run.pty.pause();
    let last = textFrame(['']);
    for (let seq = 2; seq < 400; seq++) {
      const next = textFrame(Array.from({ length: SIZE.rows }, (_, y) => String((seq + y) % 10).repeat(SIZE.cols)));
      server.send({ kind: 'frame', seq, damage: diffFrames(last, next)! });
      last = next;
    }
    await waitUntil('some acknowledgements', () => server.sent('frame-ack').length > 1);
    process.kill(run.clientPid(), 'SIGTERM');
    await waitUntil('the goodbye', () => server.sent('bye').length === 1);
    run.pty.resume();
    await expectRestored(run, 1);
  });

  it('loads neither zod nor a terminal emulator nor node-pty', () => {
    expect(inputs).toContain('client/attach/attach.ts');
    expect(inputs.filter((path) => /node_modules\/(?:zod|@xterm\/headless|node-pty)\//.test(path))).toEqual([]);
  });

  it('is small', async () => {
    const run = await runClient();
    await showFrame(run);
    process.kill(run.clientPid(), 'SIGUSR2');
    await waitUntil('its size', () => /rss \d+/.test(run.output()));
    const rss = Number(/rss (\d+)/.exec(run.output())?.[1]);
    expect(rss).toBeLessThan(70);
    server.send({ kind: 'exit', reason: { kind: 'exited' } });
    await expectRestored(run, 0);
  });
});

describe('enterSequence and leaveSequence', () => {
  it('keep to the grammar on every terminal', () => {
    for (const term of ['xterm-256color', 'linux', 'vt100']) {
      expect(firstLeak(enterSequence(term) + leaveSequence(term))).toBeUndefined();
    }
  });

  it('send no string to a console that would print it', () => {
    expect(enterSequence('linux') + leaveSequence('linux')).not.toMatch(/\x1b\]|\x1b\[2[23];/);
  });
});
