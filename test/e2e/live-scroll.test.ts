/** Option live-scroll at a terminal: the wheel and S-PPage scroll a pane that stays live. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TerminalProgram, World } from '../support/program.ts';

let world: World;
let client: TerminalProgram;

beforeEach(async () => {
  world = new World();
  client = world.attach(['-f', '/dev/null', 'new-session', '-s', '0', 'seq 200; exec cat']);
  await client.until('200');
  await world.output('set-option', '-g', 'mouse', 'on', ';', 'set-option', '-g', 'live-scroll', 'on');
});

afterEach(() => world.close());

const top = (text: string) => (rows: string[]) => rows[0]?.startsWith(text) ?? false;

describe('with live-scroll on', () => {
  it('the wheel scrolls without a mode, typing goes to the program and returns to the bottom', async () => {
    client.mouse('press', { x: 5, y: 5 }, 64);
    await client.until('[5/178 live]');
    client.mouse('press', { x: 5, y: 5 }, 64);
    await client.until('[10/178 live]');
    await client.until(top('169'));
    expect(await world.output('display-message', '-p', '#{pane_in_mode}')).toBe('0');
    client.mouse('press', { x: 5, y: 5 }, 65);
    await client.until('[5/178 live]');
    client.type('typed\r');
    await client.until((rows) => !rows.join().includes('live]') && rows.filter((row) => row === 'typed').length === 2);
  });

  it('the view stays on its text while the program goes on', async () => {
    client.press('S-PPage');
    await client.until('[22/178 live]');
    await client.until((rows) => rows[1]?.trimEnd() === '158');
    await world.output('send-keys', 'one', 'Enter');
    await client.until('[24/180 live]');
    await client.until((rows) => rows[1]?.trimEnd() === '158');
    client.press('S-NPage');
    await client.until('[2/180 live]');
    client.press('S-NPage');
    await client.until((rows) => rows.filter((row) => row.trimEnd() === 'one').length === 2);
  });

  it('a drag selects what is seen there', async () => {
    client.mouse('press', { x: 5, y: 5 }, 64);
    await client.until('[5/178 live]');
    client.mouse('press', { x: 0, y: 3 });
    client.mouse('drag', { x: 3, y: 3 });
    await client.until('[5/178]');
    client.mouse('release', { x: 3, y: 3 });
    await client.until((rows) => !rows.join().includes('/178'));
    expect((await world.call(['show-buffer'])).stdout).toBe('177');
  });

  it('a program on the alternate screen gets S-PPage and, for the wheel, cursor keys', async () => {
    await world.output('respawn-pane', '-k', "stty raw -echo; printf '\\033[?1049hready'; exec cat -v");
    await client.until('ready');
    client.press('S-PPage');
    await client.until('^[[5;2~');
    client.mouse('press', { x: 5, y: 5 }, 64);
    await client.until('^[[A^[[A^[[A^[[A^[[A');
  });
});

it('without the option the wheel enters copy mode and S-PPage is the program’s', async () => {
  await world.output('set-option', '-g', 'live-scroll', 'off');
  client.press('S-PPage');
  await client.until('^[[5;2~');
  client.mouse('press', { x: 5, y: 5 }, 64);
  await client.until('[0/178]');
});
