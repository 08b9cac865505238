/**
 * The server's sockets. Exactly one of many starters wins: each listens on a private name and links it to the public
 * one; a public name that nobody answers is cleared first (pty-host/dead-socket.ts). Node unlinks only the private name when it closes.
 */
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { MplexError } from '../../protocol/errors.ts';
import { systemReason } from '../../protocol/system-reason.ts';
import { clearDeadSocket, inodeOf, isAnswered } from '../pty-host/dead-socket.ts';

/** sun_path holds 108 bytes with its terminator. */
export const SOCKET_PATH_MAX = 107;
/** Attempts, and the time between two while another starter clears the name, ms. */
const TRIES = 300;
const TRY_GAP_MS = 25;

export interface Listening {
  /** Whether the public name still is this server's socket. */
  isIntact(): boolean;
  /** Puts the public name back after somebody removed it, the directory included. Rejects when that cannot be. */
  restore(): Promise<void>;
  close(): void;
}

/** Thrown code of the loser of an election. */
export class SocketTaken extends Error {
  override readonly name = 'SocketTaken';
}

/** Listens at `path` (mode 0600) or throws SocketTaken when a live server is there. */
export async function listenAt(path: string, onConnection: (socket: Socket) => void): Promise<Listening> {
  const privatePath = `${path}.${process.pid}`;
  if (Buffer.byteLength(privatePath) > SOCKET_PATH_MAX)
    throw new MplexError('io', `socket path too long (${Buffer.byteLength(path)} bytes): ${path}`);
  const listen = async () => {
    const server = await listenPrivately(privatePath, onConnection).catch((error: unknown) => {
      throw new MplexError('io', `error creating ${path} (${reasonOf(error, path)})`);
    });
    try {
      await takePublicName(privatePath, path);
    } catch (error) {
      server.close();
      throw error;
    }
    return { server, inode: statSync(privatePath).ino };
  };
  let current = await listen();
  await clearLeftovers(path);
  const isIntact = () => inodeOf(path) === current.inode;
  return {
    isIntact,
    restore: async () => {
      if (isIntact()) return;
      if (inodeOf(privatePath) === current.inode) {
        await takePublicName(privatePath, path);
        return;
      }
      current.server.close();
      makeDirectory(dirname(path));
      current = await listen();
    },
    close: () => {
      // Somebody may remove it, or its directory, at the same time.
      if (isIntact()) rmSync(path, { force: true });
      current.server.close();
    },
  };
}

/** Removes the private names beside the public one that killed processes have left. */
async function clearLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    const pid = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    if (!/^[1-9]\d*$/.test(pid) || isRunning(Number(pid))) continue;
    const left = join(dirname(path), name);
    // Its process may be in another pid namespace.
    if (!(await isAnswered(left))) rmSync(left, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isCode(error, 'ESRCH');
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // It is there, or listening says what is wrong.
  }
}

function listenPrivately(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  // Left by a dead process of the same number, as a container's server often has.
  if (inodeOf(path) !== undefined) rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: false }, onConnection);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The mode is right from the first moment: a chmod later would leave a gap.
    const before = process.umask(0o177);
    server.listen(path, () => resolve(server));
    process.umask(before);
  });
}

/** The C library's words. libuv says EACCES where the directory is missing. */
function reasonOf(error: unknown, path: string): string {
  if (isCode(error, 'EACCES') && !existsSync(dirname(path))) return 'No such file or directory';
  return systemReason(error);
}

async function takePublicName(privatePath: string, path: string): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    try {
      linkSync(privatePath, path);
      return;
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
    const found = await clearDeadSocket(path);
    if (found === 'live') throw new SocketTaken(path);
    if (found === 'claimed') await new Promise((next) => setTimeout(next, TRY_GAP_MS));
  }
  throw new MplexError('io', `can't take the socket ${path}`);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
