// Bundles each process into dist/: a small start file each, and the large parts in dist/lib/ with V8's code cache beside
// them (boot/bundle-loader.ts). node-pty stays outside (it is native); everything else is inside, so a running server
// never loads a file lazily. Where there is a C compiler, the launcher and the starter of jobs
// (native/) are built as well.
// usage: node scripts/build.mjs [DIRECTORY]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { makeCaches } from './make-caches.mjs';

/** Modules that a start does without, or that are large: each is a bundle of its own, loaded by `import()`. */
const PARTS = {
  server: 'server/server.ts',
  ptyhost: 'server/pty-host/ptyhost.ts',
  'command-line': 'client/command-line.ts',
  attach: 'client/attach/attach.ts',
  ask: 'client/ask/ask.ts',
  doctor: 'client/doctor/doctor-probe.ts',
  'flow-check': 'client/ask/flow-check.ts',
  spec: 'src/flow/spec.ts',
  mcp: 'client/mcp/mcp.ts',
};
const PROGRAMS = {
  mplex: 'client/mplex.ts',
  mplexd: 'server/mplexd.ts',
  popup: 'client/ask/popup.ts',
};

const target = process.argv[2] ?? 'dist';
// Built aside and put in place at the end: whoever runs the present build meanwhile has nearly all of it.
const out = `node_modules/.cache/mplex-build-${process.pid}`;
const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const metafile = { inputs: {}, outputs: {} };

/** `import('./server.ts')` becomes `require('./server.js')`. */
const splitParts = {
  name: 'split-parts',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const file = relative('.', resolve(resolveDir, path));
      const part = Object.keys(PARTS).find((name) => PARTS[name] === file);
      return part && { path: `./${part}.js`, external: true };
    });
  },
};

/**
 * zod speaks one language; xterm's table is filled, and its watch, which nobody looks at, does not have Node load
 * `performance`; the tables of character widths are unpacked when the first character needs them.
 */
const lighterPackages = {
  name: 'lighter-packages',
  setup({ onLoad, onResolve }) {
    onlyEnglish(onLoad);
    onLoad({ filter: /xterm-headless\.js$/ }, async ({ path }) => ({
      contents: replaceOnce(
        replaceOnce(await readFile(path, 'utf8'), ADD_MANY, ADD_MANY_FILLING),
        HAS_CLOCK,
        'const s=!0',
      ),
    }));
    onResolve({ filter: /^@xterm\/addon-unicode-graphemes$/ }, ({ importer, resolveDir }) =>
      basename(importer) === 'text-width.ts'
        ? { path: 'graphemes-when-used', namespace: 'lazy', pluginData: resolveDir }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ pluginData }) => ({
      contents: `Object.defineProperty(exports, 'UnicodeGraphemesAddon', {
        get: () => require('@xterm/addon-unicode-graphemes').UnicodeGraphemesAddon,
      });`,
      resolveDir: pluginData,
    }));
  },
};

/** xterm's parser writes its table of transitions entry by entry, milliseconds of a start; ranges are filled instead. */
const ADD_MANY = 'for(let r=0;r<e.length;r++)this.table[t<<8|e[r]]=s<<4|i';
const ADD_MANY_FILLING = `const n=e.length,a=t<<8|e[0];if(e[n-1]-e[0]===n-1)this.table.fill(s<<4|i,a,a+n);else ${ADD_MANY}`;

const HAS_CLOCK = 'const s=globalThis.performance&&"function"==typeof globalThis.performance.now';

function onlyEnglish(onLoad) {
  onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "export { default as en } from './en.js';" }));
}

function replaceOnce(text, before, after) {
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`not there once: ${before}`);
  return parts.join(after);
}

/** Parts of Node that a start does without, loaded when one of their functions is first used. */
const LAZY_BUILTINS = ['node:child_process', 'node:crypto', 'node:fs/promises', 'node:zlib'];
const lazyBuiltins = {
  name: 'lazy-builtins',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      LAZY_BUILTINS.includes(path) && namespace !== 'builtin' ? { path, namespace: 'builtin' } : undefined,
    );
    // A function each, of which the bundle keeps those that are used; nothing else of these parts can be imported.
    onLoad({ filter: /.*/, namespace: 'builtin' }, async ({ path }) => ({
      contents: Object.entries(await import(path))
        .filter(([name, value]) => name !== 'default' && typeof value === 'function')
        .map(([name]) => `export const ${name} = (...args) => require('${path}').${name}(...args);`)
        .join('\n'),
    }));
  },
};

/** Of node-pty its native part alone, without the files around it: server/pty-host/pty-owner.ts uses nothing else. */
const nativePty = {
  name: 'native-pty',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node-pty$/ }, ({ namespace }) =>
      namespace === 'file' ? { path: 'node-pty', namespace: 'native-pty' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'native-pty' }, () => ({
      contents: "exports.native = require('node-pty/lib/utils.js').loadNativeModule('pty').module;",
    }));
  },
};

