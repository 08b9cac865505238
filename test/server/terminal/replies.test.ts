import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../protocol/version.ts';
import type { HostTerminal } from '../../../server/terminal/replies.ts';
import { startEmulator } from './terminal-support.ts';

/** Everything that is answered, byte for byte. */
const ANSWERS: readonly (readonly [question: string, answer: string])[] = [
  ['\x1b[c', '\x1b[?1;2c'],
  ['\x1b[0c', '\x1b[?1;2c'],
  ['\x1b[>c', '\x1b[>84;0;0c'],
  ['\x1b[>0c', '\x1b[>84;0;0c'],
  ['\x1b[>q', `\x1bP>|mplex ${VERSION}\x1b\\`],
  ['\x1b[5n', '\x1b[0n'],
  ['\x1b[6n', '\x1b[1;1R'],
  ['\x1b[2;3H\x1b[6n', '\x1b[2;3R'],
  ['\x1b[?6n', '\x1b[?1;1R'],
  ['\x1b[18t', '\x1b[8;6;20t'],
  ['\x1b[?25$p', '\x1b[?25;1$y'],
  ['\x1b[?25l\x1b[?25$p', '\x1b[?25;2$y'],
  ['\x1b[?2026$p', '\x1b[?2026;2$y'],
  ['\x1b[?2026h\x1b[?2026$p', '\x1b[?2026;1$y'],
  ['\x1b[?2004h\x1b[?2004$p', '\x1b[?2004;1$y'],
  ['\x1b[?1004h\x1b[?1004$p', '\x1b[?1004;1$y'],
  ['\x1b[?1000h\x1b[?1000$p', '\x1b[?1000;1$y'],
  ['\x1b[?1006h\x1b[?1006$p', '\x1b[?1006;1$y'],
  ['\x1b[?1006$p', '\x1b[?1006;2$y'],
  ['\x1b[?1016h\x1b[?1016$p', '\x1b[?1016;1$y'],
  ['\x1b[?1016h\x1b[?1006h\x1b[?1016$p', '\x1b[?1016;2$y'],
  ['\x1b[14t', '\x1b[4;192;320t'],
  ['\x1b[16t', '\x1b[6;32;16t'],
  ['\x1b[?u', '\x1b[?0u'],
  ['\x1b[>5u\x1b[?u', '\x1b[?5u'],
  ['\x1b[>5u\x1b[>1u\x1b[<u\x1b[?u', '\x1b[?5u'],
  ['\x1b[=3u\x1b[=8;2u\x1b[=1;3u\x1b[?u', '\x1b[?10u'],
  ['\x1b[=3;1u\x1b[=7;9u\x1b[?u', '\x1b[?3u'],
  ['\x1b[>99999u\x1b[?u', '\x1b[?31u'],
  ['\x1b[>5u\x1b[<9u\x1b[?u', '\x1b[?0u'],
  ['\x1b[?4m', '\x1b[>4;0m'],
  ['\x1b[>4;2m\x1b[?4m', '\x1b[>4;2m'],
  ['\x1b[>4;2m\x1b[>4m\x1b[?4m', '\x1b[>4;0m'],
  ['\x1b[?2031$p', '\x1b[?2031;2$y'],
  ['\x1b[?2031h\x1b[?2031$p', '\x1b[?2031;1$y'],
  ['\x1b[?7$p', '\x1b[?7;1$y'],
  ['\x1b[?1049$p', '\x1b[?1049;2$y'],
  ['\x1b[?2027$p', '\x1b[?2027;0$y'],
  ['\x1b[4$p', '\x1b[4;2$y'],
  ['\x1b[20$p', '\x1b[20;0$y'],
  ['\x1bP$qm\x1b\\', '\x1bP1$r0m\x1b\\'],
  ['\x1b[1;31m\x1bP$qm\x1b\\', '\x1bP1$r0;1;31m\x1b\\'],
  ['\x1b[2;4r\x1bP$qr\x1b\\', '\x1bP1$r2;4r\x1b\\'],
  ['\x1b[5 q\x1bP$q q\x1b\\', '\x1bP1$r5 q\x1b\\'],
  ['\x1bP$q q\x1b\\', '\x1bP1$r0 q\x1b\\'],
  ['\x1bP$q;x\x1b\\', '\x1bP0$r\x1b\\'],
  ['\x1bP+q544e\x1b\\', '\x1bP0+r\x1b\\'],
  ['\x1b]4;16;?\x07', '\x1b]4;16;rgb:0000/0000/0000\x07'],
  ['\x1b]4;16;?\u009c\x07', '\x1b]4;16;rgb:0000/0000/0000\x1b\\'],
  ['\x1b]4;16;\x01?\x01\x07', '\x1b]4;16;rgb:0000/0000/0000\x07'],
  ['\x07\x1b]2;x\x07\x1b]4;16;?\x1b\\\x07', '\x1b]4;16;rgb:0000/0000/0000\x1b\\'],
  ['\x1b]4;1;#ff8000\x07\x1b]4;1;?\x1b\\', '\x1b]4;1;rgb:ffff/8080/0000\x1b\\'],
  ['\x1b]11;rgb:12/34/56\x07\x1b]11;?\x07', '\x1b]11;rgb:1212/3434/5656\x07'],
  ['\x1b]12;#010203\x07\x1b]12;?\x07', '\x1b]12;rgb:0101/0202/0303\x07'],
];

