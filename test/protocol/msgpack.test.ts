import fc from 'fast-check';
import { Packr } from 'msgpackr/pack';
import { describe, expect, it } from 'vitest';
import { DEPTH_MAX, readMsgpack, writeMsgpack } from '../../protocol/msgpack.ts';

/** Another's, to write with and to read with. */
const packr = new Packr({ useRecords: false, variableMapSize: true, mapsAsObjects: true, int64AsType: 'number' });

const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ maxLength: 40 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);
/** Keys that msgpackr leaves as they are. */
const key = fc.string().filter((name) => name !== '__proto__');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, leaf, fc.array(tie('value'), { maxLength: 20 }), fc.dictionary(key, tie('value'))),
}));

/** -0 is 0, and an object without a prototype one like others. */
function plain(of: unknown): unknown {
  if (of === 0) return 0;
  if (Array.isArray(of)) return of.map(plain);
  if (of instanceof Uint8Array || typeof of !== 'object' || of === null) return of;
  return Object.fromEntries(Object.entries(of).map(([name, field]) => [name, plain(field)]));
}

describe('writeMsgpack', () => {
  it('writes what reads back, here and elsewhere', () => {
    fc.assert(
      fc.property(value, (written) => {
        const bytes = writeMsgpack(written);
        expect(plain(readMsgpack(bytes))).toEqual(plain(written));
        expect(plain(packr.unpack(bytes))).toEqual(plain(written));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x100,
    0xffff,
    0x1_0000,
    0xffff_ffff,
    0x1_0000_0000,
    -1,
    -0x20,
    -0x21,
    -0x80,
    -0x81,
    -0x8000,
    -0x8001,
    -0x8000_0000,
    -0x8000_0001,
    0.5,
    Number.MAX_SAFE_INTEGER,
    Number.POSITIVE_INFINITY,
  ])('writes the number %d', (number) => {
    expect(readMsgpack(writeMsgpack(number))).toBe(number);
    expect(packr.unpack(writeMsgpack(number))).toBe(number);
  });

  it.each([0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536])('writes what has %d parts', (count) => {
    const whole = [
      'x'.repeat(count),
      'é'.repeat(count),
      Buffer.alloc(count, 7),
      Array.from({ length: count }, (_, i) => i),
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])),
    ];
    expect(readMsgpack(writeMsgpack(whole))).toEqual(whole);
    expect(packr.unpack(writeMsgpack(whole))).toEqual(whole);
  });

  it('leaves room before the value, and writes undefined as nil', () => {
    expect([...writeMsgpack([undefined, 'a'], 5).subarray(5)]).toEqual([0x92, 0xc0, 0xa1, 0x61]);
  });

  it('gives each message memory of its own', () => {
    const first = writeMsgpack('first');
    writeMsgpack('other');
    expect(readMsgpack(first)).toBe('first');
  });

  it.each([
    ['a function', () => {}],
    ['a big number', 1n],
    ['a map', new Map()],
    ['a date', new Date(0)],
  ])('refuses %s, and goes on', (_, odd) => {
    expect(() => writeMsgpack([odd])).toThrow(TypeError);
    expect(readMsgpack(writeMsgpack('next'))).toBe('next');
  });
});

describe('readMsgpack', () => {
  it.each<[string, number[] | Buffer, string]>([
    ['nothing', [], 'cut short'],
    ['an extension (fixext 1)', [0xd4, 0x00, 0x00], 'type 0xd4'],
    ['an extension (ext 8)', [0xc7, 0x01, 0x78, 0x00], 'type 0xc7'],
    ['the type that is never used', [0xc1], 'type 0xc1'],
    ['a string cut short', [0xa5, 0x61], 'cut short'],
    ['a number cut short', [0xcd, 0x61], 'cut short'],
    ['bytes cut short', [0xc6, 0xff, 0xff, 0xff, 0xff], 'cut short'],
    ['a length cut short', [0xc5, 0xff], 'cut short'],
    ['an array that announces too much', [0xdd, 0xff, 0xff, 0xff, 0xff], 'cut short'],
    ['a map that announces too much', [0xdf, 0xff, 0xff, 0xff, 0xff], 'cut short'],
    ['a map with a number for a key', [0x81, 0x01, 0x02], 'key'],
    ['a second value', [0xc0, 0xc0], 'more than one'],
    ['depth', Buffer.alloc(100, 0x91), 'too deep'],
  ])('refuses %s', (_, bytes, why) => {
    expect(() => readMsgpack(Buffer.from(bytes))).toThrow(why);
  });

  it('takes values in each other as deep as they may be', () => {
    expect(() => readMsgpack(Buffer.concat([Buffer.alloc(DEPTH_MAX, 0x91), Buffer.from([1])]))).not.toThrow();
  });

  it('refuses 16 MB of nested arrays at their beginning', () => {
    expect(() => readMsgpack(Buffer.alloc(16 << 20, 0x91))).toThrow('too deep');
  });

  it('reads what msgpackr writes of plain data', () => {
    fc.assert(
      fc.property(value, (written) => {
        expect(plain(readMsgpack(packr.pack(written)))).toEqual(plain(written));
      }),
      { numRuns: 500 },
    );
  });

  it('reads all widths of numbers', () => {
    const bytes = [
      0x96, 0xca, 0x3f, 0, 0, 0, 0xcf, 0, 0, 0, 1, 0, 0, 0, 0, 0xd3, 255, 255, 255, 255, 255, 255, 255, 254,
    ];
    expect(readMsgpack(Buffer.from([...bytes, 0xd0, 0x80, 0xd1, 0x80, 0, 0xd2, 0x80, 0, 0, 0]))).toEqual([
      0.5,
      2 ** 32,
      -2,
      -0x80,
      -0x8000,
      -0x8000_0000,
    ]);
  });

  it('makes a property of __proto__, and no prototype', () => {
    const read = readMsgpack(Buffer.from([0x81, 0xa9, ...Buffer.from('__proto__'), 0x81, 0xa1, 0x78, 1]));
    expect(Object.keys(Object(read))).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('throws nothing but a protocol error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 80 }),
          value.map((of) => packr.pack(of).subarray(1)),
        ),
        (bytes) => {
          try {
            readMsgpack(bytes);
          } catch (error) {
            expect(error).toMatchObject({ code: 'protocol' });
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});
