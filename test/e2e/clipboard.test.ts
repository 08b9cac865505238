/** The clipboard at a terminal (OSC 52): set through nested multiplexers, told of truly, read only by option. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMAND, type TerminalProgram, World, waitFor } from '../support/program.ts';
import { hasTmux } from '../support/tmux-screen.ts';

const TEXT = 'héllo, outer clipboard';
const osc52 = (text: string, end = '\x1b\\') => `;${Buffer.from(text).toString('base64')}${end}`;

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.close());

/** Copies the first line of the pane in copy mode, as keys would, on a server of the world. */
async function copyLine(...server: string[]): Promise<void> {
  for (const words of [
    ['copy-mode'],
    ['send-keys', '-X', 'history-top'],
    ['send-keys', '-X', 'copy-line-and-cancel'],
  ]) {
    await world.output(...server, ...words);
  }
}

const inMplex = (...rest: string[]) => `exec ${[...COMMAND, '-L', 'inner', '-f', '/dev/null', ...rest].join(' ')}`;
const inner = ['new-session', '-s', 'in', `"printf '${TEXT}\\n'; exec cat"`];

describe('text that is copied', () => {
  it('goes to the terminal, and the person is told how much', async () => {
    const client = world.attach(['-f', '/dev/null', 'new-session', `printf '${TEXT}\\n'; exec cat`], {
      keepBytes: true,
    });
    await client.until(TEXT);
    await copyLine();
    await client.until(`Copied: sent to terminal, ${Buffer.byteLength(TEXT)} B`);
    expect(client.screen.bytes).toContain(`\x1b]52;${osc52(TEXT)}`);
    expect(await world.output('show-buffer')).toBe(TEXT);
  });

  it('does not go to a terminal that has no clipboard, and the person is told so', async () => {
    const options = { keepBytes: true, env: { TERM: 'linux' } };
    const client = world.attach(['-f', '/dev/null', 'new-session', `printf '${TEXT}\\n'; exec cat`], options);
    await client.until('outer clipboard');
    await copyLine();
    await client.until('Copied: terminal does not support the clipboard');
    expect(client.screen.bytes).not.toContain('\x1b]52;');
  });

  it('goes through an mplex outside that lets programs set the clipboard', async () => {
    const outer = world.attach(
      ['-f', '/dev/null', 'set-option', '-s', 'set-clipboard', 'on', ';', 'new-session', inMplex(...inner)],
      {
        keepBytes: true,
      },
    );
    await outer.until(TEXT);
    await copyLine('-L', 'inner');
    await outer.until('Copied: sent to mplex, ');
    await waitFor(() => outer.screen.bytes.includes(osc52(TEXT)), { name: 'OSC 52 at the terminal' });
    expect(await world.output('show-buffer')).toBe(TEXT);
    await world.output('-L', 'inner', 'kill-server');
  });

  it('is not said to be sent where the mplex outside does not take it', async () => {
    const outer = world.attach(['-f', '/dev/null', 'new-session', inMplex(...inner)], { keepBytes: true });
    await outer.until(TEXT);
    await copyLine('-L', 'inner');
    await outer.until("Copied: the mplex outside does not take it: its set-clipboard is not 'on'");
    expect(outer.screen.bytes).not.toContain(osc52(TEXT));
    await world.output('-L', 'inner', 'kill-server');
  });

  const tmuxWays: [string, string][] = [
    ['set-clipboard', 'on'],
    ['allow-passthrough', 'on'],
  ];
  it.skipIf(!hasTmux()).each(tmuxWays)('goes through tmux with %s %s', async (option, value) => {
    const tmux = ['tmux', '-L', `mplex-test-${process.pid}-${option}`, '-f', '/dev/null'];
    const flags = option === 'set-clipboard' ? ['-s'] : ['-gw'];
    const outer = world.run([...tmux, 'new-session', inMplex(...inner), ';', 'set-option', ...flags, option, value], {
      keepBytes: true,
      env: { LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' },
    });
    try {
      await outer.until(TEXT);
      await copyLine('-L', 'inner');
      await outer.until('Copied: sent to tmux, ');
      await waitFor(() => /\x1b\]52;/.test(outer.screen.bytes), { name: 'OSC 52 at the terminal' });
      expect(outer.screen.bytes).toContain(`;${Buffer.from(TEXT).toString('base64')}`);
    } finally {
      await world.output('-L', 'inner', 'kill-server');
      world.run([...tmux, 'kill-server']);
      await outer.exit;
    }
  });
});

describe('a program that asks for the clipboard', () => {
  let client: TerminalProgram;
  const heard = () => {
    const file = join(world.directory, 'heard');
    return existsSync(file) ? readFileSync(file, 'latin1') : '';
  };

  /** The answer to DA1 comes in any case, and after that of the clipboard if that is known at once. */
  async function ask(option: string): Promise<void> {
    client = world.attach(['-f', '/dev/null', 'new-session', 'cat'], { keepBytes: true });
    await client.until(/\[0\]/);
    await world.output('set-option', '-s', 'get-clipboard', option, ';', 'set-buffer', 'from a buffer');
    const program = `stty raw -echo; printf '\\033]52;c;?\\033\\134\\033[c'; exec cat >${world.directory}/heard`;
    await world.output('respawn-pane', '-k', program);
    await waitFor(() => heard().includes('\x1b[?1;2c'), { name: 'the answer to DA1' });
  }

  it('hears nothing by default', async () => {
    await ask('off');
    expect(heard()).toBe('\x1b[?1;2c');
    expect(client.screen.bytes).not.toContain('\x1b]52;');
  });

  it('gets the newest buffer with get-clipboard buffer', async () => {
    await ask('buffer');
    expect(heard()).toBe(`\x1b]52;c${osc52('from a buffer')}\x1b[?1;2c`);
    expect(client.screen.bytes).not.toContain('\x1b]52;');
  });

  it('gets what the terminal answers with get-clipboard request, and only then', async () => {
    await ask('request');
    await waitFor(() => client.screen.bytes.includes('\x1b]52;c;?\x1b\\'), { name: 'the question at the terminal' });
    client.type(`\x1b]52;c${osc52(TEXT)}\x1b]52;c${osc52('once more')}`);
    await waitFor(() => heard().includes(osc52(TEXT)), { name: 'the answer', onTimeout: heard });
    client.type('x');
    await waitFor(() => heard().endsWith('x'), { name: 'the key after it', onTimeout: heard });
    expect(heard()).toBe(`\x1b[?1;2c\x1b]52;c${osc52(TEXT)}x`);
  });
});
