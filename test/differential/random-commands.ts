/** Random command lines over tmux's commands: right ones, strange ones and broken ones. */
import { tmuxCommands } from './flag-use.ts';

/** Random commands of one seed; each call gives the next. */
export type CommandSource = () => string[];

/**
 * Commands that a random run leaves out: those of a client (none is attached), those that wait, and those that end or
 * detach the servers.
 */
const LEFT_OUT = new Set([
  ...['attach-session', 'kill-server', 'start-server', 'wait-for', 'server-access', 'show-messages', 'list-commands'],
  ...['choose-buffer', 'choose-client', 'choose-tree', 'customize-mode', 'find-window', 'display-panes'],
  ...['display-menu', 'display-popup', 'command-prompt', 'confirm-before', 'clock-mode', 'pipe-pane', 'source-file'],
  ...['lock-server', 'lock-session', 'run-shell', 'if-shell', 'show-prompt-history', 'capture-pane', 'show-hooks'],
  // They list what mplex has beside tmux's.
  ...['list-keys', 'show-options', 'show-window-options'],
]);
/** Flags whose effect is not to be compared here, with why: */
const LEFT_OUT_FLAGS: Readonly<Record<string, string>> = {
  // Times, pids, sizes of the program itself; a pane that waits for input.
  'display-message': 'aIv',
  'split-window': 'Ie',
  'show-environment': 'g',
  // A detached session has no client to detach or to ask for its environment.
  'new-session': 'ADEXPf',
  'load-buffer': 'w',
  // Whether its value is the next word is tmux's guess.
  'refresh-client': 'l',
  'set-buffer': 'w',
};

const NAMES = ['a', 'b', 'two words', 'x.y', 'x:y', '1', '-z', '', '#{session_name}', 'é', '%0', '@1', 'w'];
const SESSIONS = [
  'one',
  'two',
  'tw',
  '=one',
  '=tw',
  '$0',
  '$1',
  '$9',
  'o*',
  'one:',
  'nothing',
  '',
  '{mouse}',
  '-',
  '+',
  '1',
];
const WINDOWS = [
  '0',
  '1',
  '2',
  ':1',
  ':9',
  'one:0',
  'two:',
  'two:1',
  '@0',
  '@1',
  '@2',
  '!',
  '^',
  '$',
  '+',
  '-',
  '{end}',
  '{start}',
];
const MORE_WINDOWS = [
  ':+',
  ':-2',
  ':+9',
  'w',
  '=w',
  'one:w',
  ':nothing',
  'one:=w',
  '{last}',
  '{next}',
  '{previous}',
  'a',
  '%1',
];
const PANES = [
  '0',
  '1',
  '2',
  '.0',
  '.1',
  ':.2',
  '%0',
  '%1',
  '%2',
  '%3',
  '%9',
  ':.+',
  ':.-',
  '{last}',
  '{top}',
  '{bottom}',
  '{left}',
];
const MORE_PANES = [
  '{right}',
  '{top-left}',
  '{bottom-right}',
  '{up-of}',
  '{down-of}',
  '{left-of}',
  '{right-of}',
  '!',
  'one:0.1',
];
const MARKS = [
  '{marked}',
  '~',
  'two:.0',
  '@0',
  '$1',
  'one',
  'one:',
  '0.1',
  ':0.0',
  '{mouse}',
  'nothing',
  ':nothing.0',
  '.9',
  '=',
  '{next}',
];
const SIZES = ['5', '10', '30%', '100%', '0', '-1', '1', '79', '200', 'x', '', '50%'];
const OPTIONS = [
  'status',
  'status-left',
  'base-index',
  'pane-base-index',
  'mode-keys',
  'history-limit',
  '@user',
  '@other',
  'mouse',
];
const MORE_OPTIONS = [
  'renumber-windows',
  'main-pane-height',
  'main-pane-width',
  'status-style',
  'prefix',
  'synchronize-panes',
  'remain',
];
const LAST_OPTIONS = [
  'update-environment',
  'command-alias[100]',
  'user-keys',
  'nothing',
  'stat',
  'window-style',
  'display-time',
  'word-separators',
];
const VALUES = [
  'on',
  'off',
  '1',
  '0',
  '5',
  '-1',
  'vi',
  'emacs',
  'text',
  '#{pane_id}',
  'fg=red',
  'bg=#112233,bold',
  'C-a',
  '2',
  '50%',
  '',
  'a b',
];
const KEYS = [
  'a',
  'C-a',
  'M-x',
  'F1',
  'Enter',
  'Space',
  'Up',
  'C-M-Left',
  'é',
  'nothing',
  'MouseDown1Pane',
  '"',
  ';',
  '\\',
  "'",
  'Any',
];
const COMMANDS = [
  'display-message x',
  'next-window',
  'new-window -d cat',
  'nothing',
  'set -g @a "b c"',
  'run-shell',
  'if -F 1 { set @x y }',
];
const LAYOUTS = ['tiled', 'even-h', 'even-vertical', 'main-horizontal', 'main-vertical', 'tile'];
const FORMATS = [
  '#{window_id} #{pane_id}',
  '#S:#I.#P',
  '#{nothing}',
  '#{?pane_active,a,b}',
  '#{W:#I }',
  '#{E:@user}',
  'x',
  '',
];
const COPY = [
  'cursor-down',
  'begin-selection',
  'page-up',
  'cancel',
  'search-backward',
  'nothing',
  'copy-selection',
  'history-top',
  'select-line',
];

