/** Texts opened in the person's editor: a paste buffer to be changed, a pane's scrollback to be read (edit-scrollback). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { quoteForShell } from '../../format/format-text.ts';
import { CopyMode } from '../../mode/copy-mode.ts';
import type { ClientSession } from '../../model/client-session.ts';
import type { PaneExit } from '../../model/pane.ts';
import type { PasteBuffer } from '../../model/paste-buffers.ts';
import type { Registry } from '../../model/registry.ts';
import { DEFAULT_STYLE_VALUE } from '../../options/style.ts';
import { captureRange, captureText } from '../../terminal/capture.ts';
import { viewOf } from '../../terminal/history.ts';
import { failed, OK } from '../command-queue.ts';
import { isTakenFor } from './caller.ts';
import type { CommandContext, Entry } from './context.ts';
import { type EditedFile, PopupOverlay } from './popup-overlay.ts';

/** Share of the screen that the editor gets. */
const SHARE = 0.9;

export interface EditorRequest {
  /** Name of the file, without a directory. */
  readonly name: string;
  readonly text: string;
  /** Line to begin at, from 1. */
  readonly line?: number | undefined;
  /** The paste buffer that becomes what the file holds; undefined for a text that is only read. */
  readonly buffer?: PasteBuffer;
  /** The popup is gone. */
  readonly done?: () => void;
}

/** Runs option `editor` on a private file in a popup. False if something else is in front of the panes. */
export function openEditor(context: CommandContext, client: ClientSession, request: EditorRequest): boolean {
  const { services, registry } = context;
  if (isTakenFor(context, client)) return false;
  const path = join(mkdtempSync(join(tmpdir(), 'mplex-')), request.name);
  writeFileSync(path, request.text, { mode: 0o600 });
  const { cols, rows } = client.size;
  const width = Math.max(3, Math.trunc(cols * SHARE));
  const height = Math.max(3, Math.trunc(rows * SHARE));
  const rect = { x: Math.trunc((cols - width) / 2), y: Math.trunc((rows - height) / 2), width, height };
  const place = request.line === undefined ? '' : `+${request.line} `;
  const command = `${registry.serverOptions.string('editor')} ${place}${quoteForShell(path)}`;
  const { session, window } = context.target;
  const edits = { path, buffer: request.buffer?.name };
  const overlay = new PopupOverlay(services, client, {
    rect,
    look: { lines: 'single', title: '', style: DEFAULT_STYLE_VALUE, borderStyle: DEFAULT_STYLE_VALUE },
    closing: 'on-exit',
    menuStyle: { fg: 0, bg: 0 },
    edits,
    start: (size, handlers) =>
      services.panes.createFloating(
        { id: registry.nextPaneId(), session, window, command: { argv: [command], cwd: session.cwd } },
        size,
        handlers,
      ),
    done: (exit) => {
      finishEdit(registry, edits, exit);
      request.done?.();
    },
  });
  services.overlays.open(client, overlay);
  registry.markClient(client);
  return true;
}

/** After the editor: the buffer becomes what the file holds, unless that is nothing; the file goes. */
export function finishEdit({ buffers }: Registry, { path, buffer }: EditedFile, exit: PaneExit | undefined): void {
  // It may have been deleted meanwhile.
  const before = buffer === undefined ? undefined : buffers.get(buffer);
  const text = exit?.status === 0 ? readSaved(path) : undefined;
  rmSync(dirname(path), { recursive: true, force: true });
  if (before === undefined || text === undefined || text === '') return;
  // Editors end the last line; the buffer keeps what it had.
  buffers.replace(before.name, before.text.endsWith('\n') ? text : text.replace(/\n$/, ''));
}

function readSaved(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const editScrollback: Entry = {
  name: 'edit-scrollback',
  own: true,
  args: { template: 't:', min: 0, max: 0 },
  usage: '[-t target-pane]',
  target: { flag: 't', kind: 'pane' },
  help: "Open a pane's history and screen in the editor, at the line that is looked at",
  exec(context) {
    const { client } = context;
    if (!client) return failed('no current client');
    const { pane } = context.target;
    const view = viewOf(pane.emulator);
    const range = captureRange(view, '-', '-');
    const text = captureText(view, range, {});
    const { mode } = pane;
    const fromEnd =
      mode instanceof CopyMode
        ? mode.state.cursor.grid.length - mode.state.cursor.line
        : lastLines(view, (pane.scroll.offset > 0 ? 0 : pane.cursor().y) - pane.scroll.offset);
    openEditor(context, client, {
      name: 'scrollback',
      text: `${text}\n`,
      line: Math.max(1, view.length - fromEnd + 1),
    });
    return OK;
  },
};

/** Lines from the cursor's to the end. */
function lastLines({ length, historyLength }: { length: number; historyLength: number }, y: number): number {
  return length - historyLength - y;
}

export const EDITOR_ENTRIES: readonly Entry[] = [editScrollback];
