/**
 * Option history-file (tmux(1)): what was entered at prompts, kept between servers. A line is `TYPE:TEXT`; one without a
 * type is a command. Read after the configuration, written when the server ends.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanText } from '../../protocol/clean-text.ts';
import type { Registry } from '../model/registry.ts';
import { PROMPT_TYPES, type PromptHistory, parsePromptType } from './prompt-history.ts';

/** A longer file is not read, bytes. */
const FILE_MAX = 4 << 20;
/** Code points of a line. */
const LINE_MAX = 16_384;

export interface HistoryPlace {
  readonly registry: Registry;
  readonly promptHistory: PromptHistory;
}

/** Adds the lines of a text to a history that keeps `limit` of each type. */
export function addHistoryText(history: PromptHistory, text: string, limit: number): void {
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    const type = colon < 0 ? undefined : parsePromptType(line.slice(0, colon));
    const entered = cleanText(type === undefined ? line : line.slice(colon + 1), { max: LINE_MAX });
    history.add(type ?? 'command', entered, limit);
  }
}

/** A history as `addHistoryText` reads it, type by type. */
export function historyText(history: PromptHistory): string {
  return PROMPT_TYPES.flatMap((type) => history.lines(type).map((line) => `${type}:${line}\n`)).join('');
}

/** A file that is not there is no mistake; one that cannot be read is told in the messages. */
export function loadHistory({ registry, promptHistory }: HistoryPlace): void {
  const path = pathOf(registry);
  if (path === undefined || statSync(path, { throwIfNoEntry: false }) === undefined) return;
  try {
    if (statSync(path).size > FILE_MAX) throw new Error(`larger than ${FILE_MAX} bytes`);
    const limit = registry.serverOptions.number('prompt-history-limit');
    addHistoryText(promptHistory, readFileSync(path, 'utf8'), limit);
  } catch (error) {
    registry.logMessage(`history-file: ${messageOf(error)}`);
  }
}

/** Only the person may read the file: prompts hold what people type. Returns why it could not be written. */
export function saveHistory({ registry, promptHistory }: HistoryPlace): string | undefined {
  const path = pathOf(registry);
  if (path === undefined) return undefined;
  try {
    writeFileSync(path, historyText(promptHistory), { mode: 0o600 });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** As in tmux an absolute path or one below `~/`. */
function pathOf({ serverOptions, environ }: Registry): string | undefined {
  const path = serverOptions.string('history-file');
  const home = environ.get('HOME')?.value;
  if (path.startsWith('~/')) return home ? join(home, path.slice(2)) : undefined;
  return path.startsWith('/') ? path : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
