/** The files that commands read and write: paths as the caller sees them, errors in strerror(3)'s words. */
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { systemCode, systemReason } from '../../../protocol/system-reason.ts';
import type { CommandContext } from './context.ts';

export type FileResult =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly error: string; readonly isMissing: boolean };

const PIECE_BYTES = 64 << 10;

/** A path as it is when absolute, else below the directory of the caller, for a client its session's. */
export function callerPath(context: CommandContext, path: string): string {
  return path.startsWith('/') ? path : `${callerDirectory(context)}/${path}`;
}

export function callerDirectory(context: CommandContext): string {
  return context.caller.cwd ?? context.current.session?.cwd ?? homedir();
}

/** Reads a file of at most `maxBytes`. The error is `No such file or directory` and the like, without the path. */
export async function readLimited(path: string, maxBytes: number): Promise<FileResult> {
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

/** Writes or appends to a file; returns the error, or undefined. */
export async function saveFile(path: string, bytes: Uint8Array, how: 'w' | 'a'): Promise<string | undefined> {
  try {
    await writeFile(path, bytes, { flag: how });
    return undefined;
  } catch (error) {
    return systemReason(error);
  }
}
