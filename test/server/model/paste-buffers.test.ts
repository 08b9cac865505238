import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, contentOf, PasteBuffers } from '../../../server/model/paste-buffers.ts';

describe('what a paste buffer holds', () => {
  it('gives any bytes back as they were loaded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        expect(Buffer.from(bytesOf(contentOf(bytes)))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('keeps bytes beside the text only where the text does not tell them', () => {
    expect(contentOf(Buffer.from('ä😀\n'))).toEqual({ text: 'ä😀\n' });
    expect(contentOf(Buffer.from([0x61, 0xff]))).toEqual({ text: 'a\ufffd', raw: Buffer.from([0x61, 0xff]) });
  });

  it('forgets the bytes with the text that they were', () => {
    const buffers = new PasteBuffers(() => 0);
    buffers.set('one', contentOf(Buffer.from([0xff])));
    buffers.rename('one', 'two');
    expect(buffers.get('two')?.raw).toEqual(Buffer.from([0xff]));
    buffers.replace('two', 'text');
    expect(buffers.get('two')).toMatchObject({ text: 'text' });
    expect(buffers.get('two')?.raw).toBeUndefined();
  });
});
