/**
 * What one frame of a 200x51 client costs: the scene drawn, and the difference to the frame before. Aim: 150 µs together.
 *
 *   npx esbuild test/bench/frame-cost.ts --bundle --platform=node --format=cjs | node
 */
import { blankRow, DEFAULT_STYLE, type Row, setCell } from '../../protocol/cell.ts';
import { diffFrames } from '../../protocol/damage.ts';
import { blankFrame } from '../../protocol/frame.ts';
import { Scene } from '../../server/render/scene.ts';
import { RenderWorld, screenOf } from '../support/render-world.ts';

const SIZE = { cols: 200, rows: 51 };
const WARM_UP = 2000;
const RUNS = 5000;

/** A row that is cells already, as the emulator's rows are. */
function textRow(cols: number, seed: number): Row {
  const row = blankRow(cols);
  for (let x = 0; x < cols; x++) setCell(row, x, String.fromCharCode(33 + ((x * 7 + seed * 3) % 90)), 1, DEFAULT_STYLE);
  return row;
}

function microseconds(run: (i: number) => void): string {
  for (let i = 0; i < WARM_UP; i++) run(i);
  const start = process.hrtime.bigint();
  for (let i = 0; i < RUNS; i++) run(i);
  return `${(Number(process.hrtime.bigint() - start) / RUNS / 1000).toFixed(1)} µs`;
}

function measure(splits: number): void {
  const world = new RenderWorld({ cols: SIZE.cols, rows: SIZE.rows - 1 });
  for (let i = 0; i < splits; i++) world.split(i % 2 === 0 ? 'row' : 'column');
  /** Which text each row of the active pane has now. */
  let seedOf = (y: number) => y;
  for (const pane of world.window.panes) {
    const texts = Array.from({ length: 90 }, (_, seed) => textRow(pane.rect.width, seed).words);
    const isActive = pane === world.window.active;
    screenOf(pane).screenRow = (y, into) => into.words.set(texts[(isActive ? seedOf(y) : y) % 90] ?? []);
  }
  const { client } = world.addClient(SIZE);
  const scene = new Scene(client, { registry: world.registry, expand: (format) => format });
  let shown = blankFrame(SIZE);
  let spare = blankFrame(SIZE);
  const state = { shown, isHeld: () => false };
  const frame = () => {
    scene.draw(spare, state);
    diffFrames(shown, spare);
    [shown, spare] = [spare, shown];
  };
  const draw = microseconds(() => scene.draw(spare, state));
  const same = microseconds(frame);
  const oneRow = microseconds((i) => {
    seedOf = (y) => (y === 3 ? i : y);
    frame();
  });
  const scrolled = microseconds((i) => {
    seedOf = (y) => y + i;
    frame();
  });
  const rewritten = microseconds((i) => {
    seedOf = (y) => y * 37 + i * 11;
    frame();
  });
  const panes = `${splits + 1} pane${splits === 0 ? '' : 's'}`;
  console.log(
    `${panes}: draw ${draw}; with difference: nothing new ${same}, one row ${oneRow}, scrolled by one ${scrolled}, all new ${rewritten}`,
  );
}

for (const splits of [0, 1, 3, 7]) measure(splits);
