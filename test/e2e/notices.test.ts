/** Notices of programs, and the theme, between a pane and a terminal that knows such things. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilWritten } from '../support/key-terminal.ts';
import { firstLeak } from '../support/output-grammar.ts';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';
import { leftovers } from '../support/terminal-modes.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

/** A terminal that calls itself by a name and answers about its theme. */
function attach(name: string, words: readonly string[]): TerminalProgram {
  const client = world.attach(['-f', '/dev/null', ...words], { keepBytes: true });
  const { parser } = client.screen.terminal;
  const answer = (text: string) => () => {
    client.type(text);
    return true;
  };
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, answer(`\x1bP>|${name}\x1b\\`));
  parser.registerCsiHandler({ prefix: '?', final: 'n' }, answer('\x1b[?997;1n'));
  parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, ({ 0: mode }) => {
    if (mode !== 2031) return false;
    client.type('\x1b[?2031;2$y');
    return true;
  });
  return client;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a notice of a program', () => {
  it('of a window in the background is a notice of the terminal, with the pane’s name', async () => {
    const client = attach('kitty(0.40)', ['new-session', '-s', 'work', 'cat']);
    await client.until('[work]');
    await world.output(
      'new-window',
      '-d',
      '-n',
      'agent',
      "printf '\\033]777;notify;Claude;all \\007done\\033\\\\'; cat",
    );
    await untilWritten(client, `p=title;${base64('work:1 agent: Claude')}`);
    await untilWritten(client, `p=body;${base64('all ')}`);
    await client.until(/1:agent!/);
    client.type('\x02d');
    await client.exit;
    expect(leftovers(client.screen.bytes)).toEqual([]);
    expect(firstLeak(client.screen.bytes)).toBeUndefined();
  });

  it('of the pane before the person’s eyes is told only while the terminal has not the focus', async () => {
    const client = attach('ghostty 1.2', ['new-session', '-s', 'work', '-n', 'agent', 'stty raw -echo; cat']);
    await client.until('[work]');
    await untilWritten(client, '\x1b[?1004h');
    // The program prints what it is sent; a key that is seen says that the focus before it was heard of.
    const focus = async (report: string, key: string) => {
      client.type(report + key);
      await client.until(key);
    };
    const notify = (text: string) => world.output('send-keys', '-l', `\x1b]9;${text}\x1b\\`);
    await focus('\x1b[O', 'away');
    await notify('one');
    await untilWritten(client, '\x1b]777;notify;work:0 agent;one\x1b\\');
    await focus('\x1b[I', 'back');
    await notify('two');
    // The next server knows where the focus is.
    const pid = await world.output('display-message', '-p', '#{pid}');
    process.kill(Number(pid), 'SIGKILL');
    await waitFor(async () => (await world.output('display-message', '-p', '#{pid}')) !== pid, { name: 'a server' });
    await notify('two again');
    await waitFor(async () => (await world.output('list-clients')) !== '', { name: 'the client' });
    await focus('', 'here');
    await focus('\x1b[O', 'gone');
    await notify('three');
    await untilWritten(client, 'three');
    expect(client.screen.bytes).not.toContain('two');
    expect(firstLeak(client.screen.bytes)).toBeUndefined();
  });

  it('is a bell where the terminal shows none, and nothing with pane-notify off', async () => {
    const client = attach('XTerm(390)', ['new-session', '-s', 'work', 'cat']);
    await client.until('[work]');
    const before = client.screen.bytes.length;
    await world.output('new-window', '-d', '-n', 'agent', "printf '\\033]9;done\\033\\\\'; cat");
    await untilWritten(client, '\x07', before);
    await world.output('set-option', '-g', 'pane-notify', 'off');
    const after = client.screen.bytes.length;
    await world.output('new-window', '-d', '-n', 'other', "printf '\\033]9;done\\033\\\\'; cat");
    await client.until(/2:other!/);
    expect(client.screen.bytes.slice(after)).not.toContain('\x07');
    expect(firstLeak(client.screen.bytes)).toBeUndefined();
  });
});

describe('the theme', () => {
  it('is told to a program that asks, and again when the terminal changes it', async () => {
    const client = attach('foot(1.20)', ['new-session', "stty raw -echo; printf 'ready '; exec cat -v"]);
    await client.until('ready');
    await untilWritten(client, '\x1b[?2031h');
    await waitFor(async () => (await world.output('display-message', '-p', '#{client_theme}')) === 'dark', {
      name: 'the theme',
    });
    await world.output('set-hook', '-g', 'client-light-theme', 'set-option -g @theme light');
    const ask = "stty raw -echo; printf '\\033[?996n\\033[?2031hready '; exec cat -v";
    await world.output('respawn-pane', '-k', ask);
    await client.until('ready ^[[?997;1n');
    client.type('\x1b[?997;2n');
    await client.until('^[[?997;1n^[[?997;2n');
    expect(await world.output('show-options', '-gv', '@theme')).toBe('light');
    client.type('\x02d');
    await client.exit;
    expect(leftovers(client.screen.bytes)).toEqual([]);
    expect(firstLeak(client.screen.bytes)).toBeUndefined();
  });
});
