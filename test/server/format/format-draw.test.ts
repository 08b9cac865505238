import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { blankRow, cellStyle, cellText, type Row, rowText, setCell } from '../../../protocol/cell.ts';
import { drawFormat } from '../../../server/format/format-draw.ts';
import { expandFormat, type FormatSource } from '../../../server/format/format-expand.ts';
import { DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE, parseStyle, textStyleToCell } from '../../../server/options/style.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';

const LIST =
  '#[list=on align=A]#[list=left-marker]<#[list=right-marker]>#[list=on]aaaa bbbb#[list=focus] CCCC#[list=on] dddd eeee#[nolist]';
const WIDE = LIST.replace('CCCC', '日本').replace('eeee', 'ééé');

/** Status formats without variables, drawn by both. */
const FORMATS = [
  'plain',
  'left#[align=right]right',
  'left#[align=centre]centre#[align=right]right',
  '#[align=centre]centre only that is long enough to be cut somewhere',
  'l#[align=absolute-centre]middle#[align=right]a longer right side',
  'left side long#[align=absolute-centre]mid#[align=centre]c#[align=right]r',
  'left#[align=right]right that is longer than all#[align=left]more left',
  '#[fg=red]red#[bg=blue]blue#[default]none#[bold]b#[nobold]n#[underscore,italics]ui#[none]x',
  '#[fg=red,push-default]a#[fg=blue]b#[default]c#[pop-default]d#[default]e',
  '#[fill=magenta]filled#[align=right]end',
  '#[bogus]x#[fg=nope]y#[fg=red bogus]z',
  '##[fg=red]a###[fg=red]b####[c#d##e###f',
  'a#',
  'tail##',
  '#[ignore]a#[fg=red]b##[c]',
  '日本語日本語#[align=right]日本語日本語#[align=centre]日本語',
  '#[fg=colour200,bg=#102030]rgb#[reverse]rev#[dim,strikethrough]ds#[blink]bl',
  '#[acs]qxlk#[noacs]q',
  'L#[align=right]R#[list=on align=left]list#[nolist]after',
  ...['left', 'centre', 'right', 'absolute-centre'].flatMap((align) => [
    `L1 ${LIST.replace('A]', `${align}]`)}#[align=${align}]after#[align=right]R1`,
    `left ${WIDE.replace('A]', `${align}]`)}#[align=centre]cc#[align=right]right`,
    `${LIST.replace('A]', `${align}]`)}`,
    `#[align=absolute-centre]abs#[align=left]l#[align=centre]c#[align=right]r${LIST.replace('A]', `${align}]`)}`,
    `l${LIST.replace('A]', `${align}]`).replace('#[list=focus]', '')}#[align=right]r`,
  ]),
  '#[list=on align=left]one#[nolist]two#[list=on]three#[nolist]four',
  '#[list=on align=left]aaaa#[list=focus]bb#[list=left-marker]<<#[list=on]cccc dddd eeee ffff#[nolist]x',
  '#[range=left]l#[norange]#[range=window|1]w1#[range=window|2]w2#[norange]x',
];
const WIDTHS = [80, 33, 20, 11];

/** What a row shows, a cell a term: text and look. */
function describeRow(row: Row): string[] {
  const cells: string[] = [];
  for (let x = 0; x < row.words.length / 3; x++) {
    const text = cellText(row, x);
    if (text === '') continue;
    const { fg, bg } = cellStyle(row, x);
    cells.push(`${text} ${(fg >>> 0).toString(16)} ${(bg >>> 0).toString(16)}`);
  }
  return cells;
}

