import { describe, expect, it } from 'vitest';
import { blankRow, cellText } from '../../../../protocol/cell.ts';
import type { Pane } from '../../../../server/model/pane.ts';
import { ModelServer } from '../../../support/model-server.ts';

async function numbered(): Promise<{ server: ModelServer; pane: Pane; print: (text: string) => void }> {
  const server = new ModelServer({ defaultKeys: false });
  await server.run('new-session', '-d', '-x', '20', '-y', '6', 'cat');
  const pane = server.pane();
  const print = (text: string) => pane.emulator.write(Buffer.from(text));
  print(Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join('\r\n'));
  return { server, pane, print };
}

function shown(pane: Pane): string[] {
  return Array.from({ length: pane.size.rows }, (_, y) => {
    const row = blankRow(pane.size.cols);
    pane.drawRow(y, row);
    return Array.from({ length: pane.size.cols }, (_, x) => cellText(row, x))
      .join('')
      .trimEnd();
  });
}

describe('scroll-pane', () => {
  it('shows older lines with the distance, in no mode', async () => {
    const { server, pane } = await numbered();
    const { rows } = pane.size;
    await server.run('scroll-pane', '-U', '4');
    expect(shown(pane)[1]).toBe(`line ${30 - rows - 4 + 2}`);
    expect(shown(pane)[0]).toMatch(/^line \d+ +\[4\/\d+ live\]$/);
    expect(server.expand('#{pane_in_mode} #{scroll_position}', { pane })).toBe('0 4');
    await server.run('scroll-pane', '-D');
    expect(shown(pane).at(-1)).toBe('line 30');
    expect(server.expand('#{scroll_position}', { pane })).toBe('');
  });

  it('stays on its text while output goes on, and follows the oldest when that is dropped', async () => {
    const { server, pane, print } = await numbered();
    await server.run('scroll-pane', '-U', '4');
    const before = shown(pane).slice(1);
    for (let i = 0; i < 10; i++) print(`\r\nmore ${i}`);
    expect(shown(pane).slice(1)).toEqual(before);
    expect(pane.scroll.offset).toBe(14);
    pane.emulator.clearHistory();
    expect(pane.scroll.offset).toBe(0);
    expect(shown(pane).at(-1)).toBe('more 9');
  });

  it('goes no further than the oldest line, and -T and -B to the ends', async () => {
    const { server, pane } = await numbered();
    await server.run('scroll-pane', '-U', '999');
    expect(pane.scroll.offset).toBe(pane.emulator.historyLength);
    await server.run('scroll-pane', '-B');
    expect(pane.showsScreen).toBe(true);
    await server.run('scroll-pane', '-T');
    expect(shown(pane)[1]).toBe('line 2');
  });

  it('keeps the distance when the pane changes its size', async () => {
    const { server, pane } = await numbered();
    await server.run('scroll-pane', '-U', '4');
    await server.run('resize-window', '-x', '10', '-y', '4');
    expect(pane.scroll.offset).toBe(4);
    expect(shown(pane)).toHaveLength(pane.size.rows);
  });

  it('copy mode goes on from where the view is, and copy-mode -q returns to the bottom', async () => {
    const { server, pane } = await numbered();
    await server.run('scroll-pane', '-U', '4');
    await server.run('copy-mode');
    expect(server.expand('#{pane_mode} #{scroll_position}', { pane })).toBe('copy-mode 4');
    await server.run('copy-mode', '-q');
    expect(pane.showsScreen).toBe(true);
    await server.run('scroll-pane', '-U', '4');
    await server.run('copy-mode', '-q');
    expect(pane.showsScreen).toBe(true);
  });

  it('types cursor keys into a program on the alternate screen, which has nothing above it', async () => {
    const { server, pane, print } = await numbered();
    await server.run('scroll-pane', '-U', '4');
    print('\x1b[?1049h');
    expect(pane.showsScreen).toBe(true);
    await server.run('scroll-pane', '-U', '2');
    expect(server.asked).toEqual([
      { kind: 'key', pane, key: 'Up' },
      { kind: 'key', pane, key: 'Up' },
    ]);
  });

  it.each([
    [['scroll-pane'], 'a direction is needed: -U, -D, -T or -B\n'],
    [['scroll-pane', '-U', '0'], 'number of lines invalid: 0\n'],
    [['scroll-pane', '-U', 'x'], 'number of lines invalid: x\n'],
  ])('%j is refused', async (argv, message) => {
    const { server } = await numbered();
    expect((await server.run(...argv)).stderr).toBe(message);
  });
});