/** Questions whose answer would carry bytes of the asker, or that we know no answer to. */
const SILENCE = [
  '\x1b[20t',
  '\x1b]2;;touch /tmp/x;\x07\x1b[21t',
  '\x1b[11t\x1b[13t\x1b[15t\x1b[19t',
  '\x1b[1c',
  '\x1b[=c',
  '\x1bZ',
  '\x05',
  '\x1b[x\x1b[0x',
  '\x1b[1;1;1;1;1;1*y',
  '\x1b[?996n',
  '\x1b[?15n\x1b[?25n\x1b[?26n',
  '\x1b[?3m',
  '\x1b[99999999$p\x1b[?99999999$p',
  '\x1b]4;1;?\x07',
  '\x1b]10;?\x07\x1b]11;?\x07\x1b]12;?\x07',
  '\x1b]50;?\x07\x1b]l;x\x07\x1b]L;x\x07',
  '\x1b]52;c;?\x07\x1b]52;c;?\x1b\\',
  `\x1bP$q;touch /tmp/x\n${'y'.repeat(100)}\x1b\\`,
  '\x1b[?1;1;0S',
];

it('DA1 says that programs may set the clipboard, where they may', () => {
  const terminal = startEmulator(20, 6, { handlers: { takesClipboard: () => true } });
  terminal.write('\x1b[c');
  expect(terminal.replies).toEqual(['\x1b[?1;2;52c']);
});

describe('a question', () => {
  it.each(ANSWERS)('%j is answered with exactly %j', (question, answer) => {
    const terminal = startEmulator(20, 6);
    terminal.write(question);
    expect(terminal.replies).toEqual([answer]);
  });

  it.each(ANSWERS)('%j in the C1 spelling has the same answer', (question, answer) => {
    const terminal = startEmulator(20, 6);
    const c1 = question.replaceAll('\x1b[', '\u009b').replaceAll('\x1bP', '\u0090').replaceAll('\x1b]', '\u009d');
    for (const byte of Buffer.from(c1)) terminal.write(Uint8Array.of(byte));
    expect(terminal.replies).toEqual([answer]);
  });

  it.each(SILENCE)('%j is not answered', (question) => {
    const terminal = startEmulator(20, 6);
    terminal.write(question);
    expect(terminal.replies).toEqual([]);
  });

  it('about default colours is answered when those of the person’s terminal are known', () => {
    const terminal = startEmulator(20, 6, { host: () => ({ foreground: 0xd0d0d0, background: 0x101010 }) });
    terminal.write('\x1b]10;?;?\x07');
    expect(terminal.replies).toEqual(['\x1b]10;rgb:d0d0/d0d0/d0d0\x07', '\x1b]11;rgb:1010/1010/1010\x07']);
  });

  it('about the theme and the size of a cell is answered as the person’s terminal told', () => {
    let host: HostTerminal = { theme: 'dark', cellPixels: { width: 9, height: 20 } };
    const terminal = startEmulator(20, 6, { host: () => host });
    terminal.write('\x1b[?996n\x1b[16t\x1b[14t');
    host = { theme: 'light' };
    terminal.write('\x1b[?996n');
    expect(terminal.replies).toEqual(['\x1b[?997;1n', '\x1b[6;20;9t', '\x1b[4;120;180t', '\x1b[?997;2n']);
  });

  it('about kitty’s keys is not answered with kitty-keys off', () => {
    const terminal = startEmulator(20, 6, { hasKittyKeys: () => false });
    terminal.write('\x1b[>1u\x1b[?u');
    expect(terminal.replies).toEqual([]);
  });

  it('about the position counts columns within the row while a wrap is pending', () => {
    const terminal = startEmulator(5, 2);
    terminal.write('abcde\x1b[6n');
    expect(terminal.replies).toEqual(['\x1b[1;5R']);
  });
});
