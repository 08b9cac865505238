import { describe, expect, it } from 'vitest';
import { blankRow, COLOR_RGB, cellStyle } from '../../../protocol/cell.ts';
import { CLIPBOARD_MAX } from '../../../protocol/message.ts';
import type { EmulatorHandlers } from '../../../server/terminal/emulator.ts';
import { isHarmlessUri, LINKS_MAX } from '../../../server/terminal/hyperlinks.ts';
import { TITLE_MAX } from '../../../server/terminal/sequence-guard.ts';
import { type Harness, startEmulator } from './terminal-support.ts';

/** Records every call of the named handlers. */
function listen(...names: (keyof EmulatorHandlers)[]): { terminal: Harness; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const handlers = Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => calls.push([name, ...args])]));
  return { terminal: startEmulator(40, 4, { handlers }), calls };
}

describe('a title', () => {
  it('is told and kept, by OSC 0 with the icon name', () => {
    const { terminal, calls } = listen('title', 'iconName');
    terminal.write('\x1b]0;both\x07\x1b]1;icon\x1b\\\x1b]2;title\u009c');
    expect(calls).toEqual([
      ['title', 'both'],
      ['iconName', 'both'],
      ['iconName', 'icon'],
      ['title', 'title'],
    ]);
    expect(terminal.emulator.title).toBe('title');
  });

  it('has no control, bidi or invisible character, and a limit', () => {
    const { terminal, calls } = listen('title');
    terminal.write('\x1b]2;a\u202eb\u2066c\u200bd\ufeffe\x7ff\tg\x07');
    expect(calls).toEqual([['title', 'abcdefg']]);
    terminal.write(`\x1b]2;${'x'.repeat(TITLE_MAX + 1)}\x07`);
    expect(calls).toHaveLength(1);
  });

  it('is put on a bounded stack and taken from it', () => {
    const { terminal } = listen();
    for (let i = 0; i < 1000; i++) terminal.write(`\x1b]2;t${i}\x07\x1b[22t`);
    terminal.write('\x1b]2;last\x07\x1b[23t');
    expect(terminal.emulator.title).toBe('t9');
    terminal.write('\x1b[23t'.repeat(100));
    expect(terminal.emulator.title).toBe('t0');
  });

  it('of the window is ESC k, and none of it is printed', () => {
    const { terminal, calls } = listen('windowName');
    for (const byte of Buffer.from('\x1bkna\u202eme 日\x1b\\shown')) terminal.write(Uint8Array.of(byte));
    expect(calls).toEqual([['windowName', 'name 日']]);
    expect(terminal.lines()[0]).toBe('shown');
  });
});

