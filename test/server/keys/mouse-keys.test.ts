import { describe, expect, it } from 'vitest';
import { CLICK_MS, MouseKeys, type MousePlace } from '../../../server/keys/mouse-keys.ts';

const PLACE: MousePlace = { area: 'Pane', pane: undefined, winlink: undefined, x: 3, y: 4 };

function press(keys: MouseKeys, now: number, x = 3): string | undefined {
  const event = { kind: 'mouse', button: 'left', x, y: 4, ctrl: false, meta: false, shift: false } as const;
  const key = keys.name({ ...event, action: 'press' }, PLACE, now);
  keys.name({ ...event, action: 'release' }, PLACE, now);
  return key;
}

describe('clicks', () => {
  it('are told at once, a second one as such, and as a double click when no third follows', () => {
    const keys = new MouseKeys();
    expect(press(keys, 0)).toBe('MouseDown1Pane');
    expect(press(keys, 100)).toBe('SecondClick1Pane');
    expect(keys.pendingDoubleClick(150)).toBeUndefined();
    expect(keys.pendingDoubleClick(100 + CLICK_MS)?.key).toBe('DoubleClick1');
    expect(keys.pendingDoubleClick(900)).toBeUndefined();
  });

  it('are a double click also when the timer is a little early', () => {
    const keys = new MouseKeys();
    press(keys, 0);
    press(keys, 100);
    expect(keys.pendingDoubleClick(100 + CLICK_MS - 7)?.key).toBe('DoubleClick1');
  });

  it('three in a row are a triple click and no double one', () => {
    const keys = new MouseKeys();
    press(keys, 0);
    press(keys, 100);
    expect(press(keys, 200)).toBe('TripleClick1Pane');
    expect(keys.pendingDoubleClick(900)).toBeUndefined();
  });

  it('at another place or too late begin anew', () => {
    const keys = new MouseKeys();
    press(keys, 0);
    expect(press(keys, 100, 9)).toBe('MouseDown1Pane');
    expect(press(keys, 100 + CLICK_MS, 9)).toBe('MouseDown1Pane');
  });
});
