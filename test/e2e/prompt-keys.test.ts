/** The keys that go by the marks of shells (OSC 133), at a terminal. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';

const SHELL = String.raw`
p() { printf '\033]133;D;%s\007\033]133;A\007$ \033]133;B\007' "$1"; }
p 0; echo first; echo one; p 0; echo second; seq 100 150; p 42; exec cat`;

let world: World;
let client: TerminalProgram;

beforeEach(async () => {
  world = new World();
  client = world.attach(['-f', '/dev/null', 'new-session', '-s', '0', SHELL]);
  await client.until(/^150$/m);
});

afterEach(() => world.close());

it.each(['emacs', 'vi'])('go from prompt to prompt, and take the output of a command with %s keys', async (keys) => {
  await world.output('set-option', '-g', 'mode-keys', keys);
  client.press('C-b O');
  await client.until('(exit 42) [');
  client.press(keys === 'vi' ? 'Enter' : 'M-w');
  const numbers = Array.from({ length: 51 }, (_, i) => `${100 + i}`).join('\n');
  await waitFor(async () => (await world.call(['show-buffer'])).stdout.trimEnd() === numbers, { name: 'the output' });
  client.press('C-b [');
  await client.until('[0/');
  for (const expected of ['second', 'first']) {
    client.press('[');
    await waitFor(
      async () => (await world.output('display-message', '-p', '#{copy_cursor_line}')) === `$ ${expected}`,
      {
        name: expected,
      },
    );
  }
  client.press('[');
  await client.until('no prompt above that the shell has marked (OSC 133)');
  client.press(']');
  await waitFor(async () => (await world.output('display-message', '-p', '#{copy_cursor_line}')) === '$ second', {
    name: 'second again',
  });
  expect(await world.output('display-message', '-p', '#{pane_mode}')).toBe('copy-mode');
});

it('know the prompts of a real shell that marks their beginning alone', async () => {
  const shell = "PS1='\u001b]133;A\u0007$ ' exec sh -i";
  await world.output('new-window', shell);
  await client.until((rows) => rows[0] === '$');
  client.type('seq 3\r');
  await client.until((rows) => rows[4] === '$');
  client.type('echo second\r');
  await client.until((rows) => rows[6] === '$');
  client.press('C-b O M-w');
  await waitFor(async () => (await world.call(['show-buffer'])).stdout.trimEnd() === 'second', { name: 'the output' });
  client.press('C-b [ [ [');
  await waitFor(async () => (await world.output('display-message', '-p', '#{copy_cursor_line}')) === '$ seq 3', {
    name: 'the first prompt',
    onTimeout: () => client.screen.text(),
  });
});