/** The row that a line of `capture-pane -e` stands for. SGR is read through the style parser's own words. */
function rowFromCapture(line: string, width: number): Row {
  const row = blankRow(width);
  let style = DEFAULT_STYLE_VALUE;
  let x = 0;
  const apply = (text: string) => {
    style = parseStyle(text, style, DEFAULT_TEXT_STYLE) ?? style;
  };
  const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
  const words: Record<number, string> = {
    ...{
      0: 'none fg=default bg=default',
      1: 'bold',
      2: 'dim',
      3: 'italics',
      4: 'underscore',
      5: 'blink',
      7: 'reverse',
    },
    ...{ 8: 'hidden', 9: 'strikethrough', 53: 'overline', 39: 'fg=default', 49: 'bg=default' },
  };
  let acs = false;
  const acsMap: Record<string, string> = { q: '─', x: '│', l: '┌', k: '┐' };
  for (const token of line.match(/\u001b\[[\d;:]*m|\u000e|\u000f|[^\u001b\u000e\u000f]/gu) ?? []) {
    if (token === '\u000e') acs = true;
    else if (token === '\u000f') acs = false;
    else if (token.startsWith('\u001b')) {
      const codes = token.slice(2, -1).split(/[;:]/).map(Number);
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i] ?? 0;
        if (code === 38 || code === 48) {
          const side = code === 38 ? 'fg' : 'bg';
          if (codes[i + 1] === 5) apply(`${side}=colour${codes[i + 2]}`);
          else
            apply(
              `${side}=#${codes
                .slice(i + 2, i + 5)
                .map((value) => value.toString(16).padStart(2, '0'))
                .join('')}`,
            );
          i += codes[i + 1] === 5 ? 2 : 4;
        } else if (code >= 30 && code < 38) apply(`fg=${names[code - 30]}`);
        else if (code >= 40 && code < 48) apply(`bg=${names[code - 40]}`);
        else if (words[code]) apply(words[code]);
        else throw new Error(`SGR ${code} in ${JSON.stringify(line)}`);
      }
    } else {
      const wide = /[\u3000-\u9fff]/.test(token);
      setCell(row, x, acs ? (acsMap[token] ?? token) : token, wide ? 2 : 1, textStyleToCell(style));
      x += wide ? 2 : 1;
    }
  }
  return row;
}

const NO_SOURCE: FormatSource = {
  now: new Date(0),
  variable: () => undefined,
  loop: () => undefined,
  job: () => '',
  search: () => undefined,
  sessionNameExists: () => false,
  windowNameExists: () => undefined,
};
const base = { ...DEFAULT_TEXT_STYLE };

function drawn(text: string, width: number): Row {
  const row = blankRow(width);
  for (let x = 0; x < width; x++) setCell(row, x, ' ', 1, textStyleToCell(base));
  drawFormat(row, expandFormat(text, NO_SOURCE), { base, width });
  return row;
}

const inner = TmuxReference.start(['-x', '80', '-y', '10', 'sleep 1000']);
inner?.run('set', '-s', 'terminal-features[9]', 'tmux*:RGB:overline:strikethrough');
const outer = inner && TmuxReference.start(['-x', '80', '-y', '10', inner.attachCommand()]);
afterAll(() => {
  outer?.stop();
  inner?.stop();
});

describe.skipIf(!inner)('status formats compared with tmux 3.3a', () => {
  beforeAll(() => {
    inner?.run('set', '-g', 'status', '2', ';', 'set', '-g', 'status-style', 'default');
    outer?.run('set', '-g', 'status', 'off', ';', 'set', '-g', 'window-size', 'manual');
  });

  let marker = 0;
  it.each(WIDTHS)(
    'draws the same cells at width %i',
    async (width) => {
      outer?.run('resize-window', '-x', String(width), '-y', '10');
      const different: string[] = [];
      // A wide character cut in two shifts what tmux draws; here it is blank.
      for (const format of FORMATS.filter((text) => width > 11 || !text.includes('日'))) {
        const mark = `m${++marker}`;
        inner?.run('set', '-g', 'status-format[0]', format, ';', 'set', '-g', 'status-format[1]', mark);
        const plain = await vi.waitFor(
          () => {
            const lines = outer?.run('capture-pane', '-pe').out.split('\n') ?? [];
            const last = lines[9]?.replace(/\u001b\[[\d;:]*m/g, '').trim();
            if (last !== mark) throw new Error(`no ${mark} in the last row but ${last}: ${lines.join('\n')}`);
            return lines;
          },
          { timeout: 10_000, interval: 10 },
        );
        const theirs = rowFromCapture(plain[8] ?? '', width);
        const ours = drawn(format, width);
        const [a, b] = [trimBlank(describeRow(ours)), trimBlank(describeRow(theirs))];
        if (a.join('|') !== b.join('|')) {
          different.push(
            `${format}\n  ours   ${rowText(ours)}|\n  theirs ${rowText(theirs)}|\n${firstDifference(a, b)}`,
          );
        }
      }
      expect(different.join('\n')).toBe('');
    },
    60_000,
  );
});

/** capture-pane leaves trailing blanks out. */
function trimBlank(cells: string[]): string[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.startsWith('  ') && cells[end - 1]?.endsWith(' 0')) end--;
  return cells.slice(0, end);
}

