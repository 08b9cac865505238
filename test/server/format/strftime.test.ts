import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatTime } from '../../../server/format/strftime.ts';

const SPECIFIERS = [...'aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%'].map((letter) => `%${letter}`);
const FORMATS = [
  ...SPECIFIERS,
  ...['%-d|%_d|%0e|%5d|%_5H|%-j|%^a|%^B|%#p|%#Z|%10A|%-10A|%010b|%Ey|%OH|%Ec|%E', '%Q|%K|%!|%', 'x%%y%%%H', '%5%|%-%'],
  '%H:%M %d-%b-%y',
];
const SECONDS = [
  0, 86_399, 951_782_400, 1_445_765_102, 1_230_768_000, 1_483_228_799, 1_609_459_200, 1_720_000_000, 4_102_444_800,
];
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];

const PROGRAM = `
import json, os, sys, time
request = json.load(sys.stdin)
result = []
for zone in request['zones']:
    os.environ['TZ'] = zone
    time.tzset()
    result.append([[time.strftime(f, time.localtime(s)) for f in request['formats']] for s in request['seconds']])
print(json.dumps(result))
`;
const request = { zones: ZONES, formats: FORMATS, seconds: SECONDS };
const python = spawnSync('python3', ['-c', PROGRAM], {
  encoding: 'utf8',
  input: JSON.stringify(request),
  env: { LC_ALL: 'C' },
});
if (python.status !== 0) console.log('no python3 here: comparison with strftime(3) left out');

const zoneBefore = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'UTC';
});
afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

describe.skipIf(python.status !== 0)('formatTime compared with strftime(3)', () => {
  it.each(ZONES.map((zone, index) => ({ zone, index })))('writes the same in $zone', ({ zone, index }) => {
    process.env.TZ = zone;
    const expected = (JSON.parse(python.stdout) as string[][][])[index] ?? [];
    SECONDS.forEach((seconds, row) => {
      const date = new Date(seconds * 1000);
      const ours = FORMATS.map((format) => `${seconds} ${format} => ${formatTime(format, date)}`);
      const theirs = FORMATS.map((format, column) => `${seconds} ${format} => ${expected[row]?.[column]}`);
      expect(ours).toEqual(theirs);
    });
  });
});

describe('formatTime', () => {
  it('leaves what it does not know alone and bounds widths', () => {
    const date = new Date(0);
    expect(formatTime('no conversion', date)).toBe('no conversion');
    expect(formatTime('%Q %', date)).toBe('%Q %');
    expect(formatTime('%99999999d', date).length).toBe(1024);
  });
});
