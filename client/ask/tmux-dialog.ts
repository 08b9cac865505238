/**
 * An ask as tmux 3.3a shows it: the arguments of display-menu and display-popup. A menu shows a choice where it can show it
 * whole and as it was asked; all else is drawn in a popup, by the same engine as everywhere (popup.ts). Foreign text is
 * made visible first, and `#` is doubled: menus and titles are formats there.
 */
import type { Asker } from '../../protocol/dialog.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { FlowAsk } from '../../src/flow/driver.ts';
import { createFlowScreen, viewFlowScreen } from '../../src/overlay/flow-screen.ts';
import { textWidth } from '../../src/overlay/text-width.ts';
import { visibleText } from '../../src/overlay/visible-text.ts';
import { wrapText } from '../../src/overlay/word-wrap.ts';

/** Where the dialog is shown: a client of tmux, its size in cells. */
export interface TmuxClient {
  readonly name: string;
  readonly size: Size;
}

/** Paths of plain characters: what is asked, and where the answer goes. */
export interface DialogFiles {
  readonly prompt: string;
  readonly answer: string;
}

/** What a popup's program reads. */
export interface PopupAsk {
  readonly ask: FlowAsk;
  readonly asker: Asker;
}

/** Columns and rows of a menu beside its items: borders and a blank on each side. */
const MENU_COLUMNS = 4;
const MENU_ROWS = 2;
const TEXT_COLUMNS_MAX = 72;

type ChoiceAsk = Extract<FlowAsk, { kind: 'choice' }>;

/**
 * A choice as a menu: the text above as lines that cannot be chosen, then the options by number. Undefined if it is not
 * one for a menu: it starts at its first item, has no letter that asks to be armed first, and neither scrolls nor wraps.
 */
export function menuArgs(ask: ChoiceAsk, size: Size, files: DialogFiles): string[] | undefined {
  const columns = size.cols - MENU_COLUMNS;
  const title = visibleText(ask.title ?? '');
  const options = ask.options.map((option, index) => `${index + 1}  ${visibleText(option)}`);
  const text = [ask.body, ask.label].flatMap((part) => wrapText(part ?? '', Math.min(columns, TEXT_COLUMNS_MAX)));
  const rows = text.length + (text.length > 0 ? 1 : 0) + options.length;
  const fits = rows <= size.rows - MENU_ROWS && [title, ...options].every((line) => textWidth(line) <= columns);
  if (!fits || (ask.default ?? 0) !== 0 || ask.keys !== undefined) return undefined;
  const items = [
    ...text.flatMap((line) => [`-${escapeFormat(line)}`, '', '']),
    // A line that sets the text apart.
    ...(text.length > 0 ? [''] : []),
    // No shortcut: a stray key answers nothing.
    ...options.flatMap((option, index) => [escapeFormat(option), '', writeCommand(files.answer, index)]),
  ];
  return [...(title === '' ? [] : ['-T', escapeFormat(title)]), '-x', 'C', '-y', 'C', '--', ...items];
}

/** Written whole and then put in place, so that no half of it is read. */
function writeCommand(path: string, index: number): string {
  return `run-shell -b "printf %s ${index} >${path}.part && mv ${path}.part ${path}"`;
}

function escapeFormat(text: string): string {
  return text.replaceAll('#', '##');
}

/** An ask in a popup without a border of tmux's own, as large as its dialog; `program` is run with the two files. */
export function popupArgs({ ask, asker }: PopupAsk, size: Size, program: readonly string[]): string[] {
  const cols = ask.kind === 'text' ? Math.min(size.cols, TEXT_COLUMNS_MAX) : size.cols;
  const { rect } = viewFlowScreen(createFlowScreen(ask, { asker }), { cols, rows: size.rows });
  return ['-B', '-E', '-w', String(rect.width), '-h', String(rect.height), '--', ...program];
}
