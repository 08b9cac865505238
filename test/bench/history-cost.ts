/**
 * What a history of a million lines costs: memory, a change of the width, the first hit of a search, reading.
 *
 *   npm run bench -- history
 */
import { blankRow } from '../../protocol/cell.ts';
import { GridSearch } from '../../server/mode/copy-search.ts';
import { FrozenGrid } from '../../server/mode/frozen-grid.ts';
import { GridReader } from '../../server/mode/grid-reader.ts';
import { Emulator } from '../../server/terminal/emulator.ts';
import { viewOf } from '../../server/terminal/history.ts';
import { HistoryBudget } from '../../server/terminal/history-budget.ts';

const LINES = Number(process.env.BENCH_LINES ?? 1_000_000);
const COLS = 120;
const ROWS = 50;

function textLine(i: number): string {
  return i % 10 === 0
    ? `\x1b[32m${i}\x1b[m 日本語 ${'wide '.repeat(i % 7)}\r\n`
    : `2026-01-01T12:${i % 60}Z INFO worker[${i % 17}] id=${(i * 2654435761) % 4294967296} path=/api/v1/items/${i % 977} took=${i % 233}ms\r\n`;
}

function milliseconds(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function spread(times: number[]): string {
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${(times.at(-1) ?? 0).toFixed(2)} ms`;
}

function print(emulator: Emulator): void {
  let text = '';
  for (let i = 0; i < LINES; i++) {
    text += textLine(i);
    if (text.length < 4000 && i < LINES - 1) continue;
    emulator.write(Buffer.from(text));
    text = '';
  }
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function residentMiB(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().rss / 2 ** 20;
}

const before = residentMiB();
const budget = new HistoryBudget();
const emulator = new Emulator({
  size: { cols: COLS, rows: ROWS },
  scrollback: LINES,
  budget,
  now: () => 0,
  handlers: { reply: () => {} },
});
console.log(`${LINES} lines printed in ${milliseconds(() => print(emulator)).toFixed(0)} ms`);
const tidying: number[] = [];
for (let goesOn = true; goesOn; ) tidying.push(milliseconds(() => (goesOn = emulator.tidy())));
console.log(`packing while quiet: ${tidying.length} steps, ${spread(tidying)}`);
console.log(
  `memory: ${(residentMiB() - before).toFixed(0)} MiB more; packed rows ${mib(emulator.historyBytes)}, deflated ${mib(budget.bytes)}`,
);

let length = 0;
const resizes: number[] = [];
const counts: number[] = [];
for (let i = 0; i < 100; i++) {
  resizes.push(milliseconds(() => emulator.resize({ cols: 20 + ((i * 37) % 200), rows: 10 + ((i * 13) % 60) })));
  counts.push(milliseconds(() => (length = emulator.historyLength)));
}
console.log(`a change of the size: ${spread(resizes)}`);
console.log(`counting the rows at the new width, when asked (#{history_size}): ${spread(counts)}; ${length} rows`);

emulator.resize({ cols: COLS, rows: ROWS });
const view = viewOf(emulator);
let grid: FrozenGrid | undefined;
console.log(`entering copy mode: ${milliseconds(() => (grid = FrozenGrid.copyOf(view))).toFixed(2)} ms`);
const row = blankRow(COLS);
const reads: number[] = [];
for (let i = 0; i < 1000; i++) reads.push(milliseconds(() => view.row((i * 7919 * 31) % view.length, row)));
console.log(`reading a row anywhere: ${spread(reads)}`);
if (grid) {
  const reader = new GridReader(grid);
  const last = { x: COLS, line: grid.length - 1 };
  for (const [text, isRegex] of [
    ['id=2654435761 ', false],
    ['INFO worker[3]', false],
    ['nowhere to be found', false],
    ['日本語 ウ', false],
    ['items/976 took=.*9ms$', true],
    ['^nowhere', true],
  ] as const) {
    const search = new GridSearch(reader, { text, isRegex });
    let hit: unknown;
    const first = milliseconds(() => (hit = search.before(last)));
    let count = { total: 0, isAll: false };
    const counting = milliseconds(() => (count = search.count()));
    console.log(
      `search ${isRegex ? 'regex' : 'text'} "${text}": ${hit ? 'first hit' : 'no hit'} after ${first.toFixed(0)} ms; ${count.total}${count.isAll ? '' : '+'} counted in ${counting.toFixed(0)} ms`,
    );
  }
}
