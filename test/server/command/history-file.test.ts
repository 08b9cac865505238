import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { addHistoryText, historyText, loadHistory, saveHistory } from '../../../server/command/history-file.ts';
import { PROMPT_TYPES, PromptHistory } from '../../../server/command/prompt-history.ts';
import { ModelServer } from '../../support/model-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'history-file-'));
afterAll(() => rmSync(directory, { recursive: true }));

function history(text: string, limit = 100): PromptHistory {
  const result = new PromptHistory();
  addHistoryText(result, text, limit);
  return result;
}

describe('the text of a history', () => {
  it('has a type and a line each; what has no type is a command, as in tmux', () => {
    const read = history('command:list-keys\nsearch:foo\nbad line\nother:x\n\ncommand:two\n');
    expect(read.lines('command')).toEqual(['list-keys', 'bad line', 'other:x', 'two']);
    expect(read.lines('search')).toEqual(['foo']);
  });

  it('keeps the newest lines of a type and no control characters', () => {
    expect(history('search:a\nsearch:b\nsearch:c\n', 2).lines('search')).toEqual(['b', 'c']);
    expect(history('search:a\x1b]52;c;eA==\x07b').lines('search').join('')).not.toMatch(/[\x00-\x1f]/);
  });

  it('printed and read again is the same', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...PROMPT_TYPES), fc.string({ unit: 'grapheme' }))), (entries) => {
        const first = history(entries.map(([type, line]) => `${type}:${line}\n`).join(''));
        const text = historyText(first);
        expect(historyText(history(text))).toBe(text);
      }),
    );
  });
});

describe('option history-file', () => {
  it('is read, and written for the person alone', async () => {
    const server = new ModelServer({ defaultKeys: false });
    const path = join(directory, 'history');
    await server.run('set-option', '-s', 'history-file', path);
    const place = { registry: server.registry, promptHistory: new PromptHistory() };
    loadHistory(place);
    expect(server.registry.messages.lasting).toEqual([]);
    place.promptHistory.add('command', 'new-window', 100);
    expect(saveHistory(place)).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe('command:new-window\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, 'search:two\n');
    loadHistory(place);
    expect(place.promptHistory.lines('search')).toEqual(['two']);
  });

  it('that is no file is told, and a path that is not absolute means nothing', async () => {
    const server = new ModelServer({ defaultKeys: false });
    const place = { registry: server.registry, promptHistory: new PromptHistory() };
    await server.run('set-option', '-s', 'history-file', 'history');
    expect(saveHistory(place)).toBeUndefined();
    await server.run('set-option', '-s', 'history-file', directory);
    loadHistory(place);
    expect(server.registry.messages.lasting.at(-1)?.text).toMatch(/^history-file: /);
    expect(saveHistory(place)).toMatch(/EISDIR/);
  });
});