function firstDifference(a: readonly string[], b: readonly string[]): string {
  const at = a.findIndex((cell, index) => cell !== b[index]);
  return `  cell ${at}: ${a[at]} / ${b[at]}`;
}

const shownText = (text: string, width: number) => rowText(drawn(text, width));

describe('drawing a format', () => {
  it('cuts the list round its focus and shows the markers where something is left out', () => {
    const list = '#[list=on align=left]#[list=left-marker]<#[list=right-marker]>#[list=on]';
    const windows = '0:a 1:b #[list=focus]2:c#[list=on] 3:d 4:e';
    expect(shownText(`${list}${windows}`, 30)).toBe('0:a 1:b 2:c 3:d 4:e           ');
    expect(shownText(`${list}${windows}`, 11)).toBe('<:b 2:c 3:>');
    expect(shownText(`${list}${windows.replace('#[list=focus]', '')}`, 11)).toBe('0:a 1:b 2:>');
  });

  it('gives the areas of the mouse where they were drawn, cut as the list was cut', () => {
    const list = '#[list=on align=left]#[list=left-marker]<#[list=right-marker]>#[list=on]';
    const windows = [0, 1, 2, 3].map((index) => {
      return `#[range=window|${index}${index === 2 ? ' list=focus' : ''}]${index}:name#[norange list=on] `;
    });
    const text = `#[range=left]L#[norange]${list}${windows.join('')}#[nolist align=right range=right]R#[norange]`;
    const row = blankRow(20);
    const ranges = drawFormat(row, text, { base, width: 20 });
    expect(rowText(row)).toBe('L<name 2:name 3:na>R');
    for (const { x, width, range } of ranges) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(20);
      if (range.kind === 'window' && range.index === 2) expect(rowText(row).slice(x, x + width)).toBe('2:name');
    }
    expect(ranges.map(({ range }) => range.kind)).toEqual(['left', 'window', 'window', 'window', 'right']);
  });

  it('shows what comes before an unclosed style, and drops control characters', () => {
    expect(shownText('x#[fg=red', 4)).toBe('x   ');
    expect(shownText('a\u001b[31m\u0007\u009bb', 8)).toBe('a[31mb  ');
  });

  it('leaves cells alone that nothing covers, and starts at a column if asked', () => {
    const row = blankRow(8);
    for (let x = 0; x < 8; x++) setCell(row, x, '-', 1, textStyleToCell(base));
    expect(drawFormat(row, '#[range=left]ab#[norange]#[align=right]c', { base, width: 5, x: 2 })).toEqual([
      { x: 2, width: 2, range: { kind: 'left' } },
    ]);
    expect(rowText(row)).toBe('--ab--c-');
  });

  it('never throws and stays inside its columns, whatever the text', () => {
    const piece = fc.oneof(
      fc.constantFrom('#[list=on]', '#[list=focus]', '#[nolist]', '#[list=left-marker]', '#[list=right-marker]', '##'),
      fc.constantFrom(
        '#[align=left]',
        '#[align=right]',
        '#[align=centre]',
        '#[align=absolute-centre]',
        '#[range=left]',
      ),
      fc.constantFrom(
        '#[range=window|3]',
        '#[norange]',
        '#[fill=red]',
        '#[push-default,fg=red]',
        '#[pop-default]',
        '#[',
      ),
      fc.constantFrom('日本', '👩‍👩‍👧', 'e\u0301', 'abc', ' ', '#', ']'),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 0, max: 40 }), (pieces, width) => {
        const row = blankRow(width + 2);
        for (const x of [0, width + 1]) setCell(row, x, '|', 1, textStyleToCell(base));
        const ranges = drawFormat(row, pieces.join(''), { base, width, x: 1 });
        expect(cellText(row, 0)).toBe('|');
        expect(cellText(row, width + 1)).toBe('|');
        for (const range of ranges)
          expect(range.x >= 1 && range.width > 0 && range.x + range.width <= width + 1).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
