import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** Where the server's own remarks go. Typed text and pane output never go through it. */
export interface Log {
  info(message: string): void;
  error(message: string, error?: unknown): void;
}

/** The log of a server, which can be asked about itself. */
export interface ServerLog extends Log {
  /** The newest entries, oldest first; for a crash report. */
  recent(): readonly string[];
  /** Why the last entry could not be written, undefined if it could. */
  readonly fault: string | undefined;
}

/** Longest single entry, in characters. */
const ENTRY_MAX = 4000;
/** Entries that are kept in memory. */
const RECENT_MAX = 100;
/** A file of this size becomes `<path>.1`, in place of an older one, and a new one is begun, bytes. */
const LOG_BYTES_MAX = 10 << 20;
/** Never through a link, never to a device that waits for a reader. */
const OPEN_FLAGS =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface LogOptions {
  /** Undefined: entries are kept in memory only. */
  readonly path: string | undefined;
  readonly now: () => Date;
  readonly maxBytes?: number;
}

/** A log that appends to a file (created 0600, ours, no link) and keeps the newest entries in memory. */
export function fileLog({ path, now, maxBytes = LOG_BYTES_MAX }: LogOptions): ServerLog {
  const recent: string[] = [];
  let fault: string | undefined;
  const write = (level: string, message: string) => {
    const entry = `${now().toISOString()} ${level} ${message.slice(0, ENTRY_MAX)}`;
    recent.push(entry);
    if (recent.length > RECENT_MAX) recent.shift();
    if (path === undefined) return;
    try {
      append(path, `${entry}\n`, maxBytes);
      fault = undefined;
    } catch (error) {
      // A log that cannot be written must not take the server with it.
      fault = error instanceof Error ? error.message : String(error);
    }
  };
  return {
    info: (message) => write('info', message),
    error: (message, error) => write('error', error === undefined ? message : `${message}: ${describe(error)}`),
    recent: () => recent,
    get fault() {
      return fault;
    },
  };
}

function append(path: string, text: string, maxBytes: number): void {
  const fd = openSync(path, OPEN_FLAGS, 0o600);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error(`${path} is not a regular file`);
    if (stat.uid !== process.getuid?.()) throw new Error(`${path} belongs to somebody else`);
    if (stat.size < maxBytes) {
      writeSync(fd, text);
      return;
    }
  } finally {
    closeSync(fd);
  }
  renameSync(path, `${path}.1`);
  append(path, text, Number.POSITIVE_INFINITY);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
