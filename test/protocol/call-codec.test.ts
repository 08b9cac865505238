import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallMessage, RawFrame } from '../../protocol/call-codec.ts';
import { decodeCallMessage, encodeCallMessage, encodeFrame } from '../../protocol/call-codec.ts';
import { FrameDecoder } from '../../protocol/frame-decoder.ts';
import { CLIENT_FRAME_MAX, FRAME_TYPE } from '../../protocol/message.ts';

const text = fc.string({ unit: 'grapheme' });
const u16 = fc.nat(0xffff);
const u32 = fc.nat(0xffffffff);
const bytes = fc.uint8Array().map((array) => Buffer.from(array));
const terminal = fc.record({ size: fc.record({ cols: u16, rows: u16 }), tty: text, term: text });
const flags = fc.record({
  noStart: fc.boolean(),
  colors256: fc.boolean(),
  utf8: fc.boolean(),
  asTmux: fc.boolean(),
  control: fc.constantFrom(0 as const, 1 as const, 2 as const),
});

const message: fc.Arbitrary<CallMessage> = fc.oneof(
  fc.record({ kind: fc.constant('hello' as const), major: u16, minor: u16, pid: u32, version: text }),
  fc.record({
    kind: fc.constant('command' as const),
    argv: fc.array(text),
    cwd: text,
    environ: fc.array(text),
    pid: u32,
    terminal: fc.option(terminal, { nil: undefined }),
    flags,
  }),
  fc.record({ kind: fc.constant('handover' as const), token: text }),
  fc.record({ kind: fc.constantFrom('stdin' as const, 'stdout' as const, 'stderr' as const), bytes }),
  fc.record({ kind: fc.constantFrom('stdin-end' as const, 'want-stdin' as const) }),
  fc.record({ kind: fc.constant('exit-code' as const), code: fc.nat(255) }),
);

function decodeChunks(stream: Buffer, sizes: readonly number[], limit = CLIENT_FRAME_MAX): RawFrame[] {
  const decoder = new FrameDecoder(limit);
  const frames: RawFrame[] = [];
  let at = 0;
  for (const size of [...sizes, stream.length]) {
    if (at >= stream.length) break;
    frames.push(...decoder.push(Buffer.from(stream.subarray(at, at + size))));
    at += size;
  }
  return frames;
}

describe('the frames of a command call', () => {
  it('read back as what was written, in any chunks', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.integer({ min: 1, max: 40 })), (messages, sizes) => {
        const stream = Buffer.concat(messages.map(encodeCallMessage));
        expect(decodeChunks(stream, sizes).map(decodeCallMessage)).toEqual(messages);
      }),
      { numRuns: 300 },
    );
  });

  it('have the layout that the head of the file states', () => {
    const hello = encodeCallMessage({ kind: 'hello', major: 1, minor: 2, pid: 0x01020304, version: 'é' });
    expect(Buffer.from(hello).toString('hex')).toBe(`${'00000013'}00${'4d504c58'}00010002${'01020304'}00000002c3a9`);
    const call = encodeCallMessage({
      kind: 'command',
      argv: ['ls', ''],
      cwd: '/',
      environ: ['A=b'],
      pid: 5,
      terminal: { size: { cols: 80, rows: 24 }, tty: '/t', term: 'x' },
      flags: { noStart: true, colors256: false, utf8: true, asTmux: true, control: 2 },
    });
    const fields = [
      '01',
      '00000005',
      '2d',
      '00000001' + '2f',
      '00000002' + '00000002' + '6c73' + '00000000',
      '00000001' + '00000003' + '413d62',
      '01' + '0050' + '0018' + '00000002' + '2f74' + '00000001' + '78',
    ].join('');
    expect(Buffer.from(call).toString('hex').slice(8)).toBe(fields);
  });

  it('ignore what a later minor appends', () => {
    const hello = Buffer.from(encodeCallMessage({ kind: 'hello', major: 1, minor: 9, pid: 1, version: 'x' }));
    const frame = { type: FRAME_TYPE.hello, body: Buffer.concat([hello.subarray(5), Buffer.from('more')]) };
    expect(decodeCallMessage(frame)).toMatchObject({ kind: 'hello', minor: 9, version: 'x' });
  });

  it('never throw anything but a protocol error for any bytes', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.uint8Array({ maxLength: 60 }), (type, body) => {
        try {
          decodeCallMessage({ type, body });
        } catch (error) {
          expect(error).toMatchObject({ code: 'protocol' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('tell a stranger from mplex', () => {
    const frame = { type: FRAME_TYPE.hello, body: Buffer.from('TMUX00000000') };
    expect(() => decodeCallMessage(frame)).toThrow('peer is not mplex');
  });

  it('refuse a list that announces more than it has without allocating for it', () => {
    const body = Buffer.concat([Buffer.alloc(5), Buffer.from([0, 0, 0, 0]), Buffer.from([0xff, 0xff, 0xff, 0xff])]);
    expect(() => decodeCallMessage({ type: FRAME_TYPE.command, body })).toThrow('list too long');
  });
});

describe('FrameDecoder', () => {
  it('refuses a frame above its limit as soon as it sees the length, and everything after', () => {
    const decoder = new FrameDecoder(100);
    expect(() => decoder.push(Buffer.from([0xff, 0xff, 0xff, 0xff]))).toThrow('frame too long: 4294967295');
    expect(() => decoder.push(Buffer.from([0, 0, 0, 1, 7]))).toThrow('stream is broken');
  });

  it('takes a frame of exactly its limit', () => {
    const frame = Buffer.from(encodeFrame(9, Buffer.alloc(99)));
    expect(new FrameDecoder(100).push(frame)).toHaveLength(1);
    expect(() => new FrameDecoder(99).push(frame)).toThrow('frame too long');
  });

  it('refuses an empty frame', () => {
    expect(() => new FrameDecoder(100).push(Buffer.from([0, 0, 0, 0]))).toThrow('empty frame');
  });

  it('holds no more than twice what a slow peer has sent of a long frame', () => {
    const decoder = new FrameDecoder(1 << 20);
    decoder.push(Buffer.from([0, 0x0f, 0xff, 0xff]));
    for (let i = 0; i < 50_000; i++) decoder.push(Buffer.from([0]));
    expect(decoder.pending).toBe(50_004);
  });

  it('never throws anything but a protocol error for any stream', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 10 }), (chunks) => {
        const decoder = new FrameDecoder(64);
        try {
          for (const chunk of chunks) decoder.push(chunk);
        } catch (error) {
          expect(error).toMatchObject({ code: 'protocol' });
        }
      }),
      { numRuns: 1000 },
    );
  });
});
