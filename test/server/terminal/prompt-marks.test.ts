import { beforeEach, describe, expect, it } from 'vitest';
import { blankRow, cellText } from '../../../protocol/cell.ts';
import type { Pane } from '../../../server/model/pane.ts';
import { ModelServer } from '../../support/model-server.ts';

/** A prompt as shells mark it: start, text, end. */
const PROMPT = '\x1b]133;A\x07\x1b[1mhost $\x1b[0m \x1b]133;B\x07';

interface Shell {
  readonly name: string;
  /** What is printed before a command is typed, before its output, and after it. */
  readonly prompt: string;
  readonly command: string;
  readonly end: (code: number) => string;
  /** The first line of a prompt that has two. */
  readonly top?: string;
}

const nothing = () => '';
const code = (value: number) => `\x1b]133;D;${value}\x07`;
const SHELLS: readonly Shell[] = [
  { name: 'A', prompt: '\x1b]133;A\x07\x1b[0;1mhost $\x1b[m ', command: '', end: nothing },
  { name: 'A and D', prompt: '\x1b]133;A\x07host $ ', command: '', end: code },
  { name: 'A, C and D', prompt: '\x1b]133;A;aid=7\x07host $ ', command: '\x1b]133;C;cmdline=x\x07', end: code },
  { name: 'P and B', prompt: '\x1b]133;P;k=i\x1b\\host $ \x1b]133;B\x1b\\', command: '', end: nothing },
  { name: 'B', prompt: 'host $ \x1b]133;B\x07', command: '', end: nothing },
  { name: 'B, C and D', prompt: 'host $ \x1b]133;B\x07', command: '\x1b]133;C\x07', end: code },
  { name: 'all of them', prompt: PROMPT, command: '\x1b]133;C\x07', end: code },
  { name: 'all, C for each of several', prompt: PROMPT, command: '\x1b]133;C\x07\x1b]133;C\x07', end: code },
  {
    name: 'A before what is erased again (PROMPT_SP of zsh)',
    prompt: `\x1b]133;A\x07\x1b[7m%\x1b[27m${' '.repeat(19)}\r \r\x1b[0m\x1b[Jhost $ `,
    command: '',
    end: nothing,
  },
  {
    name: 'A and B around two lines',
    prompt: '\x1b]133;A\x07~/src main\r\n$ \x1b]133;B\x07',
    command: '',
    end: code,
    top: '~/src main',
  },
  {
    name: 'A and C around two lines',
    prompt: '\x1b]133;A\x07\r\n~/src main\r\n$ ',
    command: '\x1b]133;C\x07',
    end: code,
    top: '~/src main',
  },
];

let server: ModelServer;
let pane: Pane;

async function copyCommand(...words: string[]): Promise<void> {
  await server.run('send-keys', '-t', 's', '-X', ...words);
}

function line(): string | undefined {
  return pane.mode?.variable('copy_cursor_line');
}

function topRow(): string {
  const row = blankRow(20);
  pane.drawRow(0, row);
  return Array.from({ length: 20 }, (_, x) => cellText(row, x)).join('');
}

beforeEach(async () => {
  server = new ModelServer();
  await server.run('new-session', '-d', '-s', 's', '-x', '20', '-y', '6', 'sh');
  pane = server.pane();
  const output = Array.from({ length: 12 }, (_, at) => `output ${at}\r\n`).join('');
  server.ptys
    .of(pane.id)
    .emitData(`${PROMPT}first\r\none\r\n${PROMPT}second\r\n${output}\x1b]133;D;1\x07${PROMPT}\x1b]133;A\x07`);
});

