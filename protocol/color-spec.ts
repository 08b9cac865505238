/** Colours as programs write and read them in OSC 4, 10, 11, 12 (XParseColor: `rgb:r/g/b`, `#rgb` and X11's names). */
import { grayPercent, x11Color } from './color-names.ts';

/** 0xRRGGBB of a specification, or undefined. */
export function parseColorSpec(text: string): number | undefined {
  const hash = /^#((?:[0-9a-f]{3}){1,4})$/i.exec(text);
  if (hash?.[1]) {
    const digits = hash[1].length / 3;
    // `#rgb` gives the most significant bits of each channel.
    return join3((channel) => high8(hash[1]?.slice(channel * digits, (channel + 1) * digits) ?? ''));
  }
  const slashed = /^rgb:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})$/i.exec(text);
  if (slashed) return join3((channel) => scale8(slashed[channel + 1] ?? ''));
  return namedColor(text);
}

function namedColor(text: string): number | undefined {
  const percent = /^gr[ae]y(\d{1,3})$/i.exec(text)?.[1];
  if (percent !== undefined) return Number(percent) <= 100 ? grayPercent(Number(percent)) : undefined;
  return x11Color(text);
}

function join3(channel: (index: number) => number): number {
  return (channel(0) << 16) | (channel(1) << 8) | channel(2);
}

function high8(digits: string): number {
  return Number.parseInt(digits.padEnd(2, '0').slice(0, 2), 16);
}

function scale8(digits: string): number {
  return Math.round((Number.parseInt(digits, 16) * 255) / (16 ** digits.length - 1));
}

/** `rgb:rrrr/gggg/bbbb`, as xterm answers. */
export function printColorSpec(color: number): string {
  const channel = (value: number) => value.toString(16).padStart(2, '0').repeat(2);
  return `rgb:${channel(color >> 16)}/${channel((color >> 8) & 0xff)}/${channel(color & 0xff)}`;
}

/** `#rrggbb`. */
export function printHexColor(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}
