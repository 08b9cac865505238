/**
 * Whether one more program can be started. node-pty starts a thread for each pty and the process aborts if that fails,
 * which would cost every pane, so a spawn is refused while a few threads are still to be had.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Threads that must be left before a spawn: the program, node-pty's thread, and some to spare. */
export const HEADROOM = 10;

/** What the check looks at; tests pass files of their own. */
export interface SystemView {
  /** The file's text, undefined if it cannot be read. */
  readonly read: (path: string) => string | undefined;
  /** A directory's names, none if it cannot be read. */
  readonly list: (path: string) => readonly string[];
  readonly uid: number;
}

export const realSystem: SystemView = {
  read: (path) => {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return undefined;
    }
  },
  list: (path) => {
    try {
      return readdirSync(path);
    } catch {
      return [];
    }
  },
  uid: process.getuid?.() ?? 0,
};

/** Why no program should be started now, or undefined. */
export function findSpawnObstacle(system: SystemView): string | undefined {
  const limit = readProcessLimit(system);
  if (limit !== undefined && isNearLimit(system, limit)) return `too many processes: limit ${limit}`;
  for (const directory of cgroupDirectories(system)) {
    const most = Number(system.read(`${directory}/pids.max`)?.trim());
    const current = Number(system.read(`${directory}/pids.current`)?.trim());
    if (Number.isFinite(most) && Number.isFinite(current) && current + HEADROOM > most) {
      return `too many processes: limit ${most} of the control group`;
    }
  }
  return undefined;
}

/** RLIMIT_NPROC; undefined if unlimited or not applied (root, setrlimit(2)). */
function readProcessLimit(system: SystemView): number | undefined {
  if (system.uid === 0) return undefined;
  const soft = /^Max processes\s+(\d+)/m.exec(system.read('/proc/self/limits') ?? '')?.[1];
  return soft === undefined ? undefined : Number(soft);
}

function isNearLimit(system: SystemView, limit: number): boolean {
  // All threads of the machine are an upper bound that costs one read; counting one's own costs one per process.
  const all = /\d\/(\d+) /.exec(system.read('/proc/loadavg') ?? '')?.[1];
  if (all !== undefined && Number(all) + HEADROOM <= limit) return false;
  let threads = 0;
  for (const name of system.list('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const status = system.read(`/proc/${name}/status`) ?? '';
    if (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) !== system.uid) continue;
    threads += Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return threads + HEADROOM > limit;
}

/** The control group's directory and those above it, v2 or the v1 pids controller (cgroups(7)). */
function* cgroupDirectories(system: SystemView): Generator<string> {
  for (const line of (system.read('/proc/self/cgroup') ?? '').split('\n')) {
    const match = /^\d+:(|(?:.*,)?pids(?:,.*)?):(\/.*)$/.exec(line);
    if (!match) continue;
    const root = match[1] === '' ? '/sys/fs/cgroup' : '/sys/fs/cgroup/pids';
    let path = match[2] ?? '/';
    while (path !== '' && path !== '/') {
      yield root + path;
      path = path.slice(0, path.lastIndexOf('/'));
    }
    yield root;
  }
}
