// Measures the built program from outside beside the installed tmux and screen, and its hot functions from inside.
// The multiplexers take turns, so that a busy machine is busy for all of them; printed are the medians of the runs,
// the ratio to tmux, what is wanted (targets.mjs) and whether it is met.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { MEASURES, SCREEN_MEASURES } from './measures.mjs';
import { installed } from './mux.mjs';
import { judge } from './targets.mjs';

/** What is measured inside of one process. */
const BUNDLED = { micro: 'micro.ts', history: '../test/bench/history-cost.ts' };
const USAGE = `usage: npm run bench [-- [--runs N] [--json] [MEASURE ...]]
  MEASURE    ${Object.keys(MEASURES).join(' ')} micro: all of them without one; and history
  --runs N   runs of each, of which the medians are printed (3)
  --json     prints every value
in the environment:
  BENCH_MUX  what is measured: tmux,mplex,node,screen,relay
  BENCH_MB   megabytes of each kind of output (30)`;
const { values, positionals } = parseOptions();
const wanted = positionals.length > 0 ? positionals : [...Object.keys(MEASURES), 'micro'];
const muxes = installed((process.env.BENCH_MUX ?? 'tmux,mplex,node,screen,relay').split(','));
const directory = mkdtempSync(join(tmpdir(), 'bench-data-'));
/** measure → number's name → multiplexer → one value a run. */
const results = {};

/** Ends the process for --help, and with a line for what there is not. */
function parseOptions() {
  try {
    const parsed = parseArgs({
      options: {
        runs: { type: 'string', default: '3' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    });
    if (parsed.values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (!/^[1-9]\d*$/.test(parsed.values.runs)) throw new Error(`--runs: not a number of runs: ${parsed.values.runs}`);
    const unknown = parsed.positionals.find((name) => !Object.hasOwn({ ...MEASURES, ...BUNDLED }, name));
    if (unknown !== undefined) throw new Error(`no such measure: ${unknown} (--help tells those there are)`);
    return parsed;
  } catch (error) {
    console.error(`bench: ${error.message}`);
    process.exit(2);
  }
}

function applies(measure, mux) {
  // Without the launcher only starts and calls differ.
  if (mux === 'node') return measure === 'start';
  if (mux === 'relay') return measure === 'echo';
  return mux !== 'screen' || SCREEN_MEASURES.includes(measure);
}

async function runOnce(measure, mux) {
  try {
    const numbers = await MEASURES[measure](mux, { directory });
    for (const [name, value] of Object.entries(numbers)) {
      results[measure] ??= {};
      results[measure][name] ??= {};
      results[measure][name][mux] ??= [];
      results[measure][name][mux].push(value);
    }
  } catch (error) {
    console.error(`${measure} ${mux}: ${error.message}`);
    process.exitCode = 1;
  }
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function print(value) {
  if (value === undefined) return '';
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(value < 10 ? 2 : 1);
}

function table() {
  const head = ['', ...muxes, 'mplex / tmux', 'wanted', ''];
  const rows = [head, head.map(() => '---')];
  for (const [measure, numbers] of Object.entries(results)) {
    for (const [name, byMux] of Object.entries(numbers)) {
      const medians = Object.fromEntries(Object.entries(byMux).map(([mux, values]) => [mux, median(values)]));
      const { mplex, tmux } = medians;
      const ratio = mplex !== undefined && tmux > 0 ? print(mplex / tmux) : '';
      const row = `${measure} ${name}`;
      rows.push([row, ...muxes.map((mux) => print(medians[mux])), ratio, ...judge(row, medians)]);
    }
  }
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

try {
  for (const measure of wanted.filter((name) => name in MEASURES)) {
    for (let run = 0; run < Number(values.runs); run++) {
      for (const mux of muxes) if (applies(measure, mux)) await runOnce(measure, mux);
    }
    console.error(`${measure} done`);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
if (Object.keys(results).length > 0) console.log(values.json ? JSON.stringify(results) : table());
for (const [name, entry] of Object.entries(BUNDLED)) if (wanted.includes(name)) runBundled(entry);

/** Bundles measurements of functions beside the node_modules that they need, and runs them. */
function runBundled(entry) {
  const bundle = join(import.meta.dirname, `../node_modules/.bench-${process.pid}.mjs`);
  const data = mkdtempSync(join(tmpdir(), 'bench-data-'));
  try {
    buildSync({
      entryPoints: [join(import.meta.dirname, entry)],
      bundle: true,
      platform: 'node',
      format: 'esm',
      // Packages are in it: what makes their tables whole (src/overlay/unpooled-buffer.ts) must run before them.
      external: ['node-pty'],
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      outfile: bundle,
    });
    const env = { ...process.env, BENCH_DIRECTORY: data };
    const { status } = spawnSync(process.execPath, ['--expose-gc', bundle], { stdio: 'inherit', env });
    if (status !== 0) process.exitCode = 1;
  } finally {
    rmSync(data, { recursive: true, force: true });
    rmSync(bundle, { force: true });
  }
}
