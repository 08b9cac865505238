/** Variables of panes, their screens and modes. */
import { constants } from 'node:os';
import { blankRow, cellText, type Row, rowText } from '../../protocol/cell.ts';
import type { Pane } from '../model/pane.ts';
import { printColor } from '../options/color.ts';
import { quoteValue } from '../options/option-value.ts';
import { type FormatPlace, type FormatVariable, rowsAbout } from './format-context.ts';

/** Columns between tab stops. */
const TAB_WIDTH = 8;
/** What stands for a saved cursor that was never saved. */
const NOT_SAVED = 4294967295;

export const PANE_VARIABLES: readonly FormatVariable[] = rowsAbout(
  ({ pane }) => pane,
  [
    ['alternate_on', '1 if the alternate screen is used', (pane) => pane.emulator.modes.alternateScreen],
    ['alternate_saved_x', 'cursor column kept while the alternate screen is used', (pane) => keptCursor(pane).x],
    ['alternate_saved_y', 'cursor row kept while the alternate screen is used', (pane) => keptCursor(pane).y],
    ['cursor_character', 'character at the cursor', characterAtCursor],
    ['cursor_flag', '1 if the cursor is shown', (pane) => pane.emulator.cursor.visible],
    ['cursor_x', 'column of the cursor', cursorColumn],
    ['cursor_y', 'row of the cursor', (pane) => pane.emulator.cursor.y],
    ['history_bytes', 'bytes of history', (pane) => pane.emulator.historyBytes],
    ['history_limit', 'most lines of history', (pane) => pane.emulator.historyLimit],
    ['history_size', 'lines of history', (pane) => pane.emulator.historyLength],
    ['insert_flag', 'insert mode', (pane) => pane.emulator.modes.insert],
    ['keypad_cursor_flag', 'application cursor keys', (pane) => pane.emulator.modes.appCursor],
    ['keypad_flag', 'application keypad', (pane) => pane.emulator.modes.appKeypad],
    ['mouse_all_flag', 'all mouse movements are wanted', (pane) => pane.emulator.modes.mouseTracking === 'motion'],
    ['mouse_any_flag', 'any mouse events are wanted', (pane) => pane.emulator.modes.mouseTracking !== 'off'],
    ['mouse_button_flag', 'mouse drags are wanted', (pane) => pane.emulator.modes.mouseTracking === 'drag'],
    ['mouse_sgr_flag', 'mouse events in SGR form', (pane) => pane.emulator.modes.mouseEncoding === 'sgr'],
    ['mouse_standard_flag', 'mouse clicks are wanted', (pane) => pane.emulator.modes.mouseTracking === 'click'],
    ['mouse_utf8_flag', 'mouse events in UTF-8 form', (pane) => pane.emulator.modes.mouseEncoding === 'utf8'],
    ['origin_flag', 'origin mode', (pane) => pane.emulator.modes.origin],
    ['pane_active', '1 if it is the active pane', (pane) => pane.window.active === pane],
    ['pane_at_bottom', '1 if at the bottom of the window', isAtBottom],
    ['pane_at_left', '1 if at the left of the window', ({ rect }) => rect.x === 0],
    [
      'pane_at_right',
      '1 if at the right of the window',
      ({ rect, window }) => rect.x + rect.width === window.size.cols,
    ],
    ['pane_at_top', '1 if at the top of the window', isAtTop],
    ['pane_bg', 'background colour', (pane) => colorOf(pane, 'bg')],
    ['pane_bottom', 'last row', ({ rect }) => rect.y + rect.height - 1],
    ['pane_current_command', 'program in the foreground', currentCommand],
    ['pane_current_path', 'working directory of that program', currentPath],
    ['pane_dead', '1 if the program ended', ({ state }) => state.kind === 'dead' || state.kind === 'empty'],
    ['pane_dead_signal', 'signal that ended the program', deadSignal],
    [
      'pane_dead_status',
      'exit status of the program',
      ({ state }) => (state.kind === 'dead' ? state.status : undefined),
    ],
    [
      'pane_dead_time',
      'when the program ended',
      ({ state }) => (state.kind === 'dead' ? Math.floor(state.time) : undefined),
    ],
    ['pane_fg', 'foreground colour', (pane) => colorOf(pane, 'fg')],
    ['pane_format', '1 if the format is for a pane', (_pane, { kind }) => kind === 'pane'],
    ['pane_height', 'height of the pane', ({ rect }) => rect.height],
    ['pane_id', 'id of the pane', ({ id }) => `%${id}`],
    ['pane_in_mode', 'number of modes the pane is in', ({ modes }) => modes.length],
    ['pane_index', 'index of the pane', (pane) => pane.place + pane.window.options.number('pane-base-index')],
    ['pane_input_off', '1 if it takes no input', ({ inputOff }) => inputOff],
    ['pane_last', '1 if it was active before', (pane) => pane.window.lastPane === pane],
    ['pane_left', 'first column', ({ rect }) => rect.x],
    ['pane_marked', '1 if it is the marked pane', (pane, { registry }) => registry.markedPane === pane],
    ['pane_marked_set', '1 if there is a marked pane', (_pane, { registry }) => registry.markedPane !== undefined],
    ['pane_mode', 'name of the mode in front', ({ mode }) => mode?.name],
    ['pane_path', 'directory that the program told', ({ path }) => path],
    ['pane_pid', 'process of the program', (pane) => pane.pid],
    ['pane_pipe', '1 if output goes to a command', ({ pipe }) => pipe !== undefined],
    ['pane_right', 'last column', ({ rect }) => rect.x + rect.width - 1],
    [
      'pane_start_command',
      'command the pane was started with',
      ({ command }, { session }) =>
        startWords(command.argv, session?.options.string('default-command') ?? '')
          .map(quoteValue)
          .join(' '),
    ],
    ['pane_start_path', 'directory the pane was started in', ({ command }) => command.cwd],
    ['pane_synchronized', '1 if input goes to other panes too', ({ options }) => options.flag('synchronize-panes')],
    ['pane_tabs', 'columns of tab stops', ({ rect }) => tabStops(rect.width)],
    ['pane_title', 'title', ({ title }) => title],
    ['pane_top', 'first row', ({ rect }) => rect.y],
    ['pane_tty', 'terminal of the program', ({ state }) => (state.kind === 'running' ? state.tty : '')],
    ['pane_width', 'width of the pane', ({ rect }) => rect.width],
    ['scroll_region_lower', 'last row of the scroll region', (pane) => pane.emulator.scrollRegion.bottom],
    ['scroll_region_upper', 'first row of the scroll region', (pane) => pane.emulator.scrollRegion.top],
    ['wrap_flag', 'lines wrap', (pane) => pane.emulator.modes.wrap],
  ],
);

