import { appendFileSync } from 'node:fs';

/** Where the server's own remarks go. Typed text and pane output never go through it. */
export interface Log {
  info(message: string): void;
  error(message: string, error?: unknown): void;
}

/** Longest single entry, in characters. */
const ENTRY_MAX = 4000;

/** A log that appends to a file (created 0600); without a path it drops `info` and writes errors nowhere. */
export function fileLog(path: string | undefined, now: () => Date): Log {
  const write = (level: string, message: string) => {
    if (path === undefined) return;
    try {
      appendFileSync(path, `${now().toISOString()} ${level} ${message.slice(0, ENTRY_MAX)}\n`, { mode: 0o600 });
    } catch {
      // A log that cannot be written must not take the server with it.
    }
  };
  return {
    info: (message) => write('info', message),
    error: (message, error) => write('error', error === undefined ? message : `${message}: ${describe(error)}`),
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export const SILENT_LOG: Log = { info: () => {}, error: () => {} };
