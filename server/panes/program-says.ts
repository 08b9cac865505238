/**
 * What a pane's program says by its output (title, window name, bell, notice, clipboard), and what becomes of it: the model
 * is changed, and what must happen once is announced (survival/output-track.ts).
 */
import type { Log } from '../log.ts';
import type { FloatingHandlers } from '../model/lifecycle.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { OutputTrack } from '../survival/output-track.ts';
import type { EmulatorHandlers } from '../terminal/emulator.ts';
import type { ClipboardQuestion } from '../terminal/program-strings.ts';
import type { PaneClipboard } from './pane-clipboard.ts';
import type { PaneNotice } from './pane-notices.ts';

export interface ProgramSays {
  readonly registry: Registry;
  readonly log: Log;
  /** OSC 52. */
  readonly clipboard: Pick<PaneClipboard, 'write' | 'answerFromBuffer' | 'request'>;
  readonly bell: (pane: Pane) => void;
  /** OSC 9, 777, 99. */
  readonly notify?: (pane: Pane, notice: PaneNotice) => void;
  /** Who has a pane that is in no window. */
  readonly floatingOf: (pane: Pane) => FloatingHandlers | undefined;
}

/** Runs with the pane and its output's track, once both are there. */
export type WithPane = (run: (pane: Pane, track: OutputTrack) => void) => void;

/** The handlers of one pane's emulator. */
export function programHandlers(of: WithPane, context: ProgramSays): EmulatorHandlers {
  const { registry, clipboard, log } = context;
  return {
    reply: (bytes) => of((pane, track) => (track.isParsing ? track.reply(bytes) : pane.write(bytes))),
    bell: () => of((pane, track) => track.announce(() => ring(context, pane))),
    notification: (title, body) => of((pane, track) => track.announce(() => context.notify?.(pane, { title, body }))),
    title: (title) => of((pane, track) => track.change(() => setTitle(context, pane, { title, track }))),
    windowName: (name) => of((pane, track) => track.change(() => renameWindow(context, pane, { name, track }))),
    cwd: (path) =>
      of((pane, track) =>
        track.change(() => {
          pane.path = path;
        }),
      ),
    clipboard: (selection, text) => of((pane, track) => track.announce(() => clipboard.write(pane, selection, text))),
    takesClipboard: () => registry.serverOptions.choice('set-clipboard') === 'on',
    clipboardQuery: (question) => of((pane, track) => tellClipboard(context, pane, { question, track })),
    failed: (error) => log.error('pane output handler', error),
  };
}

function ring({ floatingOf, bell }: ProgramSays, pane: Pane): void {
  const floating = floatingOf(pane);
  if (floating) floating.bell();
  else bell(pane);
}

function setTitle(
  { registry, floatingOf }: ProgramSays,
  pane: Pane,
  { title, track }: { readonly title: string; readonly track: OutputTrack },
): void {
  if (pane.title === title) return;
  pane.title = title;
  if (floatingOf(pane)) return;
  registry.markWindow(pane.window);
  track.announce(() => registry.emit('pane-title-changed', { pane, window: pane.window }));
}

function renameWindow(
  { registry, floatingOf }: ProgramSays,
  pane: Pane,
  { name, track }: { readonly name: string; readonly track: OutputTrack },
): void {
  if (!pane.options.flag('allow-rename') || name === '' || floatingOf(pane)) return;
  pane.window.options.setValue('automatic-rename', false);
  pane.window.name = name;
  registry.markWindow(pane.window);
  track.announce(() => registry.emit('window-renamed', { window: pane.window }));
}

/** An answer that is here goes out in the order of the questions: programs take the next answer for the end. */
function tellClipboard(
  { clipboard }: ProgramSays,
  pane: Pane,
  { question, track }: { readonly question: ClipboardQuestion; readonly track: OutputTrack },
): void {
  const answer = clipboard.answerFromBuffer(question);
  if (answer !== undefined) track.reply(answer);
  else track.announce(() => clipboard.request(pane, question));
}
