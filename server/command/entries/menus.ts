/** display-menu (tmux(1)): a menu whose items run commands. */
import { blankRow, DEFAULT_STYLE, setCell } from '../../../protocol/cell.ts';
import { createMenu, MENU_BORDER, type MenuItem, type MenuModel, updateMenu } from '../../../src/overlay/menu.ts';
import { type StyledText, spansOf } from '../../../src/overlay/styled-text.ts';
import { drawFormat } from '../../format/format-draw.ts';
import { drawnWidth, quoteForStyle } from '../../format/format-text.ts';
import { parseKeyName, printKeyName } from '../../keys/key-names.ts';
import type { ClientOverlay, ClientSession } from '../../model/client-session.ts';
import type { MenuCommand, MenuState } from '../../model/reopening.ts';
import { DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE, parseStyle, textStyleToCell } from '../../options/style.ts';
import { type Args, menuCommands } from '../args.ts';
import { printCommands } from '../command-print.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { isTakenFor } from './caller.ts';
import type { CommandContext, Entry, OverlayServices } from './context.ts';
import { ListOverlay, type ListRequest } from './list-overlay.ts';
import { overlayPosition } from './overlay-position.ts';

/** Most items of one menu. */
const ITEMS_MAX = 1000;

/** A menu on a client; `done` gets the chosen item's index, once. */
function createMenuOverlay(
  overlays: OverlayServices,
  client: ClientSession,
  menu: Pick<ListRequest<MenuModel>, 'model' | 'done' | 'reopening'>,
): ClientOverlay {
  return new ListOverlay(overlays, client, { purpose: 'menu', update: updateMenu, tracking: 'motion', ...menu });
}

const displayMenu: Entry = {
  name: 'display-menu',
  alias: 'menu',
  args: { template: 'c:t:OT:x:y:', min: 1, max: -1, blocks: menuCommands },
  usage: '[-O] [-c target-client] [-t target-pane] [-T title] [-x position] [-y position] name key command ...',
  client: { flag: 'c' },
  target: { flag: 't', kind: 'pane' },
  help: 'Show a menu of commands',
  exec(context, args) {
    const { client } = context;
    if (!client) return failed('no current client');
    if (isTakenFor(context, client)) return OK;
    const { reopened } = context;
    if (reopened?.kind === 'menu') return openMenu(context, client, { args, ...reopened, reopened });
    const lines = readLines(context, args);
    if (typeof lines === 'string') return failed(lines);
    if (lines.length === 0) return OK;
    const title = context.expand(args.value('T') ?? '', { client });
    return openMenu(context, client, { args, title, lines });
  },
};

interface OpenedMenu {
  readonly args: Args;
  /** With all formats expanded, as are the lines. */
  readonly title: string;
  readonly lines: readonly (MenuCommand | null)[];
  /** What the menu was under an earlier server. */
  readonly reopened?: MenuState;
}

function openMenu(
  context: CommandContext,
  client: ClientSession,
  { args, title, lines, reopened }: OpenedMenu,
): Promise<CommandResult> {
  const width = lines.reduce((most, line) => Math.max(most, line ? lineWidth(line) : 0), drawnWidth(title));
  const box = { width: width + MENU_BORDER.cols, height: lines.length + MENU_BORDER.rows };
  const fresh = createMenu({
    ...(reopened ? { x: reopened.x, y: reopened.y } : overlayPosition(context, { client, args, box })),
    width,
    title: title === '' ? [] : drawn(title, width, '─'),
    items: lines.map((line) => menuItem(line, width)),
    highlightStyle: modeStyle(context),
    byMouse: context.mouse !== undefined,
    release: context.mouse === undefined || args.has('O') ? 'stay' : 'choose',
  });
  const model = reopened ? { ...fresh, highlight: reopened.highlight, top: reopened.top } : fresh;
  return new Promise((resolve) => {
    const done = (index: number | undefined) => resolve(runLine(context, client, lines[index ?? -1]));
    const reopening = ({ x, y, highlight, top }: MenuModel) =>
      context.reopening({ kind: 'menu', title, lines, x, y, highlight, top });
    const { overlays } = context.services;
    overlays.open(client, createMenuOverlay(overlays, client, { model, done, reopening }));
    context.registry.markClient(client);
  });
}

