/**
 * What the hot functions cost by themselves, and the limits: what reading a pty and xterm's bare parser can do at most.
 * `npm run bench -- micro` bundles and runs this. One line a number, the median of five rounds.
 */
import xterm from '@xterm/headless';
import { render } from '../client/attach/renderer.ts';
import { CapabilityProbe } from '../client/terminal/capabilities.ts';
import { blankRow, DEFAULT_STYLE, setCell } from '../protocol/cell.ts';
import { decodeServerMessage, encodeServerMessage } from '../protocol/codec.ts';
import { applyDamage, type Damage, diffFrames } from '../protocol/damage.ts';
import { blankFrame, type Frame } from '../protocol/frame.ts';
import { FORMAT_VARIABLES } from '../server/format/format-variables.ts';
import { PtyOwner } from '../server/pty-host/pty-owner.ts';
import { Scene } from '../server/render/scene.ts';
import { DirtyTracker } from '../server/terminal/dirty-rows.ts';
import { Emulator } from '../server/terminal/emulator.ts';
import { internalsOf } from '../server/terminal/emulator-internals.ts';
import { OscEnd } from '../server/terminal/osc-end.ts';
import { OutputParser } from '../server/terminal/output-parser.ts';
import { Printer } from '../server/terminal/printer.ts';
import { guardSequences } from '../server/terminal/sequence-guard.ts';
import { charProperties, codePointWidth } from '../src/overlay/text-width.ts';
import { ModelServer } from '../test/support/model-server.ts';
import { RenderWorld, screenOf } from '../test/support/render-world.ts';
import { corpus, KINDS, textOf } from './corpus.mjs';

const SIZE = { cols: 200, rows: 51 };
const ROUNDS = 5;
const TEXT_BYTES = 4_000_000;
/** As the server hands it to its parser. */
const SLICE = 4096;
const FIELDS = 125;
const PANES = 200;

