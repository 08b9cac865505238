import { beforeEach, describe, expect, it } from 'vitest';
import { blankRow, cellText } from '../../../protocol/cell.ts';
import type { Pane } from '../../../server/model/pane.ts';
import { ModelServer } from '../../support/model-server.ts';

/** A prompt as shells mark it: start, text, end. */
const PROMPT = '\x1b]133;A\x07\x1b[1mhost $\x1b[0m \x1b]133;B\x07';

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

  it('do not change what capture-pane takes', async () => {
    await server.run('new-session', '-d', '-s', 'plain', '-x', '20', '-y', '6', 'sh');
    const plain = server.pane(server.session('plain'));
    const text = `${PROMPT}first\r\none\r\n${PROMPT}`;
    await server.run('new-session', '-d', '-s', 'marked', '-x', '20', '-y', '6', 'sh');
    server.ptys.of(server.pane(server.session('marked')).id).emitData(text);
    server.ptys.of(plain.id).emitData(text.replace(/\x1b\]133;[AB]\x07/g, ''));
    for (const flags of ['-p', '-pe', '-pJ', '-peN']) {
      const captured = await server.run('capture-pane', flags, '-t', 'marked');
      expect(captured).toEqual(await server.run('capture-pane', flags, '-t', 'plain'));
      expect(captured.stdout).toContain('first');
    }
  });
});
