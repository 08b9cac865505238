import { existsSync, readFileSync } from 'node:fs';
import { systemCode, systemReason } from '../../protocol/system-reason.ts';

/** Longest config file that is read, bytes. */
export const CONFIG_MAX = 8 << 20;

/**
 * The config files to load: those given by `-f`, else the first that exists of mplex's own, else tmux's.
 * `environ` gives HOME and XDG_CONFIG_HOME.
 */
export function configPaths(
  given: readonly string[],
  environ: { readonly HOME?: string | undefined; readonly XDG_CONFIG_HOME?: string | undefined },
  exists: (path: string) => boolean = existsSync,
): readonly string[] {
  if (given.length > 0) return given;
  const home = environ.HOME;
  const xdg = environ.XDG_CONFIG_HOME || (home ? `${home}/.config` : undefined);
  const candidates = [
    ...(home ? [`${home}/.mplex.conf`] : []),
    ...(xdg ? [`${xdg}/mplex/mplex.conf`] : []),
    ...(home ? [`${home}/.tmux.conf`] : []),
    ...(xdg ? [`${xdg}/tmux/tmux.conf`] : []),
  ];
  const found = candidates.find(exists);
  return found === undefined ? [] : [found];
}

/** Reads a config file; the error is tmux's text (`path: No such file or directory`). */
export function readConfig(path: string): { ok: true; text: string } | { ok: false; error: string; missing: boolean } {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > CONFIG_MAX) return { ok: false, error: `${path}: File too large`, missing: false };
    return { ok: true, text: bytes.toString('utf8') };
  } catch (error) {
    return { ok: false, error: `${path}: ${systemReason(error)}`, missing: systemCode(error) === 'ENOENT' };
  }
}
