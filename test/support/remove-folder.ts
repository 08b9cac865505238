/** Removes a test's folder, in which programs that are just ending may still write. */
import { rmSync } from 'node:fs';
import { waitUntil } from './wait-until.ts';

/** Begins anew where something has come into it meanwhile: Node's own retries do not look into the folder again. */
export async function removeFolder(path: string): Promise<void> {
  let last = '';
  const isGone = () => {
    try {
      rmSync(path, { recursive: true, force: true });
      return true;
    } catch (error) {
      last = String(error);
      return false;
    }
  };
  await waitUntil(`the end of ${path}`, isGone, { timeoutMs: 20_000, describe: () => last });
}
