/**
 * Clears a socket's name that a dead process has left. Among many starters that see the same dead socket only the holder of a
 * claim may remove it, after a look of its own: otherwise the second to remove would take away what the first has put there.
 * A live socket comes to the name by link(2) alone, which never replaces anything, so what is dead under the claim stays so.
 */
import { closeSync, lstatSync, openSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { createConnection } from 'node:net';
import { MplexError } from '../../protocol/errors.ts';
import { systemReason } from '../../protocol/system-reason.ts';

/** How long a socket that exists may take to answer before it counts as alive anyway, ms. */
const PROBE_MS = 2000;
/** A claim is held for a probe; one this old was left by a process that died with it, ms. */
const CLAIM_MAX_MS = 3 * PROBE_MS;

/**
 * `live`: somebody answers there. `free`: nothing is there now. `claimed`: another starter is at it, ask again soon.
 * Throws MplexError `io` if what is there cannot be removed.
 */
export async function clearDeadSocket(path: string): Promise<'live' | 'free' | 'claimed'> {
  if (await isAnswered(path)) return 'live';
  const claim = `${path}.claim`;
  if (!takeClaim(claim)) return 'claimed';
  try {
    if (await isAnswered(path)) return 'live';
    const there = lstatSync(path);
    // What mktemp(1) made is for a socket; what somebody wrote is not.
    if (there.isFile() && there.size > 0) throw new MplexError('io', `can't replace ${path} (a file, not a socket)`);
    unlinkSync(path);
    return 'free';
  } catch (error) {
    if (isCode(error, 'ENOENT')) return 'free';
    if (error instanceof MplexError) throw error;
    throw new MplexError('io', `can't replace ${path} (${systemReason(error)})`);
  } finally {
    rmSync(claim, { force: true });
  }
}

function takeClaim(claim: string): boolean {
  try {
    closeSync(openSync(claim, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw new MplexError('io', `can't make ${claim} (${systemReason(error)})`);
    dropOldClaim(claim);
    return false;
  }
}

/** Removes the claim of a dead process; moved away first, so that only one of many does it. */
function dropOldClaim(claim: string): void {
  const aside = `${claim}.${process.pid}`;
  try {
    if (Date.now() - lstatSync(claim).mtimeMs < CLAIM_MAX_MS) return;
    renameSync(claim, aside);
    unlinkSync(aside);
  } catch {
    // Somebody else was quicker.
  }
}

/** Whether somebody listens at a path; an answer that does not come in time counts as one. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    const finish = (isAlive: boolean) => {
      clearTimeout(timer);
      probe.destroy();
      resolve(isAlive);
    };
    const timer = setTimeout(() => finish(true), PROBE_MS);
    probe.once('connect', () => finish(true));
    // A full backlog (EAGAIN) or a path that may not be used is not a dead socket.
    probe.once('error', (error) => finish(!isCode(error, 'ECONNREFUSED') && !isCode(error, 'ENOENT')));
  });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Tells one file from another that has taken its name; undefined where none can be seen. */
export function inodeOf(path: string): number | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}
