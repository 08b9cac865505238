/** The command prompt, the hints after the prefix and the list of keys, at a terminal. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';

let world: World;
let client: TerminalProgram;

beforeEach(async () => {
  world = new World();
  client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', '-n', 'editor', 'echo ready; exec cat']);
  await client.until('ready');
  await world.output('set-option', '-s', 'escape-time', '10');
});

afterEach(() => world.close());

async function promptIs(text: string): Promise<void> {
  await client.until((rows) => rows[23] === text, { name: JSON.stringify(text) });
}

describe('the command prompt', () => {
  beforeEach(() => world.output('set-option', '-g', 'prefix-hints', 'off'));

  it.each([
    ['a command', 'rotate', ':rotate-window'],
    ['as far as commands agree', 'select-w', ':select-window'],
    ['an option', 'set -g status-left-l', ':set -g status-left-length'],
    ['a target', 'kill-session -t ma', ':kill-session -t main:'],
    ['a layout', 'select-layout ti', ':select-layout tiled'],
    ['a second command', 'list-keys ; rename-s', ':list-keys ; rename-session'],
  ])('Tab completes %s', async (_what, typed, wanted) => {
    client.press('C-b :');
    client.type(typed);
    await promptIs(`:${typed}`);
    client.press('Tab');
    await promptIs(wanted);
  });

  it('remembers what was entered, and brings it back with Up and Down', async () => {
    for (const name of ['one', 'two']) {
      client.press('C-b :');
      client.type(`rename-window ${name}\r`);
      await client.until(`0:${name}*`);
    }
    client.press('C-b : Up');
    await promptIs(':rename-window two');
    client.press('Up');
    await promptIs(':rename-window one');
    client.press('Down');
    await promptIs(':rename-window two');
    client.press('Up Enter');
    await client.until('0:one*');
  });

  it('tells what is wrong with a command', async () => {
    client.press('C-b :');
    client.type('no-such-command\r');
    await client.until(/[uU]nknown command: no-such-command/);
  });

  it('asks before it runs what is to be confirmed', async () => {
    client.press('C-b :');
    client.type("confirm-before -p 'Really? ' 'rename-window sure'\r");
    await client.until('Really?');
    client.press('n');
    await client.until((rows) => rows[23]?.includes('0:editor*') ?? false);
    client.press('C-b : Up Enter');
    await client.until('Really?');
    client.press('y');
    await client.until('0:sure*');
  });
});

describe('what is typed ahead', () => {
  it('is for the prompt or the menu that a command opens, and what is left of it for the pane', async () => {
    client.press('C-b :');
    client.type("confirm-before -p 'Sure? ' 'rename-window ahead'\ryfirst\r");
    await client.until('0:ahead*');
    await client.until(/^first$/m);
    client.press('C-b :');
    client.type("display-menu -x 0 -y 9 Other o 'rename-window menu'\rosecond\r");
    await client.until('0:menu*');
    await client.until(/^second$/m);
    client.press('C-b :');
    client.type("command-prompt -p one,two 'rename-window %1-%2'\ra\rb\rthird\r");
    await client.until('0:a-b*');
    await client.until(/^third$/m);
    expect(client.screen.text()).not.toMatch(/[yo](first|second)/);
  });
});

describe('hints after the prefix', () => {
  it('show after a pause what can come next, take no key, and are off in one line of config', async () => {
    client.press('C-b');
    await client.until('Split window horizonta');
    client.press('c');
    await client.until('1:');
    expect(client.screen.text()).not.toContain('Split window');
    await world.output('set-option', '-g', 'prefix-hints', 'off');
    await world.output('set-option', '-g', 'prefix-hints-time', '1');
    client.press('C-b');
    // Many times prefix-hints-time: they would have been there.
    await world.output('run-shell', 'sleep 0.2');
    await client.screen.settled();
    expect(client.screen.text()).not.toContain('Split window');
    client.press('c');
    await client.until('2:');
  });
});

describe('the list of keys', () => {
  it('is narrowed by typing, does what a key does, and is closed by q', async () => {
    client.press('C-b ?');
    await client.until(/C-b C-o +Rotate through the panes/);
    client.press('/');
    client.type('split');
    await client.until((rows) => {
      const shown = rows.filter((row) => row.includes('C-b '));
      return shown.length === 2 && shown.every((row) => row.includes('Split window'));
    });
    client.press('Enter');
    await waitFor(async () => (await world.output('display-message', '-p', '#{window_panes}')) === '2', {
      name: 'two panes',
    });
    client.press('C-b ?');
    await client.until(/C-b C-o +Rotate through the panes/);
    client.press('q');
    await client.until((rows) => !rows.join().includes('Rotate through'), { name: 'no list' });
    client.type('typed');
    await client.until('typed');
  });
});

describe('the command palette', () => {
  it('has windows, keys and commands, and asks for the rest of a command', async () => {
    await world.output('new-session', '-d', '-s', 'aside', '-n', 'shell', 'cat');
    client.press('C-b Space');
    await client.until('mplex ·');
    client.type('aside shell');
    await client.until(/aside:0 shell +window/);
    client.press('C-u');
    client.type('zoom the');
    await client.until(/Zoom the active pane +C-b z/);
    client.press('C-u');
    client.type('rename-window');
    await client.until(/│ rename-window/);
    client.press('Enter');
    await promptIs(':rename-window');
    client.type('by-palette\r');
    await client.until('0:by-palette*');
  });
});