/** Without a command of its own a pane runs default-command. */
function startWords(argv: readonly string[], defaultCommand: string): readonly string[] {
  return argv.length > 0 || defaultCommand === '' ? argv : [defaultCommand];
}

/** Variables that a pane's mode answers; none outside of a mode. */
export const MODE_VARIABLES: readonly FormatVariable[] = (
  [
    ['copy_cursor_line', 'line under the cursor in copy mode'],
    ['copy_cursor_word', 'word under the cursor in copy mode'],
    ['copy_cursor_x', 'column of the cursor in copy mode'],
    ['copy_cursor_y', 'row of the cursor in copy mode'],
    ['pane_search_string', 'what was last searched for in copy mode'],
    ['rectangle_toggle', '1 if the selection is a rectangle'],
    ['scroll_position', 'lines scrolled back, in copy mode or without a mode'],
    ['search_match', 'the match under the cursor'],
    ['search_present', '1 if a search was started in copy mode'],
    ['selection_active', '1 if the selection follows the cursor'],
    ['selection_end_x', 'column where the selection ends'],
    ['selection_end_y', 'row where the selection ends'],
    ['selection_exit_status', 'how the command ended whose output is selected in copy mode, if its shell told'],
    ['selection_present', '1 if there is a selection'],
    ['selection_start_x', 'column where the selection starts'],
    ['selection_start_y', 'row where the selection starts'],
  ] as const
).map(([name, help]) => ({ name, help, get: ({ pane }) => modeVariable(pane, name) }));

/** Of the mode in front; a pane that is scrolled back without one has a place as well, one that was searched its text. */
function modeVariable(pane: Pane | undefined, name: string): string | undefined {
  if (pane?.mode) return pane.mode.variable(name);
  if (name === 'pane_search_string') return pane?.searchText;
  return name === 'scroll_position' && pane && !pane.showsScreen ? String(pane.scroll.offset) : undefined;
}

export const MOUSE_VARIABLES: readonly FormatVariable[] = [
  ...rowsAbout(
    ({ mouse }) => mouse?.pane && { pane: mouse.pane, x: mouse.x, y: mouse.y },
    [
      ['mouse_line', 'line under the mouse', ({ pane, y }) => shownText(pane, y)?.trimEnd()],
      ['mouse_pane', 'pane under the mouse', ({ pane }) => `%${pane.id}`],
      ['mouse_word', 'word under the mouse', wordAt],
    ],
  ),
  ...rowsAbout(
    ({ mouse }) => (mouse && (mouse.pane || mouse.isOnStatus) ? mouse : undefined),
    [
      ['mouse_x', 'column of the mouse in the pane or the status lines', ({ x }) => x],
      ['mouse_y', 'row of the mouse in the pane or the status lines', ({ y }) => y],
    ],
  ),
];

