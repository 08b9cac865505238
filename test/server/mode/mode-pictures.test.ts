import { describe, expect, it } from 'vitest';
import { blankRow, cellStyle, rowText } from '../../../protocol/cell.ts';
import type { MouseState } from '../../../server/command/entries/context.ts';
import { openClockMode } from '../../../server/mode/clock-mode.ts';
import { CopyMode, openCopyMode } from '../../../server/mode/copy-mode.ts';
import { openViewMode } from '../../../server/mode/view-mode.ts';
import type { Pane } from '../../../server/model/pane.ts';
import { ModelServer } from '../../support/model-server.ts';

interface Desk {
  readonly server: ModelServer;
  readonly pane: Pane;
  emit(text: string): void;
  /** A command of the mode. */
  x(...words: string[]): Promise<void>;
  lines(): string[];
  value(format: string): Promise<string>;
}

async function started(size: { cols: number; rows: number }, lines: number): Promise<Desk> {
  const server = new ModelServer({ defaultKeys: false });
  await server.run('new-session', '-d', '-x', String(size.cols), '-y', String(size.rows), 'cat');
  const pane = server.pane();
  const emit = (text: string) => server.ptys.of(pane.id).emitData(text);
  emit(Array.from({ length: lines }, (_, i) => `row ${i}`).join('\r\n'));
  return {
    server,
    pane,
    emit,
    x: async (...words) => {
      await server.run('send-keys', '-X', ...words);
    },
    lines: () => Array.from({ length: pane.size.rows }, (_, y) => textOf(pane, y)),
    value: async (format) => (await server.run('display-message', '-p', format)).stdout.trimEnd(),
  };
}

function textOf(pane: Pane, y: number): string {
  const row = blankRow(pane.size.cols);
  pane.drawRow(y, row);
  return rowText(row).trimEnd();
}

/** The columns of a row whose background is not the default one. */
function colored(pane: Pane, y: number): number[] {
  const row = blankRow(pane.size.cols);
  pane.drawRow(y, row);
  return Array.from({ length: pane.size.cols }, (_, x) => x).filter((x) => cellStyle(row, x).bg !== 0);
}

