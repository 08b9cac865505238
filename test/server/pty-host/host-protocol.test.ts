import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MplexError } from '../../../protocol/errors.ts';
import { FrameDecoder, FrameWriter, type HostFrame } from '../../../server/pty-host/host-frame.ts';
import {
  decodeReport,
  decodeRequest,
  encodeReport,
  encodeRequest,
  type HostReport,
  type HostRequest,
} from '../../../server/pty-host/host-protocol.ts';

const u16 = fc.nat(0xffff);
const u32 = fc.nat(0xffffffff);
const offset = fc.nat(Number.MAX_SAFE_INTEGER);
const pane = u32;
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const bytes = fc.uint8Array({ maxLength: 40 }).map((value) => Buffer.from(value));
const size = fc.record({ cols: u16, rows: u16, pixelWidth: u16, pixelHeight: u16 });

function kind<T extends string>(value: T): fc.Arbitrary<T> {
  return fc.constant(value);
}

const requests: fc.Arbitrary<HostRequest> = fc.oneof(
  fc.record({ kind: kind('hello'), major: u16, minor: u16, pid: u32 }),
  fc.record({ kind: kind('spawn'), pane, argv: fc.array(text), env: fc.array(text), cwd: text, size }),
  fc.record({ kind: kind('write'), pane, bytes }),
  fc.record({ kind: kind('resize'), pane, size }),
  fc.record({ kind: kind('kill'), pane, signal: text }),
  fc.record({ kind: kind('pace'), pane, isHidden: fc.boolean() }),
  fc.record({ kind: kind('ack'), pane, consumedTo: offset, releasedTo: offset }),
  fc.record({ kind: kind('close'), pane }),
  fc.record({ kind: kind('quit') }),
  fc.record({ kind: kind('list') }),
  fc.record({ kind: kind('attach'), pane, from: offset }),
  fc.record({ kind: kind('handled'), pane, to: offset, input: bytes }),
  fc.record({ kind: kind('stage'), key: text, bytes }),
  fc.record({ kind: kind('drop'), key: text }),
  fc.record({ kind: kind('commit') }),
  fc.record({ kind: kind('restore-socket') }),
  fc.record({ kind: kind('load') }),
  fc.record({ kind: kind('catch-up') }),
  fc.record({ kind: kind('restart-command'), argv: fc.array(text) }),
);

const info = fc.record({
  id: u32,
  pid: u32,
  tty: text,
  size,
  consumedTo: offset,
  releasedTo: offset,
  handledTo: offset,
  end: offset,
  exited: fc.boolean(),
});

const reports: fc.Arbitrary<HostReport> = fc.oneof(
  fc.record({ kind: kind('hello'), major: u16, minor: u16, pid: u32 }),
  fc.record({ kind: kind('spawned'), pane, pid: u32, tty: text }),
  fc.record({ kind: kind('spawn-failed'), pane, message: text }),
  fc.record({ kind: kind('data'), pane, offset, bytes }),
  fc.record({ kind: kind('exit'), pane, code: fc.option(fc.integer({ min: 0, max: 255 })), signal: fc.constant(null) }),
  fc.record({ kind: kind('exit'), pane, code: fc.constant(null), signal: fc.constant('SIGHUP') }),
  fc.record({ kind: kind('panes'), panes: fc.array(info, { maxLength: 5 }) }),
  fc.record({ kind: kind('input-full'), pane, refused: u32 }),
  fc.record({ kind: kind('input-drain'), pane }),
  fc.record({ kind: kind('replaced') }),
  fc.record({ kind: kind('blob'), key: text, bytes }),
  fc.record({ kind: kind('loaded') }),
  fc.record({ kind: kind('caught-up') }),
);

function frameIn(encoded: Buffer): HostFrame {
  const [frame, ...more] = new FrameDecoder().push(encoded);
  expect(more).toEqual([]);
  return frame!;
}

describe('the pty host protocol', () => {
  it('gives back every request', () => {
    fc.assert(
      fc.property(requests, (request) => {
        expect(decodeRequest(frameIn(encodeRequest(request)))).toEqual(request);
      }),
    );
  });

  it('gives back every report', () => {
    fc.assert(
      fc.property(reports, (report) => {
        expect(decodeReport(frameIn(encodeReport(report)))).toEqual(report);
      }),
    );
  });

  it('fails on arbitrary bytes with a protocol error alone', () => {
    fc.assert(
      fc.property(fc.nat(255), pane, bytes, (type, id, payload) => {
        for (const decode of [decodeRequest, decodeReport]) {
          try {
            decode({ type, pane: id, payload });
          } catch (error) {
            expect(error).toBeInstanceOf(MplexError);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('ignores fields that a newer peer has added at the end', () => {
    const frame = frameIn(encodeReport({ kind: 'spawned', pane: 3, pid: 7, tty: '/dev/pts/1' }));
    const longer = { ...frame, payload: Buffer.concat([frame.payload, Buffer.from('more')]) };
    expect(decodeReport(longer)).toEqual({ kind: 'spawned', pane: 3, pid: 7, tty: '/dev/pts/1' });
  });

  it('does not know the types of the other direction or of a newer peer', () => {
    expect(decodeRequest(frameIn(encodeReport({ kind: 'replaced' })))).toBeUndefined();
    expect(decodeReport(frameIn(encodeRequest({ kind: 'quit' })))).toBeUndefined();
    expect(decodeRequest({ type: 200, pane: 0, payload: Buffer.alloc(0) })).toBeUndefined();
  });

  it('refuses a hello without the magic', () => {
    const frame = frameIn(new FrameWriter().bytes(Buffer.from('HTTP/1.1 400')).finish(0, 0));
    expect(() => decodeRequest(frame)).toThrow('pty host: bad magic in hello');
  });
});
