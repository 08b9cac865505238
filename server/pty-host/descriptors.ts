/**
 * Which descriptors of this process came from whoever started it. The close-on-exec flag does not tell: Node sets it on
 * what it inherits, too, for the sake of its children. What Node opens by itself before the program runs does: event
 * queues, /dev/null, and pipes to itself, of which it holds both ends.
 */
import { closeSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

interface Descriptor {
  readonly number: number;
  /** What it leads to, as in proc(5): `pipe:[123]`, `/dev/ptmx`. */
  readonly target: string;
}

/** A word of the launcher's (native/start-server.c): it has closed all that it did not mean to hand on. */
export const INHERITS_NOTHING = '--inherits-nothing';

/** The O_ACCMODE bits of open(2). */
const ACCESS_MODE = 0o3;

/**
 * Closes every descriptor above 2 that was inherited, except those in `keep`, and returns which. To be called by a
 * long-lived process before it opens anything, so that no pipe or terminal of its starter stays open (a `$(mplex …)`
 * would wait for it for ever). Where there is no /proc it does nothing.
 */
export function closeInheritedDescriptors(keep: readonly number[] = []): number[] {
  const all = listDescriptors();
  const isInherited = (descriptor: Descriptor) =>
    descriptor.number > 2 && !keep.includes(descriptor.number) && !isOfNode(descriptor, all);
  // All are looked at before the first is closed.
  const inherited = all.filter(isInherited).map(({ number }) => number);
  for (const number of inherited) closeSync(number);
  return inherited;
}

function isOfNode({ number, target }: Descriptor, all: readonly Descriptor[]): boolean {
  if (target.startsWith('anon_inode:') || target === '/dev/null') return true;
  if (!target.startsWith('pipe:')) return false;
  const ends = all.filter((other) => other.target === target && other.number !== number);
  return ends.some((other) => canWrite(other.number) !== canWrite(number));
}

function canWrite(number: number): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'latin1'))?.[1] ?? '0';
  return (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0;
}

function listDescriptors(): Descriptor[] {
  const found: Descriptor[] = [];
  for (const name of listNames()) {
    try {
      found.push({ number: Number(name), target: readlinkSync(`/proc/self/fd/${name}`) });
    } catch {
      // The one that the listing itself had open.
    }
  }
  return found;
}

function listNames(): string[] {
  try {
    return readdirSync('/proc/self/fd');
  } catch {
    return [];
  }
}