describe('what a program says', () => {
  it('about its directory is a path, percent-decoded and clean', () => {
    const { terminal, calls } = listen('cwd');
    terminal.write(
      '\x1b]7;file://host/tmp/a%20b\x07\x1b]7;/plain\x07\x1b]7;file://h/%ff\x07\x1b]7;file:///x%0ay%1b\x07',
    );
    expect(calls).toEqual([
      ['cwd', '/tmp/a b'],
      ['cwd', '/plain'],
      ['cwd', '/%ff'],
      ['cwd', '/x y'],
    ]);
  });

  it('for the clipboard is decoded; reads, bad base64 and too much are ignored', () => {
    const { terminal, calls } = listen('clipboard');
    const encode = (text: string) => Buffer.from(text).toString('base64');
    terminal.write(`\x1b]52;c;${encode('héllo\n')}\x07\x1b]52;;${encode('x')}\x1b\\`);
    terminal.write('\x1b]52;c;?\x07\x1b]52;c;a b\x07\x1b]52;c;YWJjZ\x07\x1b]52;zz;YWJj\x07\x1b]52;c\x07');
    terminal.write(`\x1b]52;c;${encode('x'.repeat(CLIPBOARD_MAX + 1))}\x07`);
    expect(calls).toEqual([
      ['clipboard', 'c', 'héllo\n'],
      ['clipboard', '', 'x'],
    ]);
    expect(terminal.replies).toEqual([]);
    terminal.write(`\x1b]52;p;${encode('x'.repeat(CLIPBOARD_MAX))}\x07`);
    expect(calls).toHaveLength(3);
  });

  it('that asks for the clipboard is told apart from one that sets it', () => {
    const { terminal, calls } = listen('clipboard', 'clipboardQuery');
    terminal.write('\x1b]52;c;?\x07\x1b]52;;?\x1b\\\x1b]52;x;?\x07\x1b]52;c;??\x07');
    expect(calls).toEqual([
      ['clipboardQuery', { selection: 'c', terminator: '\x07' }],
      ['clipboardQuery', { selection: '', terminator: '\x1b\\' }],
    ]);
    expect(terminal.replies).toEqual([]);
  });

  it('as a notification is clean', () => {
    const { terminal, calls } = listen('notification');
    terminal.write('\x1b]9;done\u202e!\x07\x1b]777;notify;title;body; more\x07\x1b]99;i=1:p=body;kitty\x1b\\');
    terminal.write('\x1b]99;i=1:p=close;\x1b\\\x1b]777;other;x\x07\x1b]9;1;1\x07\x1b]9;4;1;50\x07\x1b]9;4;0\x07');
    expect(calls).toEqual([
      ['notification', '', 'done!'],
      ['notification', 'title', 'body; more'],
      ['notification', '', 'kitty'],
    ]);
  });

  it('as a notification of kitty’s comes in pieces', () => {
    const { terminal, calls } = listen('notification');
    const encode = (text: string) => Buffer.from(text).toString('base64');
    terminal.write(`\x1b]99;i=a:d=0:e=1;${encode('Build ')}\x1b\\\x1b]99;i=b;other\x1b\\`);
    terminal.write(`\x1b]99;i=a:d=0;done\x1b\\\x1b]99;i=a:p=body:e=1;${encode('all\x1b[31m green')}\x1b\\`);
    terminal.write('\x1b]99;p=?;\x1b\\\x1b]99;no metadata\x1b\\\x1b]99;;\x1b\\');
    expect(calls).toEqual([
      ['notification', '', 'other'],
      ['notification', 'Build done', 'all[31m green'],
    ]);
  });

  it('by bell comes at most ten times a second', () => {
    const { terminal, calls } = listen('bell');
    terminal.write('\x07'.repeat(1000));
    terminal.clock.now += 100;
    terminal.write('\x07');
    expect(calls).toHaveLength(2);
  });

  it('about the pointer is a plain name', () => {
    const { terminal, calls } = listen('pointerShape');
    terminal.write('\x1b]22;text\x07\x1b]22;\x07\x1b]22;a;b\x07');
    expect(calls.map(([, name]) => name)).toEqual(['text', '', '']);
  });

  it('to a handler that throws costs that one string', () => {
    const terminal = startEmulator(20, 2, {
      handlers: {
        title: () => {
          throw new Error('no');
        },
      },
    });
    terminal.write('A\x1b]2;x\x07B\x1b[c');
    expect(terminal.lines()[0]).toBe('AB');
    expect(terminal.failures).toHaveLength(1);
    expect(terminal.replies).toHaveLength(1);
  });
});

