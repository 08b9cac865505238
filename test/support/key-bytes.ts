/** What a terminal sends for a key, by tmux's name of it: xterm's encodings with application cursor keys on. */

const CURSOR: Readonly<Record<string, string>> = { Up: 'A', Down: 'B', Right: 'C', Left: 'D', Home: 'H', End: 'F' };
const TILDE: Readonly<Record<string, number>> = { IC: 2, DC: 3, PPage: 5, NPage: 6, F5: 15, F6: 17, F12: 24 };
const FUNCTION: Readonly<Record<string, string>> = { F1: 'P', F2: 'Q', F3: 'R', F4: 'S' };
const NAMED: Readonly<Record<string, string>> = {
  Enter: '\r',
  Escape: '\x1b',
  Tab: '\t',
  BTab: '\x1b[Z',
  Space: ' ',
  BSpace: '\x7f',
};

export function keyBytes(name: string): string {
  const [, prefixes = '', key = name] = /^((?:[CMS]-)*)(.+)$/s.exec(name) ?? [];
  const has = (letter: string) => prefixes.includes(`${letter}-`);
  const modifiers = 1 + (has('S') ? 1 : 0) + (has('M') ? 2 : 0) + (has('C') ? 4 : 0);
  const cursor = CURSOR[key];
  if (cursor) return modifiers === 1 ? `\x1bO${cursor}` : `\x1b[1;${modifiers}${cursor}`;
  const letter = FUNCTION[key];
  if (letter) return modifiers === 1 ? `\x1bO${letter}` : `\x1b[1;${modifiers}${letter}`;
  const number = TILDE[key];
  if (number) return modifiers === 1 ? `\x1b[${number}~` : `\x1b[${number};${modifiers}~`;
  const meta = has('M') ? '\x1b' : '';
  const plain = NAMED[key] ?? key;
  return meta + (has('C') ? controlOf(plain) : plain);
}

function controlOf(character: string): string {
  if (character === ' ') return '\0';
  return String.fromCharCode(character.toUpperCase().charCodeAt(0) & 0x1f);
}
