/** Whose journal it is: told from pid, start time, boot and host, so that no living server's journal is taken for a lost one's. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

export interface JournalOwner {
  readonly pid: number;
  /** Clock ticks after the boot (proc(5), field 22 of stat); '' where the system does not tell. */
  readonly started: string;
  /** Random word of the boot; '' where the system does not tell. */
  readonly boot: string;
  readonly host: string;
}

export type OwnerState =
  /** Gone for sure. */
  | 'gone'
  | 'alive'
  /** Of the same boot and another host name: another container, whose processes cannot be seen from here. */
  | 'elsewhere';

/** This process. */
export function ownOwner(): JournalOwner {
  return { pid: process.pid, started: startOf('self'), boot: bootId(), host: hostname() };
}

/** Whether the server that a journal is of still lives, as far as `self` can tell. */
export function ownerState(owner: JournalOwner, self: JournalOwner): OwnerState {
  if (owner.boot !== self.boot) return 'gone';
  if (owner.host !== self.host) return 'elsewhere';
  return owner.started !== '' && startOf(String(owner.pid)) === owner.started ? 'alive' : 'gone';
}

function bootId(): string {
  return read('/proc/sys/kernel/random/boot_id').trim();
}

/** When a process started; '' if there is none, or nothing of it but the exit status that nobody has asked for. */
function startOf(pid: string): string {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /^[ZX]/.test(fields[0] ?? '') ? '' : (fields[19] ?? '');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