describe('colours of a pane', () => {
  const rgbOf = (terminal: Harness, x: number) => {
    const row = blankRow(40);
    terminal.emulator.screenRow(0, row);
    const { fg, bg } = cellStyle(row, x);
    return [fg, bg];
  };

  it('that it sets are in its own cells, until they are reset', () => {
    const { terminal } = listen();
    terminal.write(
      '\x1b]4;1;#112233;200;rgb:ff/00/00\x07\x1b]10;#aaaaaa\x07\x1b]11;#bbbbbb\x07\x1b[31mA\x1b[38;5;200mB\x1b[mC',
    );
    expect(rgbOf(terminal, 0)).toEqual([COLOR_RGB | 0x112233, COLOR_RGB | 0xbbbbbb]);
    expect(rgbOf(terminal, 1)[0]).toBe(COLOR_RGB | 0xff0000);
    expect(rgbOf(terminal, 2)[0]).toBe(COLOR_RGB | 0xaaaaaa);
    const { stamps } = terminal.emulator;
    const before = stamps.stamp;
    terminal.write('\x1b]104\x07\x1b]110\x07\x1b]111\x07');
    for (let y = 0; y < terminal.emulator.size.rows; y++) expect(stamps.hasChanged(y, before)).toBe(true);
    expect(rgbOf(terminal, 0)).toEqual([0x1000001, 0]);
    expect(rgbOf(terminal, 2)).toEqual([0, 0]);
  });

  it('include the cursor’s', () => {
    const { terminal, calls } = listen('cursorColor');
    terminal.write('\x1b]12;#010203\x07');
    expect(terminal.emulator.cursor.color).toBe('#010203');
    terminal.write('\x1b]112\x07');
    expect(terminal.emulator.cursor.color).toBeUndefined();
    expect(calls).toEqual([
      ['cursorColor', '#010203'],
      ['cursorColor', undefined],
    ]);
  });
});

describe('a link', () => {
  const linkOf = (terminal: Harness, x: number) => {
    const row = blankRow(40);
    terminal.emulator.screenRow(0, row);
    return cellStyle(row, x).extension?.link;
  };

  it('is on its cells, without an underline that nobody asked for', () => {
    const { terminal } = listen();
    terminal.write('\x1b]8;;http://x/y;z\x07A\x1b[4:3mB\x1b[mC\x1b]8;;\x07D');
    const row = blankRow(40);
    terminal.emulator.screenRow(0, row);
    expect(linkOf(terminal, 0)?.uri).toBe('http://x/y;z');
    expect(cellStyle(row, 0).extension?.underlineStyle).toBe(1);
    expect(cellStyle(row, 0).fg).toBe(0);
    expect(cellStyle(row, 1).extension?.underlineStyle).toBe(3);
    expect(linkOf(terminal, 2)).toEqual(linkOf(terminal, 0));
    expect(linkOf(terminal, 3)).toBeUndefined();
  });

  it('with an id joins cells of one pane, never those of two', () => {
    const [one, two] = [listen().terminal, listen().terminal];
    for (const terminal of [one, two])
      terminal.write('\x1b]8;a=b:id=same;http://x\x07A\x1b]8;;\x07-\x1b]8;id=same;http://x\x07B\x1b]8;;http://x\x07C');
    expect(linkOf(one, 0)).toBeDefined();
    expect(linkOf(one, 0)?.id).toBe(linkOf(one, 2)?.id);
    expect(linkOf(one, 0)?.id).not.toBe(linkOf(one, 3)?.id);
    expect(linkOf(one, 0)?.id).not.toBe(linkOf(two, 0)?.id);
  });

  it.each([
    ['https://example.org/a?b=c', true],
    ['mailto:a@b', true],
    ['file:///etc/passwd', true],
    ['file://localhost/x', true],
    ['file://host/x', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['no scheme', false],
    ['http://a\x1bb', false],
    ['http://a b', false],
    ['http://日', false],
    [`http://${'a'.repeat(3000)}`, false],
  ])('to %j is taken: %s', (uri, taken) => {
    expect(isHarmlessUri(uri)).toBe(taken);
  });

  it('is one of so many at most', () => {
    const { terminal } = listen();
    terminal.write('\x1b]8;;http://first\x07F\r');
    for (let i = 0; i < LINKS_MAX; i++) terminal.write(`\x1b]8;id=${i};http://x/${i}\x07`);
    terminal.write('\x1b[2CL');
    expect(linkOf(terminal, 0)).toBeUndefined();
    expect(linkOf(terminal, 2)?.uri).toBe(`http://x/${LINKS_MAX - 1}`);
  });
});
