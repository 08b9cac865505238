import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Utf8Decoder } from '../../../server/terminal/utf8-decoder.ts';

function decode(bytes: Uint8Array, chunk: number): string {
  const decoder = new Utf8Decoder();
  let text = '';
  for (let i = 0; i < bytes.length; i += chunk) {
    const part = bytes.subarray(i, i + chunk);
    const target = new Uint32Array(part.length);
    const size = decoder.decode(part, target);
    text += String.fromCodePoint(...target.subarray(0, size));
  }
  return text;
}

/** Node's decoder, with what it cannot read left out. */
function reference(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replace(/[\ufffd\ufeff]/g, '');
}

describe('UTF-8', () => {
  it('is read the same however it is cut, also U+2014 behind its 0x80', () => {
    const bytes = Buffer.from('a—“é”日😀\u200d—');
    for (const chunk of [1, 2, 3, 4, 5, 100]) expect(decode(bytes, chunk)).toBe('a—“é”日😀\u200d—');
  });

  it('that is broken gives nothing for the broken part and all of the rest', () => {
    const bytes = Buffer.from(
      '\xf0\x80\x80\x80A\xed\xa0\x80B\xff\xfeC\xc0\xafD\xe2\x80E\xf4\x90\x80\x80F\xef\xbb\xbfG',
      'latin1',
    );
    for (const chunk of [1, 2, 3, 100]) expect(decode(bytes, chunk)).toBe('ABCDEFG');
  });

  it('is read as Node reads it, whatever the bytes', () => {
    const nearUtf8 = fc
      .array(
        fc.constantFrom(0x41, 0x80, 0x9b, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff),
      )
      .map((bytes) => Uint8Array.from(bytes));
    fc.assert(
      fc.property(
        fc.oneof(
          nearUtf8,
          fc.uint8Array(),
          fc.string({ unit: 'binary' }).map((s) => Buffer.from(s)),
        ),
        fc.integer({ min: 1, max: 7 }),
        (bytes, chunk) => {
          expect(decode(bytes, chunk)).toBe(reference(bytes));
        },
      ),
      { numRuns: 500 },
    );
  });
});
