import fc from 'fast-check';
import { Packr } from 'msgpackr/pack';
import { describe, expect, it } from 'vitest';
import { FRAME_HEADER_SIZE } from '../../protocol/call-codec.ts';
import {
  decodeClientMessage,
  decodeServerMessage,
  encodeClientMessage,
  encodeServerMessage,
  INPUT_EVENTS_MAX,
  PASTE_TEXT_MAX,
} from '../../protocol/codec.ts';
import { type Damage, diffFrames } from '../../protocol/damage.ts';
import type { InputEvent, MouseButton } from '../../protocol/key.ts';
import type { ClientMessage, ServerMessage } from '../../protocol/message.ts';
import { CLIENT_FRAME_MAX, NO_ACK, NOTICE_KINDS } from '../../protocol/message.ts';
import { checkMsgpack } from '../../protocol/msgpack-guard.ts';
import { changesOf, FEATURE_BITS } from '../../protocol/terminal-features.ts';
import { arbitraryFrame, arbitraryFramePair } from '../support/arbitrary-frame.ts';

const bodyOf = (frame: Uint8Array) => frame.subarray(FRAME_HEADER_SIZE);
const size = fc.record({ cols: fc.integer({ min: 1, max: 1000 }), rows: fc.integer({ min: 1, max: 500 }) });
const seq = fc.nat();
const capabilities = fc.record({
  term: fc.string(),
  name: fc.string(),
  colors: fc.constantFrom(16 as const, 256 as const, 'rgb' as const),
  synchronizedOutput: fc.boolean(),
  styledUnderlines: fc.boolean(),
  hyperlinks: fc.boolean(),
  clipboard: fc.boolean(),
  extendedKeys: fc.boolean(),
  kittyKeys: fc.boolean(),
  themeReports: fc.boolean(),
  theme: fc.constantFrom('dark' as const, 'light' as const, undefined),
  foreground: fc.option(fc.nat(0xffffff), { nil: undefined }),
  background: fc.option(fc.nat(0xffffff), { nil: undefined }),
  cellPixels: fc.option(fc.record({ width: fc.integer({ min: 1, max: 100 }), height: fc.constant(20) }), {
    nil: undefined,
  }),
});
const event: fc.Arbitrary<InputEvent> = fc.oneof(
  fc.record({ kind: fc.constant('key' as const), key: fc.constantFrom('a', 'C-b', 'M-Left', '漢', 'Enter') }),
  fc.record({
    kind: fc.constant('key' as const),
    key: fc.constantFrom('a', 'S-Enter'),
    detail: fc.record({
      event: fc.constantFrom('press' as const, 'repeat' as const, 'release' as const),
      modifiers: fc.nat(255),
      code: fc.nat(0x10ffff),
      shifted: fc.nat(0x10ffff),
      base: fc.nat(0x10ffff),
      text: fc.string({ unit: 'grapheme', maxLength: 8 }),
    }),
  }),
  fc.record({
    kind: fc.constant('mouse' as const),
    action: fc.constantFrom('press' as const, 'release' as const, 'motion' as const),
    button: fc.constantFrom<MouseButton>('left', 'wheel-up', 'button-11', 'none'),
    x: fc.nat(999),
    y: fc.nat(499),
    ctrl: fc.boolean(),
    meta: fc.boolean(),
    shift: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('paste' as const), text: fc.string({ unit: 'grapheme' }) }),
  fc.record({ kind: fc.constant('focus' as const), focused: fc.boolean() }),
);
const clientMessage: fc.Arbitrary<ClientMessage> = fc.oneof(
  fc.record({ kind: fc.constant('attach' as const), token: fc.string(), size, capabilities }),
  fc.record({ kind: fc.constant('capabilities' as const), capabilities }),
  fc.record({ kind: fc.constant('input' as const), events: fc.array(event) }),
  fc.record({ kind: fc.constant('resize' as const), size }),
  fc.record({ kind: fc.constantFrom('frame-ack' as const, 'overlay-ack' as const), seq }),
  fc.record({ kind: fc.constant('clipboard-text' as const), serial: fc.nat(), text: fc.string({ unit: 'grapheme' }) }),
  fc.record({ kind: fc.constant('bye' as const) }),
);
const small = { cols: 9, rows: 5 };
const damage = fc.oneof(
  arbitraryFramePair(small).map(([a, b]) => diffFrames(a, b) ?? { rows: [] }),
  fc.tuple(arbitraryFrame(small), arbitraryFrame({ cols: 4, rows: 2 })).map(([a, b]) => diffFrames(a, b)!),
);
const word = fc.record({
  subject: fc.constantFrom(16 as const, 256 as const, 'rgb' as const, ...FEATURE_BITS),
  has: fc.boolean(),
});

