/** Opens a paste buffer in the person's editor, in a popup, and takes what was saved back. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quoteForShell } from '../../format/format-text.ts';
import type { ClientSession } from '../../model/client-session.ts';
import type { PasteBuffer } from '../../model/paste-buffers.ts';
import { DEFAULT_STYLE_VALUE } from '../../options/style.ts';
import type { CommandContext } from './context.ts';
import { PopupOverlay } from './popup-overlay.ts';

export interface EditRequest {
  readonly buffer: PasteBuffer;
  readonly changed: () => void;
}

/** Runs option `editor` on a private file with the text; the buffer becomes what the file holds when it ends well. */
export function editBuffer(context: CommandContext, client: ClientSession, { buffer, changed }: EditRequest): void {
  const { services, registry } = context;
  if (client.overlay) return;
  const directory = mkdtempSync(join(tmpdir(), 'mplex-'));
  const path = join(directory, 'buffer');
  writeFileSync(path, buffer.text, { mode: 0o600 });
  const { cols, rows } = client.size;
  const width = Math.max(3, Math.trunc(cols * 0.9));
  const height = Math.max(3, Math.trunc(rows * 0.9));
  const rect = { x: Math.trunc((cols - width) / 2), y: Math.trunc((rows - height) / 2), width, height };
  const editor = registry.serverOptions.string('editor');
  const { session, window } = context.target;
  const overlay = new PopupOverlay(services, client, {
    rect,
    look: { lines: 'single', title: '', style: DEFAULT_STYLE_VALUE, borderStyle: DEFAULT_STYLE_VALUE },
    closing: 'on-exit',
    menuStyle: { fg: 0, bg: 0 },
    start: (size, handlers) =>
      services.panes.createFloating(
        {
          id: registry.nextPaneId(),
          session,
          window,
          command: { argv: [`${editor} ${quoteForShell(path)}`], cwd: session.cwd },
        },
        size,
        handlers,
      ),
    done: (exit) => {
      const text = exit?.status === 0 ? readSaved(path) : undefined;
      rmSync(directory, { recursive: true, force: true });
      // Gone meanwhile, or nothing to say: it stays as it is.
      if (text === undefined || text === '' || !registry.buffers.get(buffer.name)) return;
      registry.buffers.replace(buffer.name, buffer.text.endsWith('\n') ? text : text.replace(/\n$/, ''));
      changed();
    },
  });
  services.overlays.open(client, overlay);
  registry.markClient(client);
}

function readSaved(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