function runLine(context: CommandContext, client: ClientSession, line: MenuCommand | null | undefined): CommandResult {
  context.registry.markClient(client);
  if (!line) return OK;
  const parsed = context.parse(line.command);
  if (!parsed.ok) return failed(parsed.error);
  const { session, winlink, pane } = context.target;
  const current = { ...context.current, session, winlink, pane };
  context.insert(parsed.commands, { client, current });
  return OK;
}

/** The items with all formats expanded; those whose name comes out empty are left out. A message if arguments lack. */
function readLines(context: CommandContext, args: Args): (MenuCommand | null)[] | string {
  const lines: (MenuCommand | null)[] = [];
  const words = args.positional;
  for (let at = 0; at < words.length && lines.length < ITEMS_MAX; ) {
    const name = args.string(at) ?? '';
    if (name === '') {
      lines.push(null);
      at += 1;
      continue;
    }
    if (at + 2 >= words.length) return 'not enough arguments';
    const expanded = context.expand(name);
    if (expanded !== '') {
      const block = args.commands(at + 2);
      const command = block ? printCommands(block) : (args.string(at + 2) ?? '');
      lines.push({ name: expanded, keyName: args.string(at + 1) ?? '', command: context.expand(command) });
    }
    at += 3;
  }
  return tidied(lines);
}

/** Without separators that stand first or next to another. */
function tidied(lines: readonly (MenuCommand | null)[]): (MenuCommand | null)[] {
  return lines.filter((line, at) => line !== null || (at > 0 && lines[at - 1] !== null));
}

function keyOf({ keyName }: MenuCommand): string | undefined {
  return keyName === '' ? undefined : parseKeyName(keyName);
}

function shownText(line: MenuCommand): { readonly text: string; readonly isEnabled: boolean; readonly key: string } {
  const isEnabled = !line.name.startsWith('-');
  const key = isEnabled ? keyOf(line) : undefined;
  return {
    text: isEnabled ? line.name : line.name.slice(1),
    isEnabled,
    key: key === undefined ? '' : `(${printKeyName(key)})`,
  };
}

function lineWidth(line: MenuCommand): number {
  const { text, key } = shownText(line);
  return drawnWidth(text) + (key === '' ? 0 : key.length + 1);
}

function menuItem(line: MenuCommand | null | undefined, width: number): MenuItem {
  if (!line) return { kind: 'separator' };
  const { text, isEnabled, key } = shownText(line);
  const whole = key === '' ? text : `${text}#[default]#[align=right]${key}`;
  return { kind: 'item', text: drawn(whole, width), key: keyOf(line) ?? '', isEnabled };
}

/** A format's text with its styles, drawn over `width` columns of a background. */
function drawn(text: string, width: number, background = ' '): StyledText {
  const row = blankRow(width);
  for (let x = 0; x < width; x++) setCell(row, x, background, 1, DEFAULT_STYLE);
  drawFormat(row, text, { base: DEFAULT_TEXT_STYLE, width });
  return spansOf(row);
}

function modeStyle(context: CommandContext) {
  const text = context.expand(context.target.window.options.string('mode-style'));
  return textStyleToCell(parseStyle(text, DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE) ?? DEFAULT_STYLE_VALUE);
}

/** A menu of names that are no formats, at a cell of the client's screen; `done` gets the chosen line's number. */
export function openPlainMenu(
  context: CommandContext,
  client: ClientSession,
  menu: {
    readonly title: string;
    readonly lines: readonly ({ readonly name: string; readonly key: string } | undefined)[];
    readonly x: number;
    readonly y: number;
    readonly done: (index: number) => void;
  },
): void {
  const lines = menu.lines.map((line) =>
    line ? { name: quoteForStyle(line.name), keyName: line.key, command: '' } : null,
  );
  const title = quoteForStyle(menu.title);
  const width = lines.reduce((most, line) => Math.max(most, line ? lineWidth(line) : 0), drawnWidth(title));
  const model = createMenu({
    x: menu.x,
    y: menu.y,
    width,
    title: title === '' ? [] : drawn(title, width, '─'),
    items: lines.map((line) => menuItem(line, width)),
    highlightStyle: modeStyle(context),
    byMouse: true,
    release: 'choose',
  });
  const { overlays } = context.services;
  const done = (index: number | undefined) => {
    context.registry.markClient(client);
    if (index !== undefined) menu.done(index);
  };
  overlays.open(client, createMenuOverlay(overlays, client, { model, done }));
  context.registry.markClient(client);
}

export const MENU_ENTRIES: readonly Entry[] = [displayMenu];
