/** Modes, prompts, menus and lists that were open when the server was killed are open again under the next one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TerminalProgram, World, waitFor } from '../support/program.ts';
import { killServer, serverPid, untilBack } from '../support/survivor.ts';

let world: World;
let client: TerminalProgram;

const PROMPT = String.raw`\033]133;A\007$ \033]133;B\007`;
const OUTPUT = String.raw`ls\n\033]133;C\007one\ntwo\n\033]133;D;3\007`;

beforeEach(async () => {
  world = new World();
  const program = `seq 200; printf '${PROMPT}${OUTPUT}${PROMPT}'; exec cat`;
  client = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', '-n', 'first', program]);
  await client.until('two');
  await world.output('new-window', '-d', '-n', 'second', 'echo in the second; exec cat');
  await world.output('new-window', '-d', '-n', 'third', 'exec cat');
  await world.output('split-window', '-d', '-t', ':third', 'exec cat');
});

afterEach(() => world.close());

/** Kills the server and waits until the client shows what the next one draws. */
async function killAndComeBack(): Promise<void> {
  const before = serverPid(world);
  // Before a call gets its reply all is stored that was done.
  await world.output('display-message', '-p', 'stored');
  killServer(world);
  await untilBack(world, before);
  await world.output('set-option', '-g', 'status-right', `server ${serverPid(world)}`);
  await client.until(`server ${serverPid(world)}`);
}

/** The screen without the status line. */
const picture = () => client.screen.cells({ height: 23 });

/** What is on the screen is there after a kill too, and after another. */
async function expectSame(): Promise<void> {
  const before = picture();
  await killAndComeBack();
  await client.untilCells(before, { height: 23 });
  await killAndComeBack();
  await client.untilCells(before, { height: 23 });
}

/** Runs commands at the client's own prompt. */
function command(text: string): void {
  client.press('C-b :');
  client.type(`${text}\r`);
}