function screenRow(pane: Pane, y: number): Row | undefined {
  if (y < 0 || y >= pane.size.rows) return undefined;
  const row = blankRow(pane.size.cols);
  pane.emulator.screenRow(y, row);
  return row;
}

/** Where the cursor of the normal screen waits. */
function keptCursor({ emulator }: Pane): { readonly x: number; readonly y: number } {
  return emulator.normalCursor ?? { x: NOT_SAVED, y: NOT_SAVED };
}

/** Behind the last column where the next character wraps, as in tmux. */
function cursorColumn({ emulator, size }: Pane): number {
  return emulator.isWrapPending ? size.cols : emulator.cursor.x;
}

function characterAtCursor(pane: Pane): string | undefined {
  if (pane.emulator.isWrapPending) return ' ';
  const { x, y } = pane.emulator.cursor;
  const row = screenRow(pane, y);
  return row && cellText(row, Math.min(x, pane.size.cols - 1));
}

/** What is seen at a row of the pane, its mode's picture included. */
function shownText(pane: Pane, y: number): string | undefined {
  if (y < 0 || y >= pane.size.rows) return undefined;
  const row = blankRow(pane.size.cols);
  pane.drawRow(y, row);
  return rowText(row);
}

/** The characters round a cell that are neither blanks nor word separators. */
function wordAt(
  { pane, x, y }: { pane: Pane; x: number; y: number },
  { session, registry }: FormatPlace,
): string | undefined {
  const row = blankRow(pane.size.cols);
  if (y < 0 || y >= pane.size.rows) return undefined;
  pane.drawRow(y, row);
  const separators = (session?.options ?? registry.sessionOptions).string('word-separators');
  const isWord = (column: number) => {
    if (column < 0 || column >= pane.size.cols) return false;
    const text = cellText(row, column);
    return text !== ' ' && (text === '' || !separators.includes(text));
  };
  if (!isWord(x)) return undefined;
  let start = x;
  while (isWord(start - 1)) start--;
  let word = '';
  for (let column = start; isWord(column); column++) word += cellText(row, column);
  return word;
}

function isAtTop({ rect, window }: Pane): boolean {
  return rect.y === (window.borderStatus === 'top' ? 1 : 0);
}

function isAtBottom({ rect, window }: Pane): boolean {
  return rect.y + rect.height === window.size.rows - (window.borderStatus === 'bottom' ? 1 : 0);
}

/** The colour that options window-style and window-active-style give the pane. */
function colorOf(pane: Pane, side: 'fg' | 'bg'): string {
  const active = pane.window.active === pane ? pane.options.style('window-active-style')?.[side] : undefined;
  return printColor(active || (pane.options.style('window-style')?.[side] ?? 0));
}

function currentCommand(pane: Pane, { processes, session, registry }: FormatPlace): string {
  const running = pane.pid === undefined ? undefined : processes.foregroundCommand(pane.pid);
  if (running) return running;
  const started = pane.command.argv.map(quoteValue).join(' ');
  return programName(started || (session?.options ?? registry.sessionOptions).string('default-shell'));
}

/** The program's name in a command line: quotes, exec, a login dash, directories and arguments taken off. */
function programName(command: string): string {
  const words = command
    .replace(/^["']/, '')
    .replace(/^exec\s+/, '')
    .replace(/^[\s-]+/, '')
    .split(/\s/);
  const path = (words[0] ?? '').replace(/["']$/, '');
  return path.slice(path.lastIndexOf('/') + 1);
}

function currentPath(pane: Pane, { processes }: FormatPlace): string | undefined {
  if (pane.pid === undefined) return pane.isDead ? undefined : pane.command.cwd;
  return processes.workingDirectory(pane.pid) ?? pane.command.cwd;
}

/** The number of the signal; tmux's formats have no names. */
function deadSignal({ state }: Pane): number | string | undefined {
  if (state.kind !== 'dead' || state.signal === undefined) return undefined;
  const signals: Readonly<Record<string, number>> = constants.signals;
  return signals[state.signal] ?? state.signal;
}

function tabStops(width: number): string {
  const stops: number[] = [];
  for (let column = TAB_WIDTH; column < width; column += TAB_WIDTH) stops.push(column);
  return stops.join(',');
}