function report(name: string, value: number, unit: string): void {
  console.log(`| ${name} | ${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${unit} |`);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** ms that one call takes, the first round being for the compiler. */
function msOf(run: () => void): number {
  run();
  return median(
    Array.from({ length: ROUNDS }, () => {
      const begin = performance.now();
      run();
      return performance.now() - begin;
    }),
  );
}

/** µs that one call takes, of many. */
function usOf(run: (i: number) => void, count = 300): number {
  const many = () => {
    for (let i = 0; i < count; i++) run(i);
  };
  many();
  return (msOf(many) / count) * 1000;
}

/** MB/s of text, in slices. */
function rateOf(text: Buffer, write: (slice: Buffer) => void): number {
  const ms = msOf(() => {
    for (let at = 0; at < text.length; at += SLICE) write(text.subarray(at, at + SLICE));
  });
  return text.length / 1e3 / ms;
}

function newEmulator(): Emulator {
  return new Emulator({ size: SIZE, scrollback: 2000, now: () => performance.now(), handlers: { reply: () => {} } });
}

function parsing(): void {
  for (const kind of KINDS) {
    const text = textOf(kind, TEXT_BYTES);
    const bare = new xterm.Terminal({ ...SIZE, scrollback: 2000, allowProposedApi: true });
    // Not in the typings: parses at once instead of in a later turn.
    const core = (bare as unknown as { readonly _core: { writeSync(data: Uint8Array): void } })._core;
    report(
      `parse ${kind}: xterm alone`,
      rateOf(text, (slice) => core.writeSync(slice)),
      'MB/s',
    );
    const emulator = newEmulator();
    report(
      `parse ${kind}: with guard, dirty rows and history`,
      rateOf(text, (slice) => emulator.write(slice)),
      'MB/s',
    );
  }
  const emulator = newEmulator();
  const strings = Buffer.from(`\x1b]8;;https://example.org/${'x'.repeat(60)}\x1b\\link\x1b]8;;\x1b\\ \x1b]0;title\x07`);
  const hostile = Buffer.from('a\x1b[2147483647b\x1b[2147483647L\x1b[2147483647S');
  report(
    'guard: links and titles',
    rateOf(repeat(strings, 500_000), (slice) => emulator.write(slice)),
    'MB/s',
  );
  report('guard: one huge count', usOf(() => emulator.write(hostile), 50) / 3, 'µs');
}

/** Bytes that the parsers read by turns, and so many turns. */
const TURN_BYTES = 128 << 10;
const TURNS = 400;
/** More than can be told from nothing, MB/s. */
const RATE_MAX = 10_000;

/** The parser alone, with the guard or without it. */
function newParser({ isGuarded }: { readonly isGuarded: boolean }): OutputParser {
  const core = internalsOf(new xterm.Terminal({ ...SIZE, scrollback: 2000, allowProposedApi: true, logLevel: 'off' }));
  core.unicodeService.register({ version: 'mplex', charProperties, wcwidth: codePointWidth });
  core.unicodeService.activeVersion = 'mplex';
  new Printer(core);
  if (isGuarded) guardSequences(core);
  return new OutputParser(core, { dirty: new DirtyTracker(), oscEnd: new OscEnd() });
}

/**
 * What the guard costs. It has no pass of its own, so its rate is bytes by the processor time that the same parser takes
 * longer with it: in one process, the two by turns, a small piece each. Told is the least rate that the measurement
 * allows (mean of the differences and two standard errors): what the machine adds by chance counts against the guard.
 * `limited` is a text of nothing but sequences that the guard looks at.
 */
function guarding(): void {
  const limited = repeat(Buffer.from('x\x1b[7b text\x1b[2I more\x1b[3Z\x1b[2b\r\n'), TEXT_BYTES);
  for (const kind of [...KINDS, 'limited']) {
    const text = kind === 'limited' ? limited : textOf(kind, TEXT_BYTES);
    const bare = newParser({ isGuarded: false });
    const guarded = newParser({ isGuarded: true });
    const differences: number[] = [];
    let bareUs = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const at = (turn * TURN_BYTES) % (text.length - TURN_BYTES);
      const piece = text.subarray(at, at + TURN_BYTES);
      const isBareFirst = turn % 2 === 0;
      const first = usOfPiece(isBareFirst ? bare : guarded, piece);
      const second = usOfPiece(isBareFirst ? guarded : bare, piece);
      // The first turns are for the compiler.
      if (turn < TURNS / 4) continue;
      differences.push(isBareFirst ? second - first : first - second);
      bareUs += isBareFirst ? first : second;
    }
    const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length;
    const variance = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (differences.length - 1);
    const most = mean + 2 * Math.sqrt(variance / differences.length);
    const bareMean = bareUs / differences.length;
    report(`parser, ${kind}: without the guard`, TURN_BYTES / bareMean, 'MB/s');
    report(`parser, ${kind}: with it`, TURN_BYTES / (bareMean + mean), 'MB/s');
    report(`guard, ${kind}: at least`, most > TURN_BYTES / RATE_MAX ? TURN_BYTES / most : RATE_MAX, 'MB/s');
  }
}

/** Processor time, µs. */
function usOfPiece(parser: OutputParser, piece: Buffer): number {
  // The piece before may have ended within a sequence.
  parser.reset();
  const begin = process.cpuUsage();
  for (let at = 0; at < piece.length; at += SLICE) parser.parse(piece.subarray(at, at + SLICE));
  const { user, system } = process.cpuUsage(begin);
  return user + system;
}

function repeat(text: Buffer, bytes: number): Buffer {
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / text.length) }, () => text));
}

/** MB/s of `cat` read by the pty host's reader and thrown away. */
async function bareRead(): Promise<void> {
  const path = corpus(process.env.BENCH_DIRECTORY ?? '', 'ascii');
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    let bytes = 0;
    await new Promise<void>((done) => {
      new PtyOwner(
        {
          file: '/bin/cat',
          args: [path],
          env: [],
          cwd: '/',
          size: { ...SIZE, pixelWidth: 0, pixelHeight: 0 },
          delay: (ms, run) => {
            const timer = setTimeout(run, ms);
            return () => clearTimeout(timer);
          },
        },
        {
          output: (piece) => {
            bytes += piece.length;
          },
          exit: () => {},
          inputFull: () => {},
          inputDrained: () => {},
          done,
        },
      );
    });
    rates.push(bytes / 1e3 / (performance.now() - begin));
  }
  report('read a pty, nothing else', median(rates), 'MB/s');
}

