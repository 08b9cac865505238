import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const TOP = ['protocol', 'src', 'server', 'client'];

/** Folders by rank: a file imports its own folder or lower ranks only. */
const RANKS: readonly (readonly string[])[] = [
  ['protocol'],
  ['src/overlay'],
  ['src/flow'],
  ['server/log.ts', 'server/events.ts'],
  ['server/terminal', 'server/layout', 'server/options', 'server/pty-host'],
  ['server/model'],
  ['server/format'],
  ['server/command'],
  ['server/keys', 'server/mode', 'server/jobs'],
  ['server/command/entries', 'server/render'],
  ['server', 'client'],
];

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : entry.name.endsWith('.ts') ? [path] : [];
  });
}

function rankOf(file: string): number {
  const own = RANKS.findIndex((folders) => folders.includes(file));
  if (own >= 0) return own;
  let folder = dirname(file);
  while (folder !== '.') {
    const rank = RANKS.findIndex((folders) => folders.includes(folder));
    if (rank >= 0) return rank;
    folder = dirname(folder);
  }
  throw new Error(`no rank for ${file}`);
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

const files = TOP.flatMap(sources);

describe('the structure', () => {
  it('has files whose names are unique', () => {
    const names = files.map((file) => basename(file));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('lets a file import only its own folder and lower ranks', () => {
    const wrong: string[] = [];
    for (const file of files) {
      for (const imported of importsOf(file)) {
        if (!imported.startsWith('.')) continue;
        const target = relative(ROOT, resolve(ROOT, dirname(file), imported));
        const sameFolder = dirname(target) === dirname(file);
        const sides = [file, target].map((path) => path.split('/')[0]);
        const crosses = sides.includes('server') && sides.includes('client');
        if (crosses || (!sameFolder && rankOf(target) >= rankOf(file) && rankOf(file) !== RANKS.length - 1))
          wrong.push(`${file} imports ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('keeps native and heavy packages behind their one file', () => {
    const users = (name: string) => files.filter((file) => importsOf(file).includes(name));
    expect(users('node-pty')).toEqual(['server/pty-host/pty-owner.ts']);
    expect(users('@xterm/headless')).toEqual(['server/terminal/emulator-internals.ts', 'server/terminal/emulator.ts']);
    for (const file of users('zod'))
      expect(file).toMatch(
        /^(protocol\/control|src\/flow|server\/journal\/journal-schema|server\/survival\/reopening-schema)/,
      );
  });

  it('loads neither zod, xterm, msgpackr, node-pty nor node:net for a one-shot call', () => {
    const meta: unknown = JSON.parse(readFileSync(join(ROOT, 'dist/meta.json'), 'utf8'));
    const inputs = staticInputs(meta, 'dist/mplex.js');
    expect(inputs.filter((path) => /node_modules/.test(path))).toEqual([]);
    expect(inputs.some((path) => path.startsWith('client/'))).toBe(true);
    const loaded = readFileSync(join(ROOT, 'dist/mplex.js'), 'utf8').matchAll(/require\("([^"]+)"\)/g);
    expect([...new Set([...loaded].map((match) => match[1]))].sort()).toEqual([
      './command-line.js',
      'node:fs',
      'node:path',
    ]);
  });

  it('starts a server, and attaches, without zod and without the SDK of agents', () => {
    const meta: unknown = JSON.parse(readFileSync(join(ROOT, 'dist/meta.json'), 'utf8'));
    for (const entry of [
      'server/server.ts',
      'server/mplexd.ts',
      'server/pty-host/ptyhost.ts',
      'client/attach/attach.ts',
    ]) {
      const modules = evaluatedModules(meta, entry);
      expect(modules).toContain(entry);
      expect(modules.filter((path) => /node_modules\/(?:zod|@modelcontextprotocol)\/|^whole:/.test(path))).toEqual([]);
    }
  });
});

/** The source files that are evaluated with a module: what it imports, but not by `import()`. */
function evaluatedModules(meta: unknown, entry: string): string[] {
  // esbuild's metafile, written by our own build.
  const { inputs } = meta as { inputs: Record<string, { imports: readonly { path: string; kind: string }[] }> };
  const seen = new Set<string>();
  const visit = (path: string) => {
    const input = inputs[path];
    if (!input || seen.has(path)) return;
    seen.add(path);
    for (const one of input.imports) if (one.kind !== 'dynamic-import') visit(one.path);
  };
  visit(entry);
  return [...seen];
}

interface Output {
  readonly inputs: Record<string, unknown>;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

/** The source files that an output loads without a dynamic import. */
function staticInputs(meta: unknown, entry: string): string[] {
  // esbuild's metafile, written by our own build.
  const { outputs } = meta as { outputs: Record<string, Output> };
  const seen = new Set<string>();
  const visit = (name: string): string[] => {
    const output = outputs[name];
    if (!output || seen.has(name)) return [];
    seen.add(name);
    return [
      ...Object.keys(output.inputs),
      ...output.imports.filter((one) => one.kind === 'import-statement').flatMap((one) => visit(one.path)),
    ];
  };
  return visit(entry);
}
