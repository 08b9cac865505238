import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculate } from '../../../server/format/format-number.ts';

const printed = (value: string, precision: string) => calculate([value, '0'], { operator: '+', flags: 'f', precision });

describe('numbers with places', () => {
  it.each([
    ['-6.25', '1', '-6.2'],
    ['6.75', '1', '6.8'],
    ['0.5', '0', '0'],
    ['1.5', '0', '2'],
    ['2.5', '0', '2'],
    ['-2.5', '0', '-2'],
    ['0.125', '2', '0.12'],
    ['1.005', '2', '1.00'],
    ['2.675', '2', '2.67'],
    ['99999999.5', '0', '100000000'],
    ['1e22', '2', '10000000000000000000000.00'],
  ])('%s with %s is %s, an exact half as C rounds it: to the even digit', (value, places, expected) => {
    expect(printed(value, places)).toBe(expected);
  });

  it('are rounded as toFixed does where they are no exact half', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.integer({ min: 0, max: 6 }), (value, places) => {
        const scaled = value * 2 * 10 ** places;
        fc.pre(!Number.isInteger(scaled));
        expect(printed(String(value), String(places))).toBe(value.toFixed(places));
      }),
    );
  });
});
