import { describe, expect, it } from 'vitest';
import { OuterModes } from '../../../client/attach/outer-modes.ts';
import { CapabilityProbe } from '../../../client/terminal/capabilities.ts';
import type { TerminalCapabilities } from '../../../protocol/message.ts';

const unknown = new CapabilityProbe({ env: { TERM: 'xterm-256color' } }).capabilities;
const kitty: TerminalCapabilities = { ...unknown, extendedKeys: true, kittyKeys: true };
const xterm: TerminalCapabilities = { ...unknown, extendedKeys: true };
const BASE = { keyFlags: 5, otherKeys: false };

describe('what the terminal is told to tell', () => {
  it('is a level of the kitty protocol, changed in place and taken back once', () => {
    const modes = new OuterModes();
    expect(modes.update(BASE, kitty)).toBe('\x1b[>5u');
    expect(modes.update(BASE, kitty)).toBe('');
    expect(modes.update({ keyFlags: 31, otherKeys: true }, kitty)).toBe('\x1b[=31;1u');
    expect(modes.leave()).toBe('\x1b[<u');
    expect(modes.leave()).toBe('');
    expect(modes.update(BASE, kitty)).toBe('\x1b[>5u');
    expect(modes.update({ keyFlags: 0, otherKeys: false }, kitty)).toBe('\x1b[<u');
  });

  it('is modifyOtherKeys where only that is known, while it is wanted', () => {
    const modes = new OuterModes();
    expect(modes.update(BASE, xterm)).toBe('');
    expect(modes.update({ keyFlags: 5, otherKeys: true }, xterm)).toBe('\x1b[>4;2m');
    expect(modes.update({ keyFlags: 31, otherKeys: true }, xterm)).toBe('');
    expect(modes.leave()).toBe('\x1b[>4m');
  });

  it('is nothing for a terminal that knows neither, and for one of which neither is known yet', () => {
    const modes = new OuterModes();
    expect(modes.update({ keyFlags: 31, otherKeys: true }, unknown)).toBe('');
    expect(modes.leave()).toBe('');
    expect(modes.update(BASE, kitty)).toBe('\x1b[>5u');
  });

  it('changes over when an answer comes late', () => {
    const modes = new OuterModes();
    modes.update({ keyFlags: 5, otherKeys: true }, xterm);
    expect(modes.update({ keyFlags: 5, otherKeys: true }, kitty)).toBe('\x1b[>4m\x1b[>5u');
  });

  it('is the theme too, where DECSET 2031 is known', () => {
    const modes = new OuterModes();
    const themed = { ...unknown, themeReports: true };
    expect(modes.update(BASE, themed)).toBe('\x1b[?2031h');
    expect(modes.update(BASE, themed)).toBe('');
    expect(modes.leave()).toBe('\x1b[?2031l');
  });
});