describe('after kill -9 of the server', () => {
  it('a view scrolled back without a mode is on its text', async () => {
    await world.output('set-option', '-g', 'live-scroll', 'on');
    client.press('S-PPage');
    await client.until(/\[22\/\d+ live\]/);
    await expectSame();
    client.press('x');
    await client.until((rows) => !rows.join('').includes('live]'));
    await killAndComeBack();
    await client.until((rows) => !rows.join('').includes('live]'));
  });

  it('exit codes that the shell told are known, also of a mode that is open', async () => {
    const exitStatus = async () => {
      await world.output('copy-mode');
      await world.output('send-keys', '-X', 'select-output');
      const status = await world.output('display-message', '-p', '#{selection_exit_status}');
      await world.output('send-keys', '-X', 'cancel');
      return status;
    };
    expect(await exitStatus()).toBe('3');
    await killAndComeBack();
    expect(await exitStatus()).toBe('3');
  });

  it('the output of a command is shown on the same lines, with what is selected in it', async () => {
    command('list-keys -T prefix');
    await client.until('bind-key');
    client.press('NPage NPage Up Up C-Space Down Right');
    const format = '#{pane_mode} #{scroll_position} #{copy_cursor_y} #{copy_cursor_line} #{selection_start_y}';
    await client.until(/\[\d+\/\d+\]/);
    const before = await world.output('display-message', '-p', format);
    expect(before).toMatch(/^view-mode \d+ /);
    await expectSame();
    expect(await world.output('display-message', '-p', format)).toBe(before);
    command('display-message -p appended ; set-option -g @done 1');
    await waitFor(async () => (await world.call(['show-options', '-gv', '@done'])).code === 0, { name: 'more output' });
    client.press('M->');
    await client.until('appended');
    client.press('q');
    await client.until('two');
  });

  it('a tree is on its line with its tags, what is open in it, its order and its filter', async () => {
    client.press('C-b w');
    await client.until('(sort: index)');
    client.press('Down Down t Right');
    await client.until('┌ 2 (sort');
    client.press('O');
    await client.until('(sort: name)');
    client.press('f');
    client.type('#{m:*i*,#{window_name}}\r');
    await client.until('filter: active');
    await client.until((rows) => !rows.some((row) => /\) .*second/.test(row)));
    await expectSame();
    expect(await world.output('display-message', '-p', '#{pane_mode}')).toBe('tree-mode');
    client.press('f C-u Enter');
    await client.until('second');
    client.press('q');
    await client.until('two');
  });

  it('a tree over the output of a command, in a zoomed pane, gives both back when it is left', async () => {
    await world.output('split-window', '-d', 'exec cat');
    command('show-options -g history-limit');
    await client.until('history-limit 2000');
    client.press('C-b s');
    await client.until('(sort: index)');
    await world.output('choose-tree', '-Z', '-t', ':third');
    await expectSame();
    expect(await world.output('display-message', '-p', '#{pane_mode}')).toBe('tree-mode');
    client.press('q');
    await client.until('history-limit 2000');
    expect(await world.output('display-message', '-p', '-t', ':third', '#{window_zoomed_flag}')).toBe('1');
    await world.output('send-keys', '-t', ':third', 'q');
    expect(await world.output('display-message', '-p', '-t', ':third', '#{window_zoomed_flag}')).toBe('0');
  });

  it('what was chosen in a list of buffers or clients, or in customize-mode, is what Enter takes', async () => {
    await world.output('set-buffer', '-b', 'aa', 'the first');
    await world.output('set-buffer', '-b', 'bb', 'the second');
    command('choose-buffer -O name "set-buffer -b chosen \'%%\'"');
    await client.until('(sort: name)');
    client.press('Down');
    await client.until((rows) => rows.some((row) => /┌ bb \(sort: name/.test(row)));
    await expectSame();
    client.press('Enter');
    await client.until('two');
    expect(await world.output('show-buffer', '-b', 'chosen')).toBe('bb');
    command('customize-mode');
    await client.until('Server Options');
    client.press('Down Down Right Down');
    await client.until('┌ cursor-colour');
    await expectSame();
    client.press('q');
    command('choose-client');
    await client.until('session main');
    await expectSame();
    client.press('q');
    command('clock-mode');
    await client.until((rows) => !rows.some((row) => row.includes('two')));
    await killAndComeBack();
    expect(await world.output('display-message', '-p', '#{pane_mode}')).toBe('clock-mode');
  });

  it('a prompt has what was typed and the answers before, and runs its command once', async () => {
    command("command-prompt -p 'one?,two?' \"set-option -ag @said '%1+%2 '\"");
    await client.until('one?');
    client.type('first\r');
    await client.until('two?');
    client.type('halfXed');
    client.press('Left Left BSpace');
    await client.until('two? halfed');
    await killAndComeBackAt('two? halfed');
    await killAndComeBackAt('two? halfed');
    client.type('-');
    await client.until('two? half-ed');
    client.press('Enter');
    await client.until((rows) => !rows.some((row) => row.includes('two?')));
    expect(await world.output('show-options', '-gv', '@said')).toBe('first+half-ed ');
  });

  it('a question whether to go on stays unanswered until it is answered', async () => {
    client.press('C-b &');
    await client.until('kill-window first? (y/n)');
    await killAndComeBackAt('kill-window first? (y/n)');
    expect(await world.output('list-windows', '-F', '#{window_name}')).toBe('first\nsecond\nthird');
    client.type('y');
    await client.until((rows) => !rows.some((row) => row.includes('(y/n)')));
    expect(await world.output('list-windows', '-F', '#{window_name}')).toBe('second\nthird');
  });

  it('what a list had asked is asked again, about the same item', async () => {
    client.press('C-b w');
    await client.until('(sort: index)');
    client.press('Down');
    await client.until('┌ 1 (sort');
    client.press('x');
    await client.until('Kill window 1?');
    await killAndComeBackAt('Kill window 1?');
    client.type('y');
    await client.until((rows) => !rows.some((row) => row.includes('Kill')));
    expect(await world.output('list-windows', '-F', '#{window_name}')).toBe('first\nthird');
  });

  it('a menu is on its item, and its commands are about what it was opened on', async () => {
    await world.output('set-option', '-g', 'mouse', 'on');
    command(
      "display-menu -T '#{window_name}' -x 5 -y 12 One a 'set -g @chosen 1' '#{window_name} #{pid}' b 'set -g @chosen \"#{pid} of #{window_name}\"' Three c ''",
    );
    await client.until('Three');
    const pid = serverPid(world);
    client.press('Down');
    const isOn = (item: string) => picture().some((row) => row.includes(`${item}<1:colour0 colour3>`));
    await client.until(() => isOn('b'), { name: 'the highlight on the second item' });
    await expectSame();
    client.press('Enter');
    await client.until((rows) => !rows.some((row) => row.includes('Three')));
    expect(await world.output('show-options', '-gv', '@chosen')).toBe(`${pid} of first`);
    // The menu of a window's name in the status line: its target is what the mouse was on.
    client.mouse('press', { x: 19, y: 23 }, 2);
    client.mouse('release', { x: 19, y: 23 }, 2);
    await client.until('Kill');
    await expectSame();
    client.press('X');
    await client.until((rows) => !rows.some((row) => row.includes('Kill')));
    expect(await world.output('list-windows', '-F', '#{window_name}')).toBe('first\nthird');
  });

  it('the palette and a search of panes have what was typed', async () => {
    client.press('C-b Space');
    await client.until('mplex');
    client.type('second');
    await client.until('> second');
    await client.until('mplex · 1 ');
    await expectSame();
    client.press('Enter');
    await client.until('in the second');
    client.press('C-b F');
    await client.until('(search panes)');
    client.type('tw');
    await client.until('(search panes) tw');
    await killAndComeBackAt('(search panes) tw');
    client.type('o\r');
    await client.until('two in main');
    await expectSame();
    client.press('Enter');
    await client.until('[0/');
  });
});

it('a job in flight at a kill runs on to its end, once, and nothing follows it', async () => {
  const file = join(world.directory, 'job');
  const go = join(world.directory, 'go');
  const job = `echo begun >> ${file}; while [ ! -e ${go} ]; do sleep 0.05; done; echo ended >> ${file}`;
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  command(`run-shell '${job}' ; set-option -g @followed 1`);
  await waitFor(() => lines() !== '', { name: 'the job' });
  await killAndComeBack();
  writeFileSync(go, '');
  await waitFor(() => lines().includes('ended'), { name: 'the end of the job' });
  await killAndComeBack();
  expect(lines()).toBe('begun\nended\n');
  expect((await world.call(['show-options', '-gv', '@followed'])).code).toBe(1);
});

/** A kill while a prompt has the status line: the client is back when the server says so. */
async function killAndComeBackAt(text: string): Promise<void> {
  const before = serverPid(world);
  killServer(world);
  await untilBack(world, before);
  await world.output('new-window', '-d', '-n', `of-${serverPid(world)}`);
  await world.output('kill-window', '-t', `of-${serverPid(world)}`);
  await client.until(text);
}
