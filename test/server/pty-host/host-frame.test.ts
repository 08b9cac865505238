import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MplexError } from '../../../protocol/errors.ts';
import { FieldReader, FrameDecoder, FrameWriter, type HostFrame } from '../../../server/pty-host/host-frame.ts';

function frameOf(payload: Buffer): HostFrame {
  return { type: 5, pane: 1, payload };
}

describe('FrameDecoder', () => {
  const frames = fc.array(
    fc.record({ type: fc.nat(255), pane: fc.nat(0xffffffff), payload: fc.uint8Array({ maxLength: 60 }) }),
    { maxLength: 12 },
  );

  it('gives the same frames for any chunking', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(40), { minLength: 1, maxLength: 60 }), (wanted, cuts) => {
        const stream = Buffer.concat(
          wanted.map((frame) => new FrameWriter().bytes(frame.payload).finish(frame.type, frame.pane)),
        );
        const decoder = new FrameDecoder();
        const got: HostFrame[] = [];
        let at = 0;
        for (let i = 0; at < stream.length; i++) {
          const size = Math.max(cuts[i % cuts.length] ?? 1, i % 3);
          got.push(...decoder.push(stream.subarray(at, at + size)));
          at += size;
        }
        expect(got.map((frame) => ({ ...frame, payload: [...frame.payload] }))).toEqual(
          wanted.map((frame) => ({ ...frame, payload: [...frame.payload] })),
        );
      }),
    );
  });

  it('refuses a length above the limit before the bytes have come', () => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(0xffffffff);
    expect(() => new FrameDecoder().push(header)).toThrow('pty host: bad frame length: 4294967295');
    header.writeUInt32BE(101);
    expect(() => new FrameDecoder(100).push(header)).toThrow(MplexError);
  });

  it('refuses a length that has no room for the type and the pane', () => {
    expect(() => new FrameDecoder().push(Buffer.from([0, 0, 0, 4, 1, 0, 0, 0]))).toThrow('bad frame length: 4');
  });
});

describe('FieldReader', () => {
  it('reads back every kind of field', () => {
    const frame = new FrameWriter()
      .u8(200)
      .u16(65535)
      .u32(0xffffffff)
      .i32(-1)
      .u64(Number.MAX_SAFE_INTEGER)
      .string('né\0')
      .strings(['a', ''])
      .bytes(Buffer.from('rest'))
      .finish(1, 2);
    const [decoded] = new FrameDecoder().push(frame);
    const reader = new FieldReader(decoded!);
    expect([reader.u8(), reader.u16(), reader.u32(), reader.i32(), reader.u64()]).toEqual([
      200,
      65535,
      0xffffffff,
      -1,
      Number.MAX_SAFE_INTEGER,
    ]);
    expect(reader.string()).toBe('né\0');
    expect(reader.strings()).toEqual(['a', '']);
    expect(reader.rest().toString()).toBe('rest');
  });

  it('refuses to read beyond the payload', () => {
    for (const read of ['u8', 'u16', 'u32', 'i32', 'u64', 'string', 'strings'] as const) {
      expect(() => new FieldReader(frameOf(Buffer.alloc(0)))[read]()).toThrow('frame type 5 is too short: 0 bytes');
    }
  });

  it('refuses a string or a list that claims more than there is', () => {
    expect(() => new FieldReader(frameOf(Buffer.from([0, 0, 0, 5, 65]))).string()).toThrow('too short');
    expect(() => new FieldReader(frameOf(Buffer.from([0xff, 0xff, 0xff, 0xff]))).strings()).toThrow('too short');
  });

  it('refuses an offset that a number cannot hold exactly', () => {
    expect(() => new FieldReader(frameOf(Buffer.alloc(8, 0xff))).u64()).toThrow('offset too large in frame type 5');
  });
});