const serverMessage: fc.Arbitrary<ServerMessage> = fc.oneof(
  fc.record({ kind: fc.constant('frame' as const), seq, damage }),
  fc.record({ kind: fc.constantFrom('bell' as const, 'suspend' as const) }),
  fc.record({ kind: fc.constant('clipboard' as const), selection: fc.constantFrom('', 'c', 'p'), text: fc.string() }),
  fc.record({ kind: fc.constant('exec' as const), shell: fc.string(), command: fc.string() }),
  fc.record({
    kind: fc.constant('pane-notice' as const),
    pane: fc.nat(),
    how: fc.constantFrom(...NOTICE_KINDS),
    title: fc.string(),
    body: fc.string(),
  }),
  fc.record({
    kind: fc.constant('settings' as const),
    escapeTimeMs: fc.nat(5000),
    features: fc.array(word).map(changesOf),
  }),
  fc.record({
    kind: fc.constant('notice' as const),
    serial: fc.nat(),
    how: fc.constantFrom(...NOTICE_KINDS),
    title: fc.string(),
    body: fc.string(),
  }),
  fc.record({ kind: fc.constantFrom('notice-end' as const, 'clipboard-read' as const), serial: fc.nat() }),
  fc.record({
    kind: fc.constant('exit' as const),
    reason: fc.oneof(
      fc.record({ kind: fc.constant('detached' as const), session: fc.string() }),
      fc.record({ kind: fc.constantFrom('exited' as const, 'server-exited' as const, 'terminated' as const) }),
      fc.record({ kind: fc.constant('error' as const), message: fc.string() }),
    ),
  }),
);

/** A plain msgpack value, for making messages that nobody should send. */
const packr = new Packr({ useRecords: false, variableMapSize: true });
const pack = (value: unknown) => packr.pack(value);

describe('packed messages', () => {
  it('read back as what a client wrote', () => {
    fc.assert(
      fc.property(clientMessage, (message) => {
        expect(decodeClientMessage(bodyOf(encodeClientMessage(message)))).toEqual(message);
      }),
      { numRuns: 400 },
    );
  });

  it('read back as what the server wrote', () => {
    fc.assert(
      fc.property(serverMessage, (message) => {
        expect(decodeServerMessage(bodyOf(encodeServerMessage(message)))).toEqual(message);
      }),
      { numRuns: 400 },
    );
  });

  it('are right for each of several clients that get the same damage under numbers of their own', () => {
    const shared: Damage = { rows: [], title: 'same' };
    for (const seq of [7, NO_ACK, 2 ** 31, NO_ACK, 1]) {
      const message = { kind: 'frame' as const, seq, damage: shared };
      expect(decodeServerMessage(bodyOf(encodeServerMessage(message)))).toEqual(message);
    }
  });

  it('carry overlays without their undefined properties', () => {
    const model = { kind: 'prompt', label: 'x', hint: undefined, nested: [{ a: 1, b: undefined }] };
    // Any plain data does: the codec does not look into models.
    const overlays = [model] as unknown as Extract<ServerMessage, { kind: 'overlay' }>['overlays'];
    const result = decodeServerMessage(bodyOf(encodeServerMessage({ kind: 'overlay', seq: 1, overlays })));
    expect(result).toStrictEqual({
      kind: 'overlay',
      seq: 1,
      overlays: [{ kind: 'prompt', label: 'x', nested: [{ a: 1 }] }],
    });
  });

  it('hold any number of keys and a paste of the largest size within the limit', () => {
    const events = Array.from({ length: INPUT_EVENTS_MAX }, () => ({ kind: 'key' as const, key: 'C-M-S-MouseDown1' }));
    expect(encodeClientMessage({ kind: 'input', events }).length).toBeLessThan(CLIENT_FRAME_MAX);
    const paste = { kind: 'paste' as const, text: '漢'.repeat(PASTE_TEXT_MAX) };
    expect(encodeClientMessage({ kind: 'input', events: [paste] }).length).toBeLessThan(CLIENT_FRAME_MAX);
  });

  it('are refused when a client would send more than it may', () => {
    const message: ClientMessage = { kind: 'input', events: [{ kind: 'paste', text: 'x'.repeat(CLIENT_FRAME_MAX) }] };
    expect(() => encodeClientMessage(message)).toThrow('too many');
  });

  it('keep a screenful small enough and encode it fast', () => {
    const frame = fc.sample(arbitraryFrame({ cols: 200, rows: 50 }), { numRuns: 1, seed: 1 })[0]!;
    const next = diffFrames({ ...frame, size: { cols: 1, rows: 1 } }, frame)!;
    expect(encodeServerMessage({ kind: 'frame', seq: 1, damage: next }).length).toBeLessThan(1 << 18);
  });

  it.each<[string, unknown]>([
    ['no list', 5],
    ['an empty list', []],
    ['an unknown number', [99]],
    ['a negative number', [-1]],
    ['a fraction', [0.5]],
    ['a missing token', [0]],
    ['a size of nothing', [3, [0, 0]]],
    ['a size above the limit', [3, [1001, 10]]],
    ['a size that is text', [3, ['80', '24']]],
    ['an event of an unknown kind', [2, [[9, 1]]]],
    ['an empty key', [2, ['']]],
    ['a key that is too long', [2, ['x'.repeat(65)]]],
    ['a mouse button that does not exist', [2, [[0, 0, 12, 1, 1, 0]]]],
    ['a sequence below zero', [4, -1]],
    ['a sequence that is not exact', [4, 2 ** 60]],
    ['a big number', [4, 2n ** 63n]],
    ['capabilities without colours', [1, ['x', 'y', 17, 0]]],
    ['nil', null],
    ['a map', { kind: 'bye' }],
    ['__proto__', JSON.parse('{"__proto__": {"x": 1}}')],
  ])('from a client are refused: %s', (_, value) => {
    expect(() => decodeClientMessage(pack(value))).toThrow('malformed message');
  });

  it.each<[string, unknown]>([
    ['half a cell', [0, 1, [null, null, [[0, 0, Buffer.alloc(7), null, null]], null, null, null]]],
    ['words that are text', [0, 1, [null, null, [[0, 0, 'abc', null, null]], null, null, null]]],
    [
      'a cluster at a column that does not exist',
      [0, 1, [null, null, [[0, 0, Buffer.alloc(0), [1000, 'x'], null]], null]],
    ],
    ['a run beyond the widest row', [0, 1, [null, null, [[0, 0, Buffer.alloc(0), null, [0, 1001, 1, 0, null, null]]]]]],
    ['a row below the highest screen', [0, 1, [null, null, [[500, 0, Buffer.alloc(0), null, null]], null, null, null]]],
    ['a cursor without a shape', [0, 1, [null, null, [], [0, 0, true, 9, true, null], null, null]]],
    ['an overlay without a kind', [1, 1, [{}]]],
    ['too many overlays', [1, 1, Array.from({ length: 65 }, () => ({ kind: 'prompt' }))]],
    ['a reason that does not exist', [6, 5, '']],
    ['an escape-time below zero', [7, -1]],
  ])('from a server are refused: %s', (_, value) => {
    expect(() => decodeServerMessage(pack(value))).toThrow('malformed message');
  });

  it('never make the decoder throw anything but a protocol error', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc
        .anything({ withDate: true, withMap: true, withSet: true, withTypedArray: true, withBigInt: true })
        .map(packSafely),
      fc.tuple(serverMessage, fc.nat(), fc.nat(255)).map(([message, at, byte]) => {
        const body = Buffer.from(bodyOf(encodeServerMessage(message)));
        body[at % body.length] = byte;
        return body;
      }),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        for (const decode of [decodeClientMessage, decodeServerMessage]) {
          try {
            decode(body);
          } catch (error) {
            expect(error).toMatchObject({ code: 'protocol' });
          }
        }
      }),
      { numRuns: 3000 },
    );
  });
});