/** What stands in a place, by the word that the usage has for it. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'target-session': SESSIONS,
  'target-window': [...WINDOWS, ...MORE_WINDOWS],
  'src-window': [...WINDOWS, ...MORE_WINDOWS],
  'dst-window': [...WINDOWS, ...MORE_WINDOWS],
  'target-pane': [...PANES, ...MORE_PANES, ...MARKS],
  'src-pane': [...PANES, ...MORE_PANES, ...MARKS],
  'dst-pane': [...PANES, ...MORE_PANES, ...MARKS],
  'target-client': ['/dev/nothing', ''],
  'session-name': NAMES,
  'window-name': NAMES,
  'new-name': NAMES,
  title: NAMES,
  size: SIZES,
  width: SIZES,
  height: SIZES,
  adjustment: SIZES,
  option: [...OPTIONS, ...MORE_OPTIONS, ...LAST_OPTIONS],
  value: VALUES,
  key: KEYS,
  'key-table': ['root', 'prefix', 'mine', 'copy-mode-vi', ''],
  note: NAMES,
  command: COMMANDS,
  'layout-name': LAYOUTS,
  format: FORMATS,
  filter: ['1', '0', '#{pane_active}', '#{==:#{window_index},0}', ''],
  // One that neither ends nor prints by itself.
  'shell-command': ['cat'],
  'working-directory': ['/', '/nothing'],
  'start-directory': ['/', '/nothing'],
  environment: ['A=b', 'A', 'B='],
  'buffer-name': ['a', 'b', 'buffer0', 'nothing', ''],
  'new-buffer-name': ['a', 'b', ''],
  separator: [',', ''],
  data: ['text', '', 'two\nlines'],
  path: ['{home}/file', '{home}/nothing/file'],
  name: ['A', 'B', 'A=B', ''],
  hook: ['after-new-window', 'session-renamed', 'window-renamed', 'pane-exited', 'nothing', 'after-split-window[3]'],
  message: FORMATS,
  channel: ['x'],
  type: ['command', 'search', 'nothing'],
  'repeat-count': ['2', '0', 'x', '3'],
  delay: ['1', '0', 'x'],
  'prefix-string': ['P ', ''],
};

interface RandomCommand {
  readonly name: string;
  readonly plain: readonly string[];
  readonly valued: readonly (readonly [flag: string, word: string])[];
  readonly words: readonly string[];
}

/** The commands of a seed, for the same installed tmux the same. */
export function randomCommands(random: () => number): CommandSource {
  const commands = readCommands();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const word = (kind: string) => pick(WORDS[kind] ?? NAMES);
  return () => {
    // What makes panes and windows comes up more often: with nothing there little can differ.
    if (random() < 0.12) return ['split-window', ...(random() < 0.5 ? ['-h'] : []), 'cat'];
    if (random() < 0.06) return ['new-window', '-d', 'cat'];
    const { name, plain, valued, words } = pick(commands);
    const argv = [name];
    for (const flag of plain) if (random() < 0.22) argv.push(`-${flag}`);
    for (const [flag, kind] of valued) if (random() < 0.3) argv.push(`-${flag}`, word(kind));
    if (name === 'new-session') argv.push('-d');
    const count = Math.max(0, Math.min(words.length + 1, Math.round(words.length - 0.9 + random() * 1.4)));
    for (let at = 0; at < count; at++) argv.push(word(words[at] ?? ''));
    if (name === 'send-keys' && argv.includes('-X')) argv[argv.length - 1] = pick(COPY);
    if (/^(?:new|split|respawn)-/.test(name) && argv.at(-1) !== 'cat') argv.push('cat');
    if (argv.at(-1) === 'cat' && argv.at(-2) === 'cat') argv.pop();
    return argv;
  };
}

/** The commands with their usage taken apart. */
function readCommands(): RandomCommand[] {
  return tmuxCommands()
    .filter(({ name }) => !LEFT_OUT.has(name))
    .map(({ name, usage }) => {
      const without = LEFT_OUT_FLAGS[name] ?? '';
      const plain: string[] = [];
      const valued: [string, string][] = [];
      const rest = usage.replace(/\[-([A-Za-z0-9]+)(?: ([^\]]+))?\]/g, (_, letters: string, value?: string) => {
        for (const letter of letters) {
          if (without.includes(letter)) continue;
          if (value === undefined) plain.push(letter);
          else valued.push([letter, value]);
        }
        return '';
      });
      return { name, plain, valued, words: rest.split(/[\s[\]]+/).filter((part) => /^[a-z-]+$/.test(part)) };
    });
}
