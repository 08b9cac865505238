import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blankRow, CELL_WORDS, COLOR_PALETTE256, DEFAULT_STYLE, type Row, setCell } from '../../../protocol/cell.ts';
import { MplexError } from '../../../protocol/errors.ts';
import { ByteReader, ByteWriter } from '../../../server/terminal/byte-stream.ts';
import { packRow, unpackRow } from '../../../server/terminal/row-codec.ts';
import { arbitraryFrame } from '../../support/arbitrary-frame.ts';

function pack(row: Row, isWrapped = false): Buffer {
  const writer = new ByteWriter();
  packRow(writer, row, isWrapped);
  return writer.finish();
}

function plain(row: Row): object {
  return {
    words: [...row.words],
    clusters: [...(row.clusters ?? [])].sort(([a], [b]) => a - b),
    extended: [...(row.extended ?? [])].sort(([a], [b]) => a - b),
  };
}

function textRow(text: string, style = (_: number) => DEFAULT_STYLE): Row {
  const row = blankRow(80);
  for (const [x, char] of [...text].entries()) setCell(row, x, char, 1, style(x));
  return row;
}

describe('packed rows', () => {
  it('come back as they were, whatever is in them', () => {
    fc.assert(
      fc.property(arbitraryFrame({ cols: 20, rows: 3 }), fc.boolean(), (frame, isWrapped) => {
        for (const row of frame.rows) {
          const cols = row.words.length / CELL_WORDS;
          const reader = new ByteReader(pack(row, isWrapped));
          const back = unpackRow(reader, cols);
          expect(reader.left).toBe(0);
          expect(back.isWrapped).toBe(isWrapped);
          expect(plain(back.row)).toEqual(plain(row));
        }
      }),
    );
  });

  it('take a byte a cell for plain text and six at most when every cell has colours of its own', () => {
    expect(pack(blankRow(80))).toHaveLength(2);
    expect(pack(textRow('x'.repeat(80)))).toHaveLength(82);
    const colourful = textRow('x'.repeat(80), (x) => ({ fg: COLOR_PALETTE256 | x, bg: COLOR_PALETTE256 | (x + 1) }));
    expect(pack(colourful).length).toBeLessThanOrEqual(80 * 6 + 2);
  });

  it('fit another width: cut, or blank behind', () => {
    const bytes = pack(textRow('abcdef'));
    expect(plain(unpackRow(new ByteReader(bytes), 3).row)).toEqual(
      plain({ ...textRow('abc'), words: textRow('abc').words.slice(0, 9) }),
    );
    expect(unpackRow(new ByteReader(bytes), 100).row.words).toHaveLength(300);
  });

  it('fail on arbitrary bytes with a protocol error alone', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          unpackRow(new ByteReader(bytes), 20);
        } catch (error) {
          expect(error).toBeInstanceOf(MplexError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
