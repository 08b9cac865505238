import { linkSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createConnection, type Server } from 'node:net';
import { dirname } from 'node:path';
import { MplexError } from '../../protocol/errors.ts';
import { systemReason } from '../../protocol/system-reason.ts';
import { inodeOf } from './dead-socket.ts';

/** sun_path less its NUL (unix(7)); Node 20 cuts a longer one silently. */
const SOCKET_PATH_MAX = 107;
/** Only the owner may connect. */
const PRIVATE_UMASK = 0o177;
/** Rounds of removing a dead socket before giving up: another starter removes and links at the same time. */
const ATTEMPTS = 5;

/**
 * Listens on a Unix socket of mode 0600 at `path`; at most one process has it, and one left by a dead process is replaced.
 *
 * The socket is bound under a name of its own and linked to the public one, which only one of several starters can do.
 * Throws MplexError `io`.
 */
export async function listenPrivately(server: Server, path: string): Promise<HostSocket> {
  let ino = await publishSocket(server, path);
  return {
    remove: () => {
      if (inodeOf(path) === ino) rmSync(path, { force: true });
    },
    restore: async () => {
      if (inodeOf(path) === ino) return;
      server.close();
      makeDirectory(dirname(path));
      ino = await publishSocket(server, path);
    },
  };
}

/** The name of a listening socket. */
export interface HostSocket {
  /** Removes it if it is still this socket's. */
  remove(): void;
  /** Puts it back if it is not, its directory included. Throws MplexError `io`. */
  restore(): Promise<void>;
}

/** Listens and gives the inode of the public name. */
async function publishSocket(server: Server, path: string): Promise<number> {
  const ownPath = `${path}.${process.pid}`;
  const bytes = Buffer.byteLength(ownPath);
  if (bytes > SOCKET_PATH_MAX) throw new MplexError('io', `socket path too long: ${path}`);
  await listen(server, ownPath);
  const { ino } = lstatSync(ownPath);
  try {
    await publish(ownPath, path);
  } finally {
    rmSync(ownPath, { force: true });
  }
  return ino;
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // It is there, or listening says what is wrong.
  }
}

function listen(server: Server, path: string): Promise<void> {
  // Left by a dead process of the same number.
  if (inodeOf(path) !== undefined) rmSync(path, { force: true });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new MplexError('io', `can't listen on ${path} (${systemReason(error)})`)));
    // The socket is made inside this call, so nothing else runs under the narrow umask.
    const umask = process.umask(PRIVATE_UMASK);
    try {
      server.listen(path, resolve);
    } finally {
      process.umask(umask);
    }
  });
}

async function publish(ownPath: string, path: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (tryLink(ownPath, path)) return;
    const ino = inodeOf(path);
    if (await isAnswered(path)) throw new MplexError('io', `already listening: ${path}`);
    if (ino !== undefined) removeDead(path, ino);
  }
  throw new MplexError('io', `can't replace socket: ${path}`);
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw new MplexError('io', `can't make socket ${to} (${systemReason(error)})`);
  }
}

/** Moves the name away before removing it, since a live socket may have come in its place; that one is put back. */
function removeDead(path: string, ino: number): void {
  const aside = `${path}.${process.pid}.old`;
  try {
    renameSync(path, aside);
  } catch {
    return; // Somebody else was quicker.
  }
  if (inodeOf(aside) !== ino) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}
