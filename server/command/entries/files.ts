/** The files that commands read and write: paths as the caller sees them, errors in strerror(3)'s words. */
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { descriptorOf, pathInProcess } from '../../../protocol/descriptor-path.ts';
import { systemCode, systemReason } from '../../../protocol/system-reason.ts';
import type { CommandContext } from './context.ts';

export type FileResult =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly error: string; readonly isMissing: boolean };

const PIECE_BYTES = 64 << 10;
const STDIN = 0;
const STDOUT = 1;

/** A path as it is when absolute, else below the directory of the caller, for a client its session's. */
export function callerPath(context: CommandContext, path: string): string {
  return path.startsWith('/') ? path : `${callerDirectory(context)}/${path}`;
}

export function callerDirectory(context: CommandContext): string {
  return context.caller.cwd ?? context.current.session?.cwd ?? homedir();
}

/** The descriptor of a call's own process that a path means. */
export function callersDescriptor({ caller }: CommandContext, path: string): number | undefined {
  return caller.kind === 'call' ? descriptorOf(path) : undefined;
}

/** A path that the server can open, for a descriptor of the caller's likewise. */
function openablePath({ caller }: CommandContext, path: string): string {
  return caller.kind === 'call' && caller.pid !== undefined ? pathInProcess(path, caller.pid) : path;
}

/** Reads an absolute path as the caller means it, or `-`, its standard input; otherwise as `readLimited`. */
export async function readForCaller(context: CommandContext, path: string, maxBytes: number): Promise<FileResult> {
  if (path !== '-' && callersDescriptor(context, path) !== STDIN) {
    return readLimited(openablePath(context, path), maxBytes);
  }
  const { readStdin } = context.caller;
  if (!readStdin) return { ok: false, error: 'Bad file descriptor', isMissing: false };
  const bytes = Buffer.from(await readStdin());
  return bytes.length > maxBytes ? { ok: false, error: 'File too large', isMissing: false } : { ok: true, bytes };
}

/** Whether what goes to this path goes to the caller's standard output. */
export function isOutputOfCaller(context: CommandContext, path: string): boolean {
  return path === '-' || callersDescriptor(context, path) === STDOUT;
}

/** Reads a file of at most `maxBytes`. The error is `No such file or directory` and the like, without the path. */
async function readLimited(path: string, maxBytes: number): Promise<FileResult> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const pieces: Buffer[] = [];
    for (let total = 0; ; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES);
      if (bytesRead === 0) return { ok: true, bytes: Buffer.concat(pieces) };
      total += bytesRead;
      if (total > maxBytes) return { ok: false, error: 'File too large', isMissing: false };
      pieces.push(buffer.subarray(0, bytesRead));
    }
  } catch (error) {
    return { ok: false, error: systemReason(error), isMissing: systemCode(error) === 'ENOENT' };
  } finally {
    await file?.close();
  }
}

/** Writes or appends to an absolute path as the caller means it; returns the error, or undefined. */
export async function saveForCaller(
  context: CommandContext,
  path: string,
  { bytes, how }: { readonly bytes: Uint8Array; readonly how: 'w' | 'a' },
): Promise<string | undefined> {
  try {
    await writeFile(openablePath(context, path), bytes, { flag: how });
    return undefined;
  } catch (error) {
    return systemReason(error);
  }
}
