import { mkdir, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the pty host as `npm run build` does and returns the script's path: inside the repository, where the script
 * finds node-pty. Tests that run at the same time put the same file in place, each in one step.
 */
export async function buildHostScript(): Promise<string> {
  const directory = resolve('node_modules/.cache/mplex-test');
  const script = `${directory}/ptyhost.mjs`;
  const ownScript = `${directory}/ptyhost-${process.pid}.mjs`;
  await mkdir(directory, { recursive: true });
  await build({
    entryPoints: ['server/pty-host/ptyhost.ts'],
    outfile: ownScript,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['node-pty'],
    logLevel: 'warning',
  });
  await rename(ownScript, script);
  return script;
}
