// Bundles each process into dist/: the command line loads nothing that a one-shot call does not need.
// node-pty stays outside (it is native); everything else is inside, so a running server never loads a file lazily.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const banner = {
  js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
};

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
await rm('dist', { recursive: true, force: true });
const result = await build({
  entryPoints: {
    mplex: 'client/mplex.ts',
    mplexd: 'server/mplexd.ts',
    ptyhost: 'server/pty-host/ptyhost.ts',
  },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: ['node-pty'],
  splitting: true,
  chunkNames: 'chunk-[name]-[hash]',
  banner,
  define: { MPLEX_VERSION: JSON.stringify(version) },
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
});
await writeFile('dist/meta.json', JSON.stringify(result.metafile));