describe('copy mode', () => {
  it('stays on its text while output goes on, and takes the new text with refresh-from-pane', async () => {
    const desk = await started({ cols: 20, rows: 4 }, 10);
    await desk.server.run('copy-mode', '-u');
    const before = desk.lines();
    expect(before).toEqual(['row 4          [2/6]', 'row 5', 'row 6', 'row 7']);
    desk.emit('\r\nnew\r\nlines\r\nmore');
    expect(desk.lines()).toEqual(before);
    await desk.x('refresh-from-pane');
    expect(desk.lines()[0]).toBe('row 7          [2/9]');
    await desk.x('cancel');
    expect(desk.lines()).toEqual(['row 9', 'new', 'lines', 'more']);
  });

  it('hides and shows the position', async () => {
    const desk = await started({ cols: 20, rows: 4 }, 10);
    await desk.server.run('copy-mode', '-H');
    expect(desk.lines()[0]).toBe('row 6');
    await desk.x('toggle-position');
    expect(desk.lines()[0]).toBe('row 6          [0/6]');
  });

  it('with -e is left by scrolling down to the end', async () => {
    const desk = await started({ cols: 20, rows: 4 }, 10);
    await desk.server.run('copy-mode', '-e');
    await desk.x('-N', '2', 'scroll-up');
    await desk.x('scroll-down');
    expect(desk.pane.mode?.name).toBe('copy-mode');
    await desk.x('scroll-down');
    expect(desk.pane.mode).toBeUndefined();
  });

  it('colours the selection, the matches and the marked line', async () => {
    const desk = await started({ cols: 30, rows: 4 }, 10);
    await desk.server.run('copy-mode', '-H');
    await desk.x('top-line');
    await desk.x('begin-selection');
    await desk.x('-N', '3', 'cursor-right');
    expect(colored(desk.pane, 0)).toEqual([0, 1, 2]);
    await desk.x('clear-selection');
    await desk.x('search-backward', 'ow 7');
    expect(colored(desk.pane, 1)).toEqual([1, 2, 3, 4]);
    await desk.x('toggle-position');
    expect(desk.lines()[0]).toBe('row 6        (1 results) [0/6]');
    await desk.x('set-mark');
    expect(colored(desk.pane, 1)).toHaveLength(30);
  });

  it('keeps the cursor on its character when the pane gets another width', async () => {
    const desk = await started({ cols: 20, rows: 4 }, 0);
    desk.emit('a long line of text that is wrapped twice by it');
    await desk.server.run('copy-mode');
    await desk.x('search-backward', 'wrapped');
    const word = () => desk.value('#{copy_cursor_word}');
    expect(await word()).toBe('wrapped');
    for (const cols of ['10', '47', '13', '20']) {
      await desk.server.run('resize-window', '-x', cols, '-y', '4');
      expect([cols, await word()]).toEqual([cols, 'wrapped']);
    }
  });

  it('selects by dragging the mouse and scrolls while it is held at the edge', async () => {
    const desk = await started({ cols: 20, rows: 4 }, 10);
    const { server, pane } = desk;
    const client = server.addClient(server.session(), { cols: 20, rows: 5 });
    await server.run('copy-mode');
    const event = { kind: 'mouse', action: 'motion', button: 'left', ctrl: false, meta: false, shift: false } as const;
    const mouse: MouseState = {
      pane,
      session: server.session(),
      winlink: undefined,
      x: 4,
      y: 2,
      isOnStatus: false,
      event: { ...event, x: 4, y: 2 },
    };
    await server.call(['send-keys', '-X', 'begin-selection'], { client, mouse });
    client.drag?.move(2, 1);
    expect(await desk.value('#{selection_start_x},#{selection_start_y} #{copy_cursor_x},#{copy_cursor_y}')).toBe(
      '4,8 2,1',
    );
    client.drag?.move(0, 0);
    server.clock.advance(120);
    expect(await desk.value('#{scroll_position}')).toBe('2');
    client.drag?.end(0, 0);
    server.clock.advance(500);
    expect(await desk.value('#{scroll_position}')).toBe('2');
    await desk.x('copy-selection');
    expect(server.registry.buffers.newest()?.text).toBe('row 4\nrow 5\nrow 6\nrow 7\nrow ');
  });

  it('selects the word under the cursor, else the one before, and whole lines', async () => {
    const desk = await started({ cols: 30, rows: 4 }, 0);
    desk.emit('one two-three  four');
    const copied = async (...commands: string[][]) => {
      await desk.server.run('copy-mode');
      for (const words of commands) await desk.x(...words);
      await desk.x('copy-selection-and-cancel');
      return desk.server.registry.buffers.newest()?.text;
    };
    expect(await copied(['top-line'], ['-N', '5', 'cursor-right'], ['select-word'])).toBe('two');
    expect(await copied(['top-line'], ['-N', '13', 'cursor-right'], ['select-word'])).toBe('three');
    expect(await copied(['top-line'], ['select-word'], ['-N', '5', 'cursor-right'])).toBe('one two-');
    expect(await copied(['top-line'], ['-N', '5', 'cursor-right'], ['select-line'])).toBe('one two-three  four');
    expect(await copied(['top-line'], ['begin-selection'], ['-N', '3', 'cursor-right'], ['other-end'])).toBe('one');
  });

  it('names buffers by a prefix, adds to the newest, and tells the terminals', async () => {
    const desk = await started({ cols: 20, rows: 4 }, 3);
    const { server } = desk;
    const client = server.addClient();
    await server.run('copy-mode');
    await desk.x('top-line');
    await desk.x('copy-line', 'mine');
    expect(server.registry.buffers.get('mine0')?.text).toBe('row 0');
    expect(server.sent.get(client)).toContainEqual({ kind: 'clipboard', selection: '', text: 'row 0' });
    await desk.x('select-line');
    await desk.x('append-selection');
    expect(server.registry.buffers.newest()?.text).toBe('row 0row 0');
  });

  it('gives copied text to a command', async () => {
    const desk = await started({ cols: 20, rows: 4 }, 3);
    await desk.server.run('copy-mode');
    await desk.x('top-line');
    await desk.x('copy-pipe-line', 'tmp=$(cat); test "$tmp" = "row 0"');
    expect(desk.server.registry.buffers.newest()?.text).toBe('row 0');
  });

  it('shows the text of another pane with -s', async () => {
    const desk = await started({ cols: 20, rows: 4 }, 10);
    await desk.server.run('split-window', '-h', 'cat');
    const other = desk.server.pane();
    await desk.server.run('copy-mode', '-H', '-s', `%${desk.pane.id}`);
    expect(textOf(other, 0)).toBe('row 6');
    expect(other.mode).toBeInstanceOf(CopyMode);
  });

  it('finds text across the break of a wrapped line', async () => {
    const desk = await started({ cols: 10, rows: 4 }, 0);
    desk.emit('abcdefg needle in hay');
    await desk.server.run('setw', 'mode-keys', 'vi');
    await desk.server.run('copy-mode', '-H');
    await desk.x('search-backward', 'needle');
    expect(await desk.value('#{copy_cursor_x},#{copy_cursor_y}')).toBe('8,0');
    expect([colored(desk.pane, 0), colored(desk.pane, 1)]).toEqual([
      [8, 9],
      [0, 1, 2, 3],
    ]);
  });

  it('takes a screen of 50,000 lines in less than half a second', async () => {
    const desk = await started({ cols: 80, rows: 24 }, 0);
    desk.pane.emulator.setScrollback(50_000);
    desk.pane.emulator.write(Buffer.from(`${'x'.repeat(60)}\r\n`.repeat(50_000)));
    const begin = performance.now();
    openCopyMode({ services: desk.server.services, pane: desk.pane });
    expect(performance.now() - begin).toBeLessThan(500);
  });
});

