import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename } from 'node:path';

export interface ForegroundProgram {
  readonly name: string;
  readonly pid: number;
}

/** What can be seen of a pane's processes; undefined where the system does not tell. */
export interface ProcessProbe {
  /** Name of the foreground program of the terminal whose leader is `pid`. */
  foregroundCommand(pid: number): string | undefined;
  /** The same program as a person knows it, by its script if an interpreter runs one, and its pid. */
  foregroundProgram(pid: number): ForegroundProgram | undefined;
  /** Working directory of the foreground program, else of the leader. */
  workingDirectory(pid: number): string | undefined;
}

/** What `mplex` runs as. */
const OWN_BUNDLE = /^mplex\.js$/;
/** Programs that are known by what they run. */
const INTERPRETERS = /^(?:(?:ba|da|z|k|fi)?sh|node|bun|deno|perl|ruby|python)[0-9.]*$/;

/** Reads Linux's /proc; elsewhere everything is undefined and callers fall back to what they started. */
export const procfsProbe: ProcessProbe = {
  foregroundCommand(pid) {
    const group = foregroundGroup(pid);
    if (group === undefined) return undefined;
    const cmdline = read(`/proc/${group}/cmdline`);
    const first = cmdline?.split('\0')[0];
    if (first) return basename(first).replace(/^-/, '');
    return read(`/proc/${group}/comm`)?.trim();
  },
  foregroundProgram(pid) {
    const group = foregroundGroup(pid);
    const name = group === undefined ? undefined : this.foregroundCommand(pid);
    if (group === undefined || name === undefined) return undefined;
    const script = read(`/proc/${group}/cmdline`)?.split('\0')[1] ?? '';
    const isScript = INTERPRETERS.test(name) && script !== '' && !script.startsWith('-');
    return { name: isScript ? basename(script).replace(OWN_BUNDLE, 'mplex') : name, pid: group };
  },
  workingDirectory(pid) {
    for (const candidate of [foregroundGroup(pid), pid]) {
      if (candidate === undefined) continue;
      try {
        return readlinkSync(`/proc/${candidate}/cwd`);
      } catch {
        // The process is another user's or gone; the leader may still tell.
      }
    }
    return undefined;
  },
};

/** The user of a process (owner of its directory in proc(5)); undefined where the system does not tell. */
export function ownerOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return undefined;
  }
}

/** What the foreground program of a terminal was started with. */
export interface ForegroundLine {
  readonly argv: readonly string[];
  /** It is the terminal's leader itself. */
  readonly isLeader: boolean;
}

/** The foreground program's command line, of the terminal whose leader is `pid`; undefined where the system does not tell. */
export function foregroundLine(pid: number): ForegroundLine | undefined {
  const group = foregroundGroup(pid);
  if (group === undefined) return undefined;
  const cmdline = read(`/proc/${group}/cmdline`);
  if (!cmdline) return undefined;
  return { argv: cmdline.replace(/\0$/, '').split('\0'), isLeader: group === pid };
}

/** The process that started one (proc(5), field 4 of stat); undefined where the system does not tell. */
export function parentOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  return Number.isInteger(parent) && parent > 0 ? parent : undefined;
}

/** The foreground process group of a process's terminal (proc(5), field 8 of stat). */
function foregroundGroup(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const group = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[5]);
  return Number.isInteger(group) && group > 0 ? group : undefined;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