/** In the server zod is a module of CommonJS, so that nothing of it is evaluated before the first request that it checks. */
const zodWhenUsed = {
  name: 'zod-when-used',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^zod$/ }, ({ namespace, resolveDir }) =>
      namespace === 'file' ? { path: 'zod', namespace: 'whole', pluginData: resolveDir } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'whole' }, async ({ pluginData: resolveDir }) => {
      const { outputFiles } = await build({
        ...common,
        stdin: { contents: "export { z } from 'zod';", resolveDir },
        metafile: false,
        write: false,
      });
      return { contents: outputFiles[0].text, resolveDir };
    });
  },
};

const common = {
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  // Positions in crash reports mean something.
  lineLimit: 160,
  platform: 'node',
  // Not modules: V8's code cache is for scripts, and Node starts faster without its loader of modules.
  format: 'cjs',
  supported: { 'dynamic-import': false },
  target: 'node20',
  external: ['node-pty/*'],
  define: {
    MPLEX_VERSION: JSON.stringify(version),
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
  },
  plugins: [splitParts, lighterPackages, lazyBuiltins, nativePty],
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

async function bundle(options) {
  const result = await build({ ...common, ...options });
  Object.assign(metafile.inputs, result.metafile.inputs);
  Object.assign(metafile.outputs, result.metafile.outputs);
}

/** lib/NAME.js and NAME.js, which runs it with its cache. */
async function bundlePart(name, entry) {
  const outfile = join(out, 'lib', `${name}.js`);
  await bundle({
    entryPoints: [entry],
    outfile,
    plugins: name === 'server' ? [zodWhenUsed, ...common.plugins] : common.plugins,
    banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
    footer: { js: '})' },
  });
  const hash = createHash('sha256')
    .update(await readFile(outfile))
    .digest('hex')
    .slice(0, 16);
  const options = `{ name: '${name}', hash: '${hash}', directory: __dirname, require }`;
  const contents = `import { loadBundle } from './boot/bundle-loader.ts';\nmodule.exports = loadBundle(${options});\n`;
  await bundle({ stdin: { contents, resolveDir: '.', loader: 'ts' }, outfile: join(out, `${name}.js`) });
}

const LAUNCHER_FILES = ['launcher', 'command-line', 'server-socket', 'frames', 'call', 'start-server', 'become-node'];

/** Without a compiler, or if what it makes does not run: no launcher, and bin/mplex starts Node. */
async function compileLauncher() {
  const launcher = join(out, 'mplex-launcher');
  const messages = await readFile('protocol/message.ts', 'utf8');
  const number = (name) => new RegExp(`export const ${name} = (\\d+);`).exec(messages)?.[1];
  const defines = [
    `MPLEX_VERSION="${version}"`,
    `NODE_PATH="${process.execPath}"`,
    `PROTOCOL_MAJOR=${number('PROTOCOL_MAJOR')}`,
    `PROTOCOL_MINOR=${number('PROTOCOL_MINOR')}`,
  ];
  try {
    const flags = ['-std=gnu11', '-O2', '-s', ...defines.map((define) => `-D${define}`)];
    const files = LAUNCHER_FILES.map((name) => `native/${name}.c`);
    execFileSync(process.env.CC ?? 'cc', [...flags, '-o', launcher, ...files], { stdio: 'ignore' });
    const said = execFileSync(launcher, ['-V'], { encoding: 'utf8' });
    if (said !== `mplex ${version}\n`) throw new Error(said);
  } catch {
    await rm(launcher, { force: true });
  }
}

/** Without a compiler, or if what it makes does not end with its input: none, and the server starts jobs itself. */
async function compileJobs() {
  const program = join(out, 'mplex-jobs');
  try {
    const flags = ['-std=gnu11', '-O2', '-s', '-o', program, 'native/jobs.c'];
    execFileSync(process.env.CC ?? 'cc', flags, { stdio: 'ignore' });
    execFileSync(program, { input: '', timeout: 5000, stdio: ['pipe', 'ignore', 'ignore'] });
  } catch {
    await rm(program, { force: true });
  }
}

async function buildAll() {
  await mkdir(join(out, 'lib'), { recursive: true });
  await writeFile(join(out, 'package.json'), '{ "type": "commonjs" }\n');
  await writeFile(join(out, 'node-path'), `${process.execPath}\n`);
  for (const [name, entry] of Object.entries(PARTS)) await bundlePart(name, entry);
  await bundle({ entryPoints: PROGRAMS, outdir: out });
  await bundle({ entryPoints: { client: 'client/ask/library.ts' }, outdir: out });
  await copyFile('client/ask/client-types.d.ts', join(out, 'client.d.ts'));
  await writeFile(join(out, 'meta.json'), JSON.stringify(metafile).replaceAll(out, target));
  await compileLauncher();
  await compileJobs();
  await makeCaches(out);
  await rm(target, { recursive: true, force: true });
  await rename(out, target);
}

try {
  await buildAll();
} finally {
  await rm(out, { recursive: true, force: true });
}
