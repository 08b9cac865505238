/** Where a server's socket is, and who may have made it. Loads nothing but Node's files and paths. */
import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { MplexError } from '../protocol/errors.ts';
import { systemCode, systemReason } from '../protocol/system-reason.ts';

/** Bytes of a Unix socket path that Linux takes (sun_path without its NUL); Node cuts longer ones silently. */
export const SOCKET_PATH_MAX = 107;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the sockets are: `mplex-UID` under $MPLEX_TMPDIR, else $TMUX_TMPDIR, else /tmp, links resolved. */
export function socketDirectory(env: Environment, uid: number): string {
  const base = env.MPLEX_TMPDIR || env.TMUX_TMPDIR || '/tmp';
  try {
    return join(realpathSync.native(base), `mplex-${uid}`);
  } catch (error) {
    throw new MplexError('io', `couldn't read directory ${base} (${systemReason(error)})`);
  }
}

/**
 * The socket of the server that the caller's pane belongs to. $MPLEX says so, else $TMUX if its socket's directory is a
 * `mplex-UID`. Called as tmux, it is $TMUX that counts: without it the caller wants to be outside, as with tmux itself.
 */
export function socketOfPane(env: Environment, isTmux: boolean): string | undefined {
  const socketOf = (value: string | undefined) => value?.split(',')[0] || undefined;
  const named = socketOf(env.TMUX);
  const ours = named !== undefined && /(?:^|\/)mplex-\d+\/[^/]+$/.test(named) ? named : undefined;
  if (!isTmux) return socketOf(env.MPLEX) ?? ours;
  return named === undefined ? undefined : (ours ?? socketOf(env.MPLEX));
}

/**
 * Makes the directory of the sockets if it is missing and gives its path. It must be a directory and no link, ours and
 * closed to everybody else: only then nobody can put a socket of his own in our way. Throws MplexError 'io'.
 */
export function ensureSocketDir(env: Environment, uid: number): string {
  const directory = socketDirectory(env, uid);
  const stat = lookAt(directory) ?? makeDirectory(directory);
  if (!stat.isDirectory()) throw new MplexError('io', `${directory} is not a directory`);
  if (stat.uid !== uid) throw new MplexError('io', `directory ${directory} belongs to somebody else (uid ${stat.uid})`);
  if ((stat.mode & 0o077) !== 0) throw new MplexError('io', `directory ${directory} has unsafe permissions`);
  return directory;
}

/** Undefined where nothing is, or nothing can be seen: what is wrong then shows when it is made. */
function lookAt(directory: string): Stats | undefined {
  try {
    return lstatSync(directory, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function makeDirectory(directory: string): Stats {
  try {
    mkdirSync(directory, { mode: 0o700 });
    return lstatSync(directory);
  } catch (error) {
    // Another call may have been faster.
    const stat = systemCode(error) === 'EEXIST' ? lookAt(directory) : undefined;
    if (stat) return stat;
    throw new MplexError('io', `couldn't create directory ${directory} (${systemReason(error)})`);
  }
}

/** Refuses a path that the kernel would not take whole. Throws MplexError 'io'. */
export function checkSocketPath(path: string): void {
  const length = Buffer.byteLength(path);
  if (length > SOCKET_PATH_MAX) throw new MplexError('io', `socket path is too long (${length} bytes): ${path}`);
  if (path === '') throw new MplexError('io', 'socket path is empty');
  if (path.includes('\0')) throw new MplexError('io', 'socket path holds a NUL');
}

/** -S, else the server that this pane belongs to, else -L in the socket directory. */
export function resolveSocketPath(
  flags: { readonly socketPath: string | undefined; readonly socketName: string },
  isTmux: boolean,
): string {
  if (flags.socketPath !== undefined) return flags.socketPath;
  const own = flags.socketName === 'default' ? socketOfPane(process.env, isTmux) : undefined;
  if (own) return own;
  if (flags.socketName === '') throw new MplexError('io', 'socket name is empty');
  return `${ensureSocketDir(process.env, process.getuid?.() ?? 0)}/${flags.socketName}`;
}
