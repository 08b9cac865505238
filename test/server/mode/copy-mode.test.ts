import { afterAll, describe, expect, it } from 'vitest';
import { ModelServer } from '../../support/model-server.ts';
import { TmuxReference } from '../../support/tmux-reference.ts';

const TEXT = [
  'alpha-beta gamma  delta/eps zeta  ',
  '(foo [bar] baz) qux',
  '',
  'abc def',
  '   ',
  'xyz a.b.c {ones {twoo} three} end of this longish line that wraps over',
  'Tail foo Foo',
  '  indented = value;',
  '',
  '',
  'last foo, and last',
  'fin',
].join('\n');
const SIZE = { cols: 20, rows: 6 };

const STATE = [
  '#{copy_cursor_x},#{copy_cursor_y}',
  '#{scroll_position}',
  '#{selection_present}#{selection_active}',
  '#{selection_start_x},#{selection_start_y}-#{selection_end_x},#{selection_end_y}',
  '#{rectangle_toggle}',
  '#{search_present} #{search_match}',
].join(' ');

const JUMPS = [
  'jump-forward a',
  'jump-backward a',
  'jump-to-forward o',
  'jump-to-backward o',
  'jump-again',
  'jump-reverse',
  'set-mark',
  'jump-to-mark',
];

const SELECTIONS = [
  'begin-selection',
  'clear-selection',
  'stop-selection',
  'copy-selection',
  'copy-selection-no-clear',
  'append-selection',
];

const RECTANGLES = [
  'rectangle-toggle',
  'rectangle-on',
  'rectangle-off',
  'begin-selection',
  'copy-selection',
  'cursor-up',
  'cursor-down',
  'cursor-left',
  'cursor-right',
  'start-of-line',
  'end-of-line',
];

const LINES = ['begin-selection', 'copy-selection', 'copy-line', 'copy-end-of-line'];

const SEARCHES = [
  'search-forward foo',
  'search-forward Foo',
  'search-backward foo',
  'search-backward a.b',
  'search-forward-text a.b',
  'search-backward-text e',
  'search-forward [a-z]+-',
  'search-forward nothere',
  'search-again',
  'search-reverse',
  'search-forward-incremental =la',
  'search-backward-incremental =fo',
  'search-backward-incremental -fo',
  'search-forward-incremental +la',
];

const MOTIONS = [
  'cursor-up',
  'cursor-down',
  'cursor-left',
  'cursor-right',
  'start-of-line',
  'end-of-line',
  'back-to-indentation',
  'page-up',
  'page-down',
  'halfpage-up',
  'halfpage-down',
  'scroll-up',
  'scroll-down',
  'history-top',
  'history-bottom',
  'top-line',
  'middle-line',
  'bottom-line',
  'next-word',
  'next-word-end',
  'next-space',
  'next-space-end',
  'previous-word',
  'previous-space',
  'next-paragraph',
  'previous-paragraph',
];

/** Numbers from a seed, the same each time. */
function* random(seed: number): Generator<number> {
  let state = seed;
  for (;;) {
    state = (state * 1103515245 + 12345) % 2147483648;
    yield state / 2147483648;
  }
}

function scriptOf(seed: number, names: readonly string[], length: number): string[][] {
  const numbers = random(seed);
  const pick = (count: number) => Math.floor((numbers.next().value ?? 0) * count);
  return Array.from({ length }, () => {
    const words = (names[pick(names.length)] ?? '').split(' ');
    return pick(5) === 0 ? ['-N', String(1 + pick(4)), ...words] : words;
  });
}

async function inMplex(script: readonly string[][], keys: string): Promise<string[]> {
  const server = new ModelServer({ defaultKeys: false });
  await server.run('set', '-g', 'default-size', `${SIZE.cols}x${SIZE.rows}`);
  await server.run('new-session', '-d', '-x', String(SIZE.cols), '-y', String(SIZE.rows));
  await server.run('setw', '-g', 'mode-keys', keys);
  server.ptys.of(server.pane().id).emitData(Buffer.from(`${TEXT.replaceAll('\n', '\r\n')}\r\n`));
  await Promise.resolve();
  await server.run('copy-mode');
  const states: string[] = [];
  for (const words of script) {
    await server.run('send-keys', '-X', ...words);
    const state = (await server.run('display-message', '-p', STATE)).stdout.trimEnd();
    states.push(`${state} ${JSON.stringify(server.registry.buffers.newest()?.text ?? '')}`);
  }
  return states;
}

async function inTmux(tmux: TmuxReference, script: readonly string[][], keys: string): Promise<string[]> {
  tmux.run('setw', '-g', 'mode-keys', keys);
  tmux.run('send-keys', '-X', 'cancel');
  tmux.run('copy-mode');
  while (tmux.run('delete-buffer').code === 0);
  const commands = script.flatMap((words) => [
    ['send-keys', '-X', ...words],
    ['display-message', '-p', STATE],
    ['show-buffer'],
  ]);
  const outputs = await tmux.batch(commands);
  return script.map((_, i) => {
    const [state, buffer] = [outputs[i * 3 + 1], outputs[i * 3 + 2]];
    return `${state?.out.trimEnd()} ${JSON.stringify(buffer?.ok ? buffer.out : '')}`;
  });
}

const tmux = TmuxReference.start([
  '-x',
  String(SIZE.cols),
  '-y',
  String(SIZE.rows),
  `cat <<'END'\n${TEXT}\nEND\nsleep 1000`,
]);
afterAll(() => tmux?.stop());

async function compare(script: readonly string[][], keys: string): Promise<void> {
  if (!tmux) return;
  const [ours, theirs] = [await inMplex(script, keys), await inTmux(tmux, script, keys)];
  const differing = ours.findIndex((state, i) => state !== theirs[i]);
  if (differing < 0) return;
  const around = script.slice(0, differing + 1).map((words, i) => `${words.join(' ')} => ${theirs[i]}`);
  expect.fail(`step ${differing}, ours ${ours[differing]}\n${around.slice(-8).join('\n')}`);
}

/** The pane of tmux is the same for all scripts and remembers what it last looked for. */
const FIRST = [['search-backward', 'foo'], ['clear-selection']];
const SEEDS = Number(process.env.MPLEX_TEST_SEEDS ?? 4);

describe('copy mode compared with tmux', () => {
  for (const keys of ['vi', 'emacs']) {
    it(`finds brackets as tmux does with ${keys} keys`, async () => {
      const steps = ['history-top', 'cursor-down', 'cursor-down'];
      for (let i = 0; i < 12; i++) steps.push('next-matching-bracket');
      for (let i = 0; i < 12; i++) steps.push('previous-matching-bracket');
      await compare([...FIRST, ...steps.map((name) => [name])], keys);
    });
  }

  for (const keys of ['vi', 'emacs']) {
    for (const [what, names] of [
      ['moves', MOTIONS],
      ['jumps', [...MOTIONS, ...JUMPS, ...JUMPS]],
      ['selects and copies', [...MOTIONS, ...SELECTIONS, ...SELECTIONS]],
      ['selects rectangles', RECTANGLES],
      ['copies lines', [...MOTIONS, ...LINES, ...LINES]],
      ['searches', [...MOTIONS, ...SEARCHES, ...SEARCHES]],
    ] as const) {
      it(`${what} as tmux does with ${keys} keys`, async () => {
        for (let seed = 1; seed <= SEEDS; seed++) await compare([...FIRST, ...scriptOf(seed, names, 50)], keys);
      });
    }
  }
});
