/**
 * One journal on disk: a directory (0700) with a head that names all else, and files that never change once written (0600).
 * A commit writes new files, then a new head beside the old one, and renames; whatever moment it is cut off at, one head is
 * whole and everything it names is there. The head before is kept until the next commit, with its files.
 *
 *   head, head.old, head.new   records (journal-record.ts); the whole one with the greatest serial counts
 *   p3-7, p3-8, …              records that heads name
 */
import { constants } from 'node:fs';
import { open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemReason } from '../../protocol/system-reason.ts';
import { makeDirectories } from '../make-directories-async.ts';
import { openRecord, sealRecord } from './journal-record.ts';

/** Larger files are not read, bytes. */
const FILE_BYTES_MAX = 64 << 20;
const HEADS = ['head', 'head.new', 'head.old'] as const;
/** All heads are sealed under one name: they are renamed. */
const HEAD_NAME = 'head';
/** Names that a head may give. */
export const FILE_NAME = /^p\d{1,10}-\d{1,10}$/;
const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface JournalCommit {
  readonly head: Uint8Array;
  /** New files by name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** All that the head names; files that neither it nor the head before names are removed. */
  readonly named: ReadonlySet<string>;
}

/** A head that was found, and why others were not used. */
export interface FoundHeads {
  /** Whole heads; which is the newest is in them. */
  readonly heads: readonly Buffer[];
  /** Heads that are there and damaged, and how. */
  readonly damaged: readonly string[];
}

export class JournalDirectory {
  readonly path: string;
  #before: ReadonlySet<string> = new Set();
  #isMade = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Whether anything was written. */
  get isMade(): boolean {
    return this.#isMade;
  }

  /** Rejects with what the file system says; then the state before still holds. */
  async commit({ head, files, named }: JournalCommit): Promise<void> {
    await makeDirectories(this.path, 0o700);
    this.#isMade = true;
    try {
      for (const [name, bytes] of files) await this.#write(name, sealRecord(name, bytes));
      await this.#write('head.new', sealRecord(HEAD_NAME, head));
    } catch (error) {
      // A full disk gets back what this took of it.
      for (const name of ['head.new', ...files.keys()])
        await rm(join(this.path, name), { force: true }).catch(() => {});
      throw error;
    }
    await this.#rename('head', 'head.old');
    await this.#rename('head.new', 'head');
    await syncDirectory(this.path);
    await this.#removeOthers(new Set([...named, ...this.#before]));
    this.#before = named;
  }

  /** Removes the journal. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
    // The folder of the socket goes with its last journal; else it is not empty and stays.
    await rmdir(dirname(this.path)).catch(() => {});
    this.#isMade = false;
    this.#before = new Set();
  }

  async readHeads(): Promise<FoundHeads> {
    const heads: Buffer[] = [];
    const damaged: string[] = [];
    for (const name of HEADS) {
      const read = await this.#read(name, HEAD_NAME);
      if (!read) continue;
      if (read.ok) heads.push(read.payload);
      // A new head that was not finished is no loss: the one before it is whole.
      else if (name !== 'head.new') damaged.push(`${name} is ${read.reason}`);
    }
    return { heads, damaged };
  }

  /** A file that a head names; a reason if it is not whole. */
  async readFile(name: string): Promise<Buffer | string> {
    if (!FILE_NAME.test(name)) return 'not a file of a journal';
    const read = await this.#read(name, name);
    if (!read) return 'missing';
    return read.ok ? read.payload : read.reason;
  }

  async #read(name: string, sealedAs: string): Promise<ReturnType<typeof openRecord> | undefined> {
    let file: Awaited<ReturnType<typeof open>>;
    try {
      file = await open(join(this.path, name), READ_FLAGS);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      return { ok: false, reason: systemReason(error) };
    }
    try {
      const stat = await file.stat();
      if (!stat.isFile() || stat.size > FILE_BYTES_MAX) return { ok: false, reason: 'no file or too large' };
      return openRecord(sealedAs, await file.readFile());
    } catch (error) {
      return { ok: false, reason: systemReason(error) };
    } finally {
      await file.close();
    }
  }

  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const file = await open(join(this.path, name), WRITE_FLAGS, 0o600);
    try {
      await file.writeFile(bytes);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async #rename(from: string, to: string): Promise<void> {
    try {
      await rename(join(this.path, from), join(this.path, to));
    } catch (error) {
      if (from !== 'head' || codeOf(error) !== 'ENOENT') throw error;
    }
  }

  async #removeOthers(keep: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.path)) {
      if (FILE_NAME.test(name) && !keep.has(name)) await rm(join(this.path, name), { force: true });
    }
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