describe('prompts of shells that mark them (OSC 133)', () => {
  it('are gone to one by one, also in the history', async () => {
    await server.run('copy-mode', '-t', 's');
    await copyCommand('previous-prompt');
    expect(line()).toBe('host $ second');
    await copyCommand('previous-prompt');
    expect(line()).toBe('host $ first');
    await copyCommand('previous-prompt');
    expect(line()).toBe('host $ first');
    await server.run('send-keys', '-t', 's', '-N', '2', '-X', 'next-prompt');
    expect(line()).toBe('host $');
  });

  it('stay marked when the lines are wrapped anew', async () => {
    await server.run('resize-window', '-t', 's', '-x', '9', '-y', '6');
    await server.run('copy-mode', '-t', 's');
    await copyCommand('previous-prompt');
    expect(line()).toBe('host $ se');
  });

  it('tell where the output of the last command begins and ends', async () => {
    await server.run('copy-mode', '-t', 's');
    await copyCommand('select-output');
    await copyCommand('copy-selection-and-cancel');
    const copied = (await server.run('show-buffer')).stdout;
    expect(copied.trimEnd().split('\n')).toEqual(Array.from({ length: 12 }, (_, at) => `output ${at}`));
  });

  it('tell how the command ended whose output is selected, and nothing of another selection', async () => {
    const exit = () => server.expand('#{selection_exit_status}', { pane });
    server.ptys.of(pane.id).emitData(`third\r\nthree\r\n\x1b]133;D;127\x07${PROMPT}`);
    await server.run('copy-mode', '-t', 's');
    await copyCommand('select-output');
    expect(exit()).toBe('127');
    expect(topRow()).toMatch(/\(exit 127\) \[0\/\d+\]$/);
    await copyCommand('cursor-left');
    expect(exit()).toBe('');
    await copyCommand('previous-prompt');
    await copyCommand('select-output');
    expect(exit()).toBe('1');
    await copyCommand('previous-prompt');
    await copyCommand('previous-prompt');
    await copyCommand('select-output');
    expect(exit()).toBe('');
    await server.run('resize-window', '-t', 's', '-x', '30', '-y', '6');
    await server.run('copy-mode', '-q', '-t', 's');
    await server.run('copy-mode', '-t', 's');
    await copyCommand('select-output');
    expect(exit()).toBe('');
  });

  it('forget a code when another prompt is printed in the place of its own', async () => {
    server.ptys.of(pane.id).emitData(`\x1b[H\x1b[2Jout\r\n\x1b]133;D;3\x07${PROMPT}`);
    server.ptys.of(pane.id).emitData(`\x1b[H\x1b[2Jout\r\n${PROMPT}`);
    await server.run('copy-mode', '-t', 's');
    await copyCommand('select-output');
    expect(server.expand('#{selection_exit_status}', { pane })).toBe('');
  });

  describe.each(SHELLS)('of a shell that sends $name', ({ prompt, command, end, top = 'host $' }) => {
    /** Three commands, each with its output, and a prompt at the end. */
    beforeEach(async () => {
      await server.run('respawn-pane', '-k', '-t', 's', 'sh');
      await server.run('clear-history', '-t', 's');
      const run = (text: string, output: string, code: number) => `${prompt}${text}\r\n${command}${output}${end(code)}`;
      const text = run('one', '1\r\n', 0) + run('two', '21\r\n22\r\n', 2) + run('three', '31\r\n\r\n32\r\n', 3);
      server.ptys.of(pane.id).emitData(`login\r\n${text}${prompt}`);
      await server.run('copy-mode', '-t', 's');
    });

    it('are gone to, each once', async () => {
      await copyCommand('history-top');
      const seen: (string | undefined)[] = [line()];
      for (let i = 0; i < 4; i++) {
        await copyCommand('next-prompt');
        seen.push(line());
      }
      const last = top === 'host $' ? 'host $' : top;
      const tops = ['one', 'two', 'three'].map((text) => (top === 'host $' ? `host $ ${text}` : top));
      expect(seen).toEqual(['login', ...tops, last]);
    });

    it('have the output of each command between them, with its code', async () => {
      const outputs: string[] = [];
      for (let i = 0; i < 3; i++) {
        await copyCommand('select-output');
        const code = server.expand('#{selection_exit_status}', { pane });
        await copyCommand('copy-selection');
        outputs.push(`${code}: ${(await server.run('show-buffer')).stdout.trimEnd()}`);
        await copyCommand('previous-prompt');
      }
      expect(outputs).toEqual(
        [
          [3, '31\n\n32'],
          [2, '21\n22'],
          [0, '1'],
        ].map(([code, text]) => `${end(0) === '' ? '' : code}: ${text}`),
      );
    });
  });

  it('are no prompts where a second line of a command, or the right side, is prompted for', async () => {
    const minor = ['k=s', 'k=c', 'k=r'].map((field) => `\x1b]133;A;${field}\x07> more\r\n`).join('');
    server.ptys
      .of(pane.id)
      .emitData(`\r\n\x1b]133;A;cl=m\x07host $ for\r\n${minor}\x1b]133;C\x07out\r\n\x1b]133;A\x07host $`);
    await server.run('copy-mode', '-t', 's');
    await copyCommand('previous-prompt');
    expect(line()).toBe('host $ for');
    await copyCommand('next-prompt');
    await copyCommand('select-output');
    await copyCommand('copy-selection');
    expect((await server.run('show-buffer')).stdout.trimEnd()).toBe('out');
  });

  it('stay where they are while output scrolls thousands of rows off at once', async () => {
    const output = Array.from({ length: 1500 }, (_, at) => `${at}\r\n`).join('');
    server.ptys.of(pane.id).emitData(`\r\n\x1b]133;A\x07host $ seq\r\n${output}\x1b]133;A\x07host $`);
    await server.run('copy-mode', '-t', 's');
    await copyCommand('select-output');
    await copyCommand('copy-selection');
    expect((await server.run('show-buffer')).stdout.trimEnd()).toBe(output.replaceAll('\r', '').trimEnd());
  });

  it('are marked when the pane changes its width before anything else comes', async () => {
    server.ptys.of(pane.id).emitData('\r\n\x1b]133;A\x07host $ a long command line');
    await server.run('resize-window', '-t', 's', '-x', '9', '-y', '6');
    await server.run('copy-mode', '-t', 's');
    await copyCommand('history-top');
    for (let i = 0; i < 4; i++) await copyCommand('next-prompt');
    expect(line()).toBe('host $ a');
  });

  it('do not change what capture-pane takes', async () => {
    await server.run('new-session', '-d', '-s', 'plain', '-x', '20', '-y', '6', 'sh');
    const plain = server.pane(server.session('plain'));
    const text = `${PROMPT}first\r\n> \r\n\x1b]133;C\x07one\r\n${PROMPT}`;
    await server.run('new-session', '-d', '-s', 'marked', '-x', '20', '-y', '6', 'sh');
    server.ptys.of(server.pane(server.session('marked')).id).emitData(text);
    server.ptys.of(plain.id).emitData(text.replace(/\x1b\]133;[ABC]\x07/g, ''));
    for (const flags of ['-p', '-pe', '-pJ', '-peN']) {
      const captured = await server.run('capture-pane', flags, '-t', 'marked');
      expect(captured).toEqual(await server.run('capture-pane', flags, '-t', 'plain'));
      expect(captured.stdout).toContain('first');
    }
  });
});
