/** display-popup (tmux(1)): a program in a box over the panes. */
import { constants } from 'node:os';
import type { ClientSession } from '../../model/client-session.ts';
import { Environ } from '../../model/environ.ts';
import type { PaneExit } from '../../model/pane.ts';
import {
  DEFAULT_STYLE_VALUE,
  DEFAULT_TEXT_STYLE,
  parseStyle,
  type Style,
  textStyleToCell,
} from '../../options/style.ts';
import type { Args } from '../args.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { isTakenFor } from './caller.ts';
import type { CommandContext, Entry } from './context.ts';
import { overlayPosition } from './overlay-position.ts';
import { environFlag, paneCommand } from './pane-arguments.ts';
import { type PopupLines, parsePopupLines } from './popup-frame.ts';
import { type PopupClosing, PopupOverlay, type PopupRequest } from './popup-overlay.ts';

const displayPopup: Entry = {
  name: 'display-popup',
  alias: 'popup',
  args: { template: 'Bb:Cc:d:e:Eh:s:S:t:T:w:x:y:', min: 0, max: -1 },
  usage:
    '[-BCE] [-b border-lines] [-c target-client] [-d start-directory] [-e environment] [-h height] [-s style] [-S border-style] [-t target-pane][-T title] [-w width] [-x position] [-y position] [shell-command]',
  client: { flag: 'c' },
  target: { flag: 't', kind: 'pane' },
  help: 'Show a program in a box over the panes',
  exec(context, args) {
    const { client } = context;
    if (!client) return failed('no current client');
    if (args.has('C')) {
      if (client.overlay && CLOSED_BY_C.has(client.overlay.purpose))
        context.services.overlays.close(client, client.overlay);
      return OK;
    }
    if (isTakenFor(context, client)) return OK;
    return openPopup(context, client, args);
  },
};

const CLOSED_CODE = 129;

/** What display-popup -C closes. */
const CLOSED_BY_C: ReadonlySet<string> = new Set(['popup', 'menu']);

function openPopup(context: CommandContext, client: ClientSession, args: Args): CommandResult | Promise<CommandResult> {
  const { cols, rows } = client.size;
  const height = sizeFlag(args, 'h', { current: rows, name: 'height' });
  if (typeof height === 'string') return failed(height);
  const width = sizeFlag(args, 'w', { current: cols, name: 'width' });
  if (typeof width === 'string') return failed(width);
  const lines = linesOf(context, args);
  if (lines === undefined) return failed(`popup-border-lines unknown value: ${args.value('b')}`);
  const least = lines === 'none' ? 1 : 3;
  if (width < least || height < least) return OK;
  const box = { width, height };
  const request = requestOf(context, client, { args, lines });
  return new Promise((resolve) => {
    const done = (exit: PaneExit | undefined) => {
      if (context.caller.kind === 'call') context.caller.setExitCode(exitCode(exit));
      resolve(OK);
    };
    const rect = { ...overlayPosition(context, { client, args, box }), ...box };
    const overlay = new PopupOverlay(context.services, client, { ...request, rect, done });
    context.services.overlays.open(client, overlay);
    context.registry.markClient(client);
  });
}

/** -w or -h in cells or percent of the client; half of it without. A message if it is no size. */
function sizeFlag(
  args: Args,
  flag: 'w' | 'h',
  { current, name }: { readonly current: number; readonly name: string },
): number | string {
  if (!args.has(flag)) return Math.trunc(current / 2);
  const size = args.size(flag, { min: 1, max: current, current, name });
  return size.ok ? size.value : size.error;
}

function linesOf(context: CommandContext, args: Args): PopupLines | undefined {
  if (args.has('B')) return 'none';
  return parsePopupLines(args.value('b') ?? context.target.window.options.choice('popup-border-lines'));
}

/** Says that the terminal is a popup: what asks the person there asks in it, since it is in front of the client. */
function popupEnviron(args: Args): Environ {
  const environ = environFlag(args) ?? new Environ();
  environ.set('MPLEX_POPUP', '1');
  return environ;
}

function requestOf(
  context: CommandContext,
  client: ClientSession,
  { args, lines }: { readonly args: Args; readonly lines: PopupLines },
): Omit<PopupRequest, 'rect' | 'done'> {
  const { session, window } = context.target;
  const { options } = window;
  const times = args.count('E');
  const closing: PopupClosing = times === 0 ? 'by-key' : times === 1 ? 'on-exit' : 'on-success';
  return {
    look: {
      lines,
      title: context.expand(args.value('T') ?? '', { client }),
      style: styleOf(context, options.string('popup-style'), args.value('s')),
      borderStyle: styleOf(context, options.string('popup-border-style'), args.value('S')),
    },
    closing,
    menuStyle: textStyleToCell(styleOf(context, options.string('mode-style'), undefined)),
    start: (size, handlers) =>
      context.services.panes.createFloating(
        {
          id: context.registry.nextPaneId(),
          session,
          window,
          command: paneCommand(context, args),
          environ: popupEnviron(args),
        },
        size,
        handlers,
      ),
  };
}

/** A flag's style on top of an option's; one that is no style leaves the option's. */
function styleOf(context: CommandContext, option: string, flag: string | undefined): Style {
  const base = parseStyle(context.expand(option), DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE) ?? DEFAULT_STYLE_VALUE;
  return flag === undefined ? base : (parseStyle(flag, base, DEFAULT_TEXT_STYLE) ?? base);
}

/** As tmux gives it: the number of the signal that ended the program; 129 for one that is hung up when its popup closes. */
function exitCode(exit: PaneExit | undefined): number {
  if (!exit) return CLOSED_CODE;
  if (exit.signal === undefined) return exit.status ?? 0;
  const signals: Readonly<Record<string, number>> = constants.signals;
  return signals[exit.signal] ?? 0;
}

export const POPUP_ENTRIES: readonly Entry[] = [displayPopup];
