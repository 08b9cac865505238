import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC as /proc/PID/fdinfo prints it (proc(5)); the value is Linux's on every architecture Node runs on. */
const O_CLOEXEC = 0o2000000;

/**
 * Closes every descriptor above 2 that was inherited, except those in `keep`, and returns which. Node opens its own
 * descriptors close-on-exec, so an inherited one is one without that flag. To be called first thing in a long-lived
 * process, so that no pipe or terminal of whoever started it stays open (a `$(mplex …)` would wait for it for ever).
 * Where there is no /proc it does nothing.
 */
export function closeInheritedDescriptors(keep: readonly number[] = []): number[] {
  const closed: number[] = [];
  for (const descriptor of listDescriptors()) {
    if (descriptor <= 2 || keep.includes(descriptor) || !isInherited(descriptor)) continue;
    try {
      closeSync(descriptor);
      closed.push(descriptor);
    } catch {
      // Gone already: nothing left to close.
    }
  }
  return closed;
}

function listDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}