describe('view mode', () => {
  it('shows output from its start, with its styles, and adds to it', async () => {
    const desk = await started({ cols: 20, rows: 4 }, 10);
    const { services } = desk.server;
    openViewMode({ services, pane: desk.pane, text: 'one\n\x1b[41mtwo\x1b[0m\tx\nthree\nfour\nfive\n' });
    expect(desk.lines()).toEqual(['one            [1/1]', 'two     x', 'three', 'four']);
    expect(colored(desk.pane, 1)).toEqual([0, 1, 2]);
    openViewMode({ services, pane: desk.pane, text: 'six\n' });
    expect(desk.lines()[0]).toBe('one            [2/2]');
    expect(desk.pane.modes).toHaveLength(1);
    expect(await desk.value('#{pane_mode}')).toBe('view-mode');
    await desk.x('history-bottom');
    expect(desk.lines()).toEqual(['three          [0/2]', 'four', 'five', 'six']);
  });
});

describe('clock mode', () => {
  it('shows the time in large digits and is left by any key', async () => {
    const desk = await started({ cols: 30, rows: 8 }, 3);
    const { waiting } = desk.server.clock;
    openClockMode(desk.server.services, desk.pane);
    const picture = Array.from({ length: 8 }, (_, y) => colored(desk.pane, y).length > 0);
    expect(picture).toEqual([false, true, true, true, true, true, false, false]);
    desk.pane.mode?.key('x', undefined);
    expect(desk.pane.mode).toBeUndefined();
    expect(desk.server.clock.waiting).toBe(waiting);
  });

  it('falls back to text in a small pane', async () => {
    const desk = await started({ cols: 12, rows: 3 }, 0);
    await desk.server.run('setw', 'clock-mode-style', '12');
    openClockMode(desk.server.services, desk.pane);
    expect(desk.lines().join('')).toMatch(/^ *\d+:\d\d [AP]M *$/);
  });
});