/** A full screen; line `y` shows text number `y + shift`. */
function screen(shift: number, seed = 0): Frame {
  const frame = blankFrame(SIZE);
  for (const [y, row] of frame.rows.entries()) {
    for (let x = 0; x < SIZE.cols; x++) {
      setCell(row, x, String.fromCharCode(33 + ((x * 7 + (y + shift) * 31 + seed) % 90)), 1, DEFAULT_STYLE);
    }
  }
  return frame;
}

const CAPABILITIES = new CapabilityProbe({ env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, colors256: true })
  .capabilities;

function drawing(): void {
  const world = new RenderWorld({ cols: SIZE.cols, rows: SIZE.rows - 1 });
  screenOf(world.window.active).lines = Array.from({ length: 50 }, (_, y) => `${y} ${'text '.repeat(30)}`);
  const scene = new Scene(world.addClient(SIZE).client, { registry: world.registry, expand: (format) => format });
  const into = blankFrame(SIZE);
  report(
    'draw all of a frame',
    usOf(() => scene.draw(into, { shown: into, isHeld: () => false })),
    'µs',
  );

  const before = screen(0);
  const other = blankRow(SIZE.cols);
  setCell(other, 3, 'x', 1, DEFAULT_STYLE);
  const oneRow = { ...before, rows: before.rows.map((row, y) => (y === 7 ? other : row)) };
  const steps: readonly (readonly [string, Frame])[] = [
    ['one row', oneRow],
    ['scrolled by one', screen(1)],
    ['all new', screen(0, 45)],
  ];
  for (const [name, after] of steps) {
    const damage = diffFrames(before, after);
    if (!damage) throw new Error(`${name}: no damage`);
    report(
      `diff, ${name}`,
      usOf(() => void diffFrames(before, after)),
      'µs',
    );
    report(
      `render, ${name}`,
      usOf(() => void render(before, after, CAPABILITIES), 100),
      'µs',
    );
    packing(name, before, damage);
  }
}

function packing(name: string, before: Frame, damage: Damage): void {
  // A copy each time: damage that was packed once is not packed again.
  report(
    `encode, ${name}`,
    usOf((seq) => void encodeServerMessage({ kind: 'frame', seq, damage: { ...damage } })),
    'µs',
  );
  const body = encodeServerMessage({ kind: 'frame', seq: 1, damage }).subarray(5);
  report(
    `decode and apply, ${name} (${body.length} bytes)`,
    usOf(() => decodeAndApply(before, body)),
    'µs',
  );
}

function decodeAndApply(before: Frame, body: Uint8Array): void {
  const message = decodeServerMessage(body);
  if (message.kind === 'frame') applyDamage(before, message.damage);
}

/** What libtmux asks with every list-panes. */
async function formats(): Promise<void> {
  const server = new ModelServer();
  await server.run('new-session', '-d', '-x', '80', '-y', '24');
  for (let i = 1; i < PANES; i++) await server.run('new-window', '-d');
  const session = server.session();
  const names = FORMAT_VARIABLES.map(({ name }) => name).slice(0, FIELDS);
  // The rest are fields that nobody knows.
  while (names.length < FIELDS) names.push(`unknown_${names.length}`);
  const format = names.map((name) => `#{${name}}`).join('\u241e');
  const ms = msOf(() => {
    for (const winlink of session.winlinks) {
      const { window } = winlink;
      server.expand(format, { session, window, winlink, pane: window.active });
    }
  });
  report(`formats: ${FIELDS} fields of ${PANES} panes`, ms, 'ms');
}

console.log('| hot function | |\n| --- | --- |');
await bareRead();
parsing();
guarding();
drawing();
await formats();
