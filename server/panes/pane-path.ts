/** PATH in panes and jobs: the `tmux` that is mplex comes first, and mplex itself is found. */
import { readFileSync } from 'node:fs';

export interface Folders {
  /** Where the `tmux` that is mplex is; undefined where it is not installed, or not wanted. */
  readonly shim: string | undefined;
  /** Where `mplex` is. */
  readonly bin: string;
}

/** A PATH with the shim's folder first and mplex's last; each once. */
export function withFolders(path: string | undefined, { shim, bin }: Folders): string {
  const rest = (path || '/usr/local/bin:/usr/bin:/bin')
    .split(':')
    .filter((folder) => folder !== shim && folder !== bin);
  return [...(shim === undefined ? [] : [shim]), ...rest, bin].join(':');
}

/**
 * Variables by which a login shell puts the folders back after a profile that set PATH anew: ENV for sh, PROMPT_COMMAND for bash.
 * What the person has set stays. Nothing where no profile does that.
 */
export function afterProfile(
  environ: Readonly<Record<string, string | undefined>>,
  { shim, bin }: { readonly shim: string; readonly bin: string },
): Record<string, string> {
  const back = `case ":$PATH:" in *:${quoted(shim)}:*) ;; *) PATH=${quoted(shim)}:$PATH:${quoted(bin)} ;; esac`;
  return {
    ...(environ.ENV === undefined ? { ENV: `${shim}/after-profile.sh` } : {}),
    ...(environ.PROMPT_COMMAND === undefined ? { PROMPT_COMMAND: back } : {}),
  };
}

/** Whether a profile assigns a PATH in which the one before is not kept. */
export function setsPathAnew(profile: string): boolean {
  return profile.split('\n').some((line) => /^\s*(?:export\s+)?PATH=/.test(line) && !/\$\{?PATH\b/.test(line));
}

/** Whether the machine's profile does; false where there is none that can be read. */
export function doesSystemProfile(path = '/etc/profile'): boolean {
  try {
    return setsPathAnew(readFileSync(path, 'utf8'));
  } catch {
    return false;
  }
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
