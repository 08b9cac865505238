/**
 * An ask as tmux 3.3a shows it: the arguments of display-menu and display-popup. Foreign text is made visible first, and
 * `#` is doubled: menus and titles are formats there.
 */

import { MplexError } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { FlowAsk } from '../../src/flow/driver.ts';
import { textWidth, truncateToWidth } from '../../src/overlay/text-width.ts';
import { visibleText } from '../../src/overlay/visible-text.ts';
import { wrapText } from '../../src/overlay/word-wrap.ts';

export interface TmuxClient {
  readonly name: string;
  readonly size: Size;
}

/** Paths of plain characters: what is asked, and where the answer goes. */
export interface DialogFiles {
  readonly prompt: string;
  readonly answer: string;
}

/** Columns and rows of a menu beside its items: borders and a blank on each side. */
const MENU_COLUMNS = 4;
const MENU_ROWS = 2;
const TEXT_COLUMNS_MAX = 72;
const POPUP_COLUMNS_MIN = 40;

/**
 * A choice: the text above as lines that cannot be chosen, then the options by number. The text is cut to what fits;
 * throws MplexError 'no_client' if the options do not.
 */
export function menuArgs(ask: Extract<FlowAsk, { kind: 'choice' }>, size: Size, files: DialogFiles): string[] {
  const columns = size.cols - MENU_COLUMNS;
  const room = size.rows - MENU_ROWS - ask.options.length;
  if (room < 0 || columns < 1) {
    throw new MplexError('no_client', `the tmux client is too small for ${ask.options.length} options`);
  }
  const items = [
    ...textItems(ask, { columns: Math.min(columns, TEXT_COLUMNS_MAX), room }),
    ...ask.options.flatMap((option, index) => [
      escapeFormat(truncateToWidth(`${index + 1}  ${visibleText(option)}`, columns)),
      // No shortcut: a stray key answers nothing.
      '',
      writeCommand(files.answer, index),
    ]),
  ];
  return [...titleArgs(ask.title, columns), '-x', 'C', '-y', 'C', '--', ...items];
}

/** Lines that cannot be chosen, and the line that sets them apart. */
function textItems(ask: FlowAsk, { columns, room }: { readonly columns: number; readonly room: number }): string[] {
  const label = wrapText(ask.label ?? '', columns);
  const body = wrapText(ask.body ?? '', columns);
  const lines = [...body, ...label];
  if (lines.length === 0 || room < 2) return [];
  const most = room - 1;
  // What is asked stays; what explains it is cut.
  const shown =
    lines.length <= most ? lines : [...body.slice(0, Math.max(0, most - label.length - 1)), '…', ...label].slice(-most);
  return [...shown.flatMap((line) => [`-${escapeFormat(line)}`, '', '']), ''];
}

/** Written whole and then put in place, so that no half of it is read. */
function writeCommand(path: string, index: number): string {
  return `run-shell -b "printf %s ${index} >${path}.part && mv ${path}.part ${path}"`;
}

function titleArgs(title: string | undefined, columns: number): string[] {
  return title === undefined ? [] : ['-T', escapeFormat(truncateToWidth(visibleText(title), columns))];
}

function escapeFormat(text: string): string {
  return text.replaceAll('#', '##');
}

/**
 * Escape and C-c end the program by a signal that display-popup tells as exit code. End of file dismisses as well. The
 * answer is one line; the terminal's own editing (erase, kill) is all there is.
 */
const SETUP = `ulimit -c 0; stty intr '^[' quit '^C' susp undef; cat "$1"`;
const KEEP = `>"$2.part" && mv "$2.part" "$2"`;
const READ_TEXT = `${SETUP}; IFS= read -r text || exit 1; printf %s "$text" ${KEEP}`;
const READ_KEY = `${SETUP}; stty -icanon -echo min 1 time 0
while :; do
  key=$(dd bs=1 count=1 2>/dev/null; echo x)
  case $key in
    q*) exit 1;;
    x) exit 1;;
    "
x"|"$(printf '\\r')x") printf '' ${KEEP}; exit;;
  esac
done`;

/** A text or message: the popup's arguments, and what its program prints first. */
export function popupArgs(
  ask: Extract<FlowAsk, { kind: 'text' | 'message' }>,
  size: Size,
  files: DialogFiles,
): { readonly args: string[]; readonly prompt: string } {
  const columns = Math.max(1, Math.min(size.cols - MENU_COLUMNS, TEXT_COLUMNS_MAX));
  const room = Math.max(1, size.rows - MENU_ROWS);
  const body = wrapText(ask.body ?? '', columns);
  const last = ask.kind === 'text' ? promptLines(ask.label ?? '', columns) : [MESSAGE_HINT];
  const lines = body.length === 0 ? last : [...body, '', ...last];
  const shown =
    lines.length <= room ? lines : [...body.slice(0, Math.max(0, room - last.length - 1)), '…', ...last].slice(-room);
  const widest = Math.max(...shown.map(textWidth), textWidth(visibleText(ask.title ?? '')));
  // A typed text wraps below its label.
  const height = Math.min(room, shown.length + (ask.kind === 'text' ? 2 : 0));
  const width = Math.min(columns, Math.max(POPUP_COLUMNS_MIN, widest + 1));
  const args = [
    '-E',
    ...titleArgs(ask.title, columns),
    '-w',
    String(width + 2),
    '-h',
    String(height + 2),
    '--',
    'sh',
    '-c',
    ask.kind === 'text' ? READ_TEXT : READ_KEY,
    'mplex-ask',
    files.prompt,
    files.answer,
  ];
  return { args, prompt: shown.join('\n') };
}

const MESSAGE_HINT = 'Enter: OK · Esc: dismiss';

function promptLines(label: string, columns: number): string[] {
  const lines = wrapText(label, columns - 2);
  const last = lines.at(-1);
  if (last === undefined) return ['> '];
  return [...lines.slice(0, -1), /[\p{L}\p{N})\]"']$/u.test(last) ? `${last}: ` : `${last} `];
}
