import { describe, expect, it } from 'vitest';
import { KEYBOARD_STACK_MAX, KeyboardStack } from '../../../server/terminal/keyboard-stack.ts';
import { startEmulator } from './terminal-support.ts';

describe('what a program asks of the keyboard', () => {
  it('is kept for each of the two screens', () => {
    const { emulator, write } = startEmulator(20, 6);
    write('\x1b[>1u\x1b[?1049h');
    expect(emulator.modes.keyFlags).toBe(0);
    write('\x1b[>9u');
    expect(emulator.modes.keyFlags).toBe(9);
    write('\x1b[?1049l');
    expect(emulator.modes.keyFlags).toBe(1);
  });

  it.each(['\x1bc', '\x1b[!p'])('is forgotten with %j, on both screens', (reset) => {
    const { emulator, write } = startEmulator(20, 6);
    write(`\x1b[>1u\x1b[?1049h\x1b[>9u${reset}`);
    expect(emulator.modes.keyFlags).toBe(0);
    write('\x1b[?1049l');
    expect(emulator.modes.keyFlags).toBe(0);
  });

  it('is bounded: the oldest entry goes, and a million pushes are popped at once', () => {
    const stack = new KeyboardStack();
    for (let flags = 0; flags < 1_000_000; flags++) stack.push(flags % 32);
    expect(stack.saved).toHaveLength(KEYBOARD_STACK_MAX);
    stack.pop(KEYBOARD_STACK_MAX - 1);
    expect(stack.flags).toBe((1_000_000 - KEYBOARD_STACK_MAX) % 32);
    stack.pop(1);
    expect(stack.saved).toEqual([0]);
  });

  it('leaves the cursor where it is: CSI u alone restores it', () => {
    const { emulator, write } = startEmulator(20, 6);
    write('\x1b[3;3H\x1b[s\x1b[H\x1b[>1u\x1b[<u\x1b[=1u\x1b[?u');
    expect(emulator.cursor).toMatchObject({ x: 0, y: 0 });
    write('\x1b[u');
    expect(emulator.cursor).toMatchObject({ x: 2, y: 2 });
  });

  it('survives with the screen', () => {
    const first = startEmulator(20, 6);
    first.write('\x1b[>1u\x1b[>5u\x1b[?1049h\x1b[>8u\x1b[?2031h\x1b[?1016h');
    const { emulator } = first;
    const second = startEmulator(20, 6);
    second.emulator.restore({
      screen: emulator.packScreen(),
      history: emulator.historyChunks.map(({ pack }) => pack()),
      title: '',
      trimmed: 0,
      cutString: undefined,
    });
    expect(second.emulator.modes).toEqual(emulator.modes);
    expect(second.emulator.modes).toMatchObject({ keyFlags: 8, themeReports: true, mouseEncoding: 'sgr-pixels' });
    second.write('\x1b[?1049l\x1b[<u');
    expect(second.emulator.modes.keyFlags).toBe(1);
  });
});
