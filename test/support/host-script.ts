import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the pty host as `npm run build` does and returns the script's path. It lies inside the repository, where the
 * script finds node-pty, and has this process's number, so that tests that run at the same time don't share it.
 */
export async function buildHostScript(): Promise<string> {
  const directory = resolve(`node_modules/.cache/mplex-test/${process.pid}`);
  await mkdir(directory, { recursive: true });
  const outfile = join(directory, 'ptyhost.mjs');
  await build({
    entryPoints: ['server/pty-host/ptyhost.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['node-pty'],
    logLevel: 'warning',
  });
  return outfile;
}
