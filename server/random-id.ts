import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

const ID_BYTES = 16;

/**
 * A name that nobody can guess: 128 random bits as 32 hexadecimal digits. From the kernel's generator (random(4)), since
 * Node's crypto takes milliseconds to load and a start waits for the first name; from crypto where there is no such device.
 */
export function randomId(): string {
  try {
    const bytes = Buffer.alloc(ID_BYTES);
    const fd = openSync('/dev/urandom', 'r');
    try {
      if (readSync(fd, bytes) === ID_BYTES) return bytes.toString('hex');
    } finally {
      closeSync(fd);
    }
  } catch {
    // No such device.
  }
  return randomUUID().replaceAll('-', '');
}