function packSafely(value: unknown): Uint8Array {
  try {
    return pack(value);
  } catch {
    return Buffer.from([0xc0]);
  }
}

describe('checkMsgpack', () => {
  it.each<[string, number[] | Buffer, string]>([
    ['nothing', [], 'cut short'],
    ['an extension (fixext 1)', [0xd4, 0x00, 0x00], 'type 0xd4'],
    ['an extension (ext 8)', [0xc7, 0x01, 0x78, 0x00], 'type 0xc7'],
    ['the type that is never used', [0xc1], 'type 0xc1'],
    ['a string cut short', [0xa5, 0x61], 'cut short'],
    ['bytes cut short', [0xc6, 0xff, 0xff, 0xff, 0xff], 'cut short'],
    ['an array that announces too much', [0xdd, 0xff, 0xff, 0xff, 0xff], 'cut short'],
    ['a map that announces too much', [0xdf, 0xff, 0xff, 0xff, 0xff], 'cut short'],
    ['a map with a number for a key', [0x81, 0x01, 0x02], 'key'],
    ['a second value', [0xc0, 0xc0], 'more than one'],
    ['depth', Buffer.alloc(100, 0x91), 'too deep'],
  ])('refuses %s', (_, bytes, why) => {
    expect(() => checkMsgpack(Buffer.from(bytes))).toThrow(why);
  });

  it('looks through 16 MB of nested arrays in no time', () => {
    const start = performance.now();
    expect(() => checkMsgpack(Buffer.alloc(16 << 20, 0x91))).toThrow('too deep');
    expect(performance.now() - start).toBeLessThan(200);
  });

  it('accepts what msgpackr writes of plain data', () => {
    const plain = fc.jsonValue({ maxDepth: 6 });
    fc.assert(
      fc.property(plain, (value) => {
        checkMsgpack(pack(value));
      }),
      { numRuns: 500 },
    );
  });
});
