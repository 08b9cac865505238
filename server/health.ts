/** What the server can say of itself to `mplex doctor`: one check a line, each with advice where it is not as it should be. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import type { HealthCheck } from '../protocol/control.ts';
import { VERSION } from '../protocol/version.ts';
import type { ServerLog } from './log.ts';
import type { Registry } from './model/registry.ts';
import { findSpawnObstacle, realSystem } from './pty-host/headroom.ts';
import { windowsBytes } from './terminal/history-window.ts';

/** Share of a limit from which on it is a warning. */
const NEAR = 0.8;
const MEBIBYTE = 1 << 20;

export interface HealthContext {
  readonly registry: Registry;
  readonly log: ServerLog;
  readonly hostPid: number | undefined;
  /** Paths of the sockets. */
  readonly sockets: readonly string[];
  /** Whether sessions are kept on disk, or why not. */
  readonly journal: { readonly isOn: boolean; readonly failure: string | undefined };
  /** The sockets' names still lead to this server. */
  readonly areIntact: boolean;
}

/** All checks, in the order in which they are printed. */
export function checkHealth(context: HealthContext): HealthCheck[] {
  return [
    checkServer(context),
    checkSockets(context),
    checkHost(context),
    checkDescriptors(),
    checkProcesses(),
    checkPtys(),
    checkJournal(context),
    checkLog(context),
  ];
}

function checkServer({ registry }: HealthContext): HealthCheck {
  const { sessions, windows, panes, clients } = registry;
  const memory = Math.round(process.memoryUsage.rss() / MEBIBYTE);
  const unpacked = Math.round(windowsBytes() / MEBIBYTE);
  const counts = `${sessions.size} sessions, ${windows.size} windows, ${panes.size} panes, ${clients.size} clients`;
  return {
    name: 'server',
    status: 'pass',
    text: `mplex ${VERSION}, node ${process.version}, pid ${process.pid}, up ${Math.round(process.uptime())} s, ${memory} MiB (${unpacked} of lines that are not packed yet); ${counts}`,
  };
}

function checkSockets({ sockets, areIntact }: HealthContext): HealthCheck {
  const open = sockets.filter((path) => !isPrivate(path));
  if (!areIntact) {
    const advice = `put them back: kill -USR1 ${process.pid}`;
    return { name: 'sockets', status: 'fail', text: 'a socket was removed or replaced', advice };
  }
  if (open.length > 0) {
    return {
      name: 'sockets',
      status: 'fail',
      text: `others may use ${open.join(', ')}`,
      advice: `chmod 600 ${open.join(' ')}`,
    };
  }
  return { name: 'sockets', status: 'pass', text: `${sockets.length} in place, mode 0600` };
}

function isPrivate(path: string): boolean {
  try {
    return (lstatSync(path).mode & 0o077) === 0;
  } catch {
    return false;
  }
}

function checkHost({ hostPid, registry }: HealthContext): HealthCheck {
  if (hostPid !== undefined) return { name: 'pty host', status: 'pass', text: `connected, pid ${hostPid}` };
  if (registry.panes.size === 0) return { name: 'pty host', status: 'pass', text: 'not needed yet' };
  return { name: 'pty host', status: 'fail', text: 'not connected', advice: 'the next new pane starts another' };
}

function checkJournal({ journal: { isOn, failure } }: HealthContext): HealthCheck {
  if (failure !== undefined) {
    const advice = 'sessions would not survive a reboot: make the place writable, or set -s resurrect off';
    return { name: 'journal', status: 'warn', text: `sessions are not kept on disk: ${failure}`, advice };
  }
  return { name: 'journal', status: 'pass', text: isOn ? 'sessions are kept on disk' : 'off (option resurrect)' };
}

/** setrlimit(2) RLIMIT_NOFILE of the server. */
function checkDescriptors(): HealthCheck {
  const most = Number(/^Max open files\s+(\d+)/m.exec(readText('/proc/self/limits'))?.[1] ?? Number.NaN);
  const used = countNames('/proc/self/fd');
  const check = shareOf('descriptors', { used, most, advice: 'raise `ulimit -n` before the server is started' });
  return check ?? { name: 'descriptors', status: 'pass', text: 'no limit known' };
}

function checkProcesses(): HealthCheck {
  const obstacle = findSpawnObstacle(realSystem);
  if (obstacle === undefined) return { name: 'processes', status: 'pass', text: 'room for more' };
  return {
    name: 'processes',
    status: 'fail',
    text: obstacle,
    advice: 'new panes are refused; raise `ulimit -u` or the limit of the control group',
  };
}

/** pts(4): the kernel's own limit. */
function checkPtys(): HealthCheck {
  const most = Number.parseInt(readText('/proc/sys/kernel/pty/max'), 10);
  const used = Number.parseInt(readText('/proc/sys/kernel/pty/nr'), 10);
  const check = shareOf('ptys', { used, most, advice: 'raise kernel.pty.max (sysctl)' });
  return check ?? { name: 'ptys', status: 'pass', text: 'no limit known' };
}

function shareOf(
  name: string,
  { used, most, advice }: { readonly used: number; readonly most: number; readonly advice: string },
): HealthCheck | undefined {
  if (!Number.isFinite(used) || !Number.isFinite(most) || most <= 0) return undefined;
  const text = `${used} of ${most}`;
  return used < most * NEAR ? { name, status: 'pass', text } : { name, status: 'warn', text, advice };
}

function checkLog({ log }: HealthContext): HealthCheck {
  if (log.fault === undefined) return { name: 'log', status: 'pass', text: 'no fault' };
  return {
    name: 'log',
    status: 'warn',
    text: `cannot be written: ${log.fault}`,
    advice: 'make room, or start the server with -v elsewhere',
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function countNames(path: string): number {
  try {
    return readdirSync(path).length;
  } catch {
    return Number.NaN;
  }
}
