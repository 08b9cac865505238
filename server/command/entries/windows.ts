/** Commands about windows: making, choosing, naming, moving, linking and closing them, and their layouts. */
import { assignPanes, layoutSize, panesOf } from '../../layout/layout-cell.ts';
import { findPreset, nextPreset, type PresetName, presetLayout } from '../../layout/layout-presets.ts';
import { resizeLayout, spreadPane } from '../../layout/layout-resize.ts';
import { applyLayout, printLayout } from '../../layout/layout-string.ts';
import { parseNumber } from '../../layout/size-value.ts';
import type { Session, Winlink } from '../../model/session.ts';
import type { Window } from '../../model/window.ts';
import { extremeSize, fitWindows, resizeWindow, sizeForSession } from '../../model/window-size.ts';
import type { Args } from '../args.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { currentOf, resolveTarget, type Target, targetOfWinlink } from '../target.ts';
import type { CommandContext, Entry } from './context.ts';
import { printList } from './list-output.ts';
import { cleanName, givenName } from './names.ts';
import { ownTarget } from './own-target.ts';
import { environFlag, paneCommand } from './pane-arguments.ts';

const LIST_TEMPLATE =
  '#{window_index}: #{window_name}#{window_raw_flags} (#{window_panes} panes) [#{window_width}x#{window_height}] ' +
  '[layout #{window_layout}] #{window_id}#{?window_active, (active),}';
const LIST_ALL_TEMPLATE =
  '#{session_name}:#{window_index}: #{window_name}#{window_raw_flags} (#{window_panes} panes) ' +
  '[#{window_width}x#{window_height}] ';
const NEW_TEMPLATE = '#{session_name}:#{window_index}.#{pane_index}';

const newWindow: Entry = {
  name: 'new-window',
  alias: 'neww',
  args: { template: 'abc:de:F:kn:PSt:', min: 0, max: -1 },
  usage:
    '[-abdkPS] [-c start-directory] [-e environment] [-F format] [-n window-name] [-t target-window] [shell-command]',
  target: { flag: 't', kind: 'window', allowFreeIndex: true },
  help: 'Create a window',
  exec(context, args) {
    const { session } = context.target;
    const name = args.value('n') === undefined ? undefined : givenName(context.expand(args.value('n') ?? ''));
    if (args.has('S') && name !== undefined) {
      const same = session.winlinks.filter((winlink) => winlink.window.name === name);
      if (same.length > 1) return failed(`multiple windows named ${name}`);
      if (same[0]) {
        if (!args.has('d')) context.services.lifecycle.selectWindow(same[0]);
        return OK;
      }
    }
    const place = freePlace(context.target, args, { kill: args.has('k'), takesFree: true });
    if (!place.ok) return failed(place.error.replace(/^index in use: (\d+)$/, 'create window failed: index $1 in use'));
    const winlink = context.services.lifecycle.newWindow({
      session,
      index: place.index,
      name,
      command: paneCommand(context, args),
      environ: environFlag(args),
      detached: args.has('d'),
    });
    context.outcome = targetOfWinlink(winlink);
    if (!args.has('d')) context.state.current = currentOf(winlink);
    if (place.replaced) context.services.lifecycle.unlink(place.replaced);
    if (place.wasCurrent) context.services.lifecycle.selectWindow(winlink);
    if (args.has('P')) context.print(context.expand(args.value('F') ?? NEW_TEMPLATE, targetOfWinlink(winlink)));
    context.registry.markSession(session);
    return OK;
  },
};

/** Whether -t counts from the current window (`+2`, `:-`): -a and -b mean the current one then. */
function isOffset(args: Args): boolean {
  return /(?:^|:)[-+]\d*$/.test(args.value('t') ?? '');
}

type Place =
  | { ok: true; index: number | undefined; replaced: Winlink | undefined; wasCurrent: boolean }
  | { ok: false; error: string };

/** Where a new winlink goes: -a after, -b before the target (those behind move up), -t's index, or the first free one. */
function freePlace(
  { session, winlink, index }: Target,
  args: Args,
  options: { readonly kill: boolean; readonly takesFree?: boolean },
): Place {
  if (args.has('a') || args.has('b')) {
    if (index !== undefined && options.takesFree && !isOffset(args) && !session.at(index)) {
      return { ok: true, index, replaced: undefined, wasCurrent: false };
    }
    const at = (args.has('b') ? 0 : 1) + winlink.index;
    session.makeRoom(at);
    return { ok: true, index: at, replaced: undefined, wasCurrent: false };
  }
  if (index === undefined || args.value('t') === undefined)
    return { ok: true, index: undefined, replaced: undefined, wasCurrent: false };
  const taken = session.at(index);
  if (!taken) return { ok: true, index, replaced: undefined, wasCurrent: false };
  if (!options.kill) return { ok: false, error: `index in use: ${index}` };
  const wasCurrent = session.current === taken;
  session.move(taken, session.freeIndex(index + 1_000_000));
  return { ok: true, index, replaced: taken, wasCurrent };
}

const killWindow: Entry = {
  name: 'kill-window',
  alias: 'killw',
  args: { template: 'at:', min: 0, max: 0 },
  usage: '[-a] [-t target-window]',
  target: { flag: 't', kind: 'window' },
  help: 'Close a window and its panes',
  exec(context, args) {
    const { session, window, winlink } = context.target;
    if (!args.has('a')) context.services.lifecycle.closeWindow(window);
    else
      for (const other of session.winlinks)
        if (other !== winlink && other.window !== window) context.services.lifecycle.closeWindow(other.window);
    return OK;
  },
};

const listWindows: Entry = {
  name: 'list-windows',
  alias: 'lsw',
  args: { template: 'aF:f:t:', min: 0, max: 0 },
  usage: '[-a] [-F format] [-f filter] [-t target-session]',
  target: { flag: 't', kind: 'session' },
  help: 'List the windows of a session, or all',
  exec(context, args) {
    const sessions = args.has('a') ? context.registry.sessionsByName() : [context.target.session];
    const template = args.value('F') ?? (args.has('a') ? LIST_ALL_TEMPLATE : LIST_TEMPLATE);
    const things = sessions.flatMap((session) =>
      session.winlinks.map((winlink) => ({
        session,
        winlink,
        window: winlink.window,
        pane: undefined,
        client: undefined,
      })),
    );
    printList(context, things, { template, filter: args.value('f'), groupOf: ({ session }) => session });
    return OK;
  },
};

const renameWindow: Entry = {
  name: 'rename-window',
  alias: 'renamew',
  args: { template: 't:', min: 1, max: 1 },
  usage: '[-t target-window] new-name',
  target: { flag: 't', kind: 'window' },
  help: 'Rename a window and stop naming it automatically',
  exec(context, args) {
    const { window } = context.target;
    window.name = cleanName(context.expand(args.string(0) ?? ''));
    window.options.setValue('automatic-rename', false);
    context.registry.emit('window-renamed', { window });
    context.registry.markWindow(window);
    return OK;
  },
};

const selectWindow: Entry = {
  name: 'select-window',
  alias: 'selectw',
  args: { template: 'lnpTt:', min: 0, max: 0 },
  usage: '[-lnpT] [-t target-window]',
  target: { flag: 't', kind: 'window' },
  help: 'Show a window',
  exec(context, args) {
    const { session, winlink } = context.target;
    if (args.has('n')) return step(context, session, 1, false);
    if (args.has('p')) return step(context, session, -1, false);
    if (args.has('l') || (args.has('T') && winlink === session.current)) return toLast(context, session);
    context.services.lifecycle.selectWindow(winlink);
    return OK;
  },
};

function step(context: CommandContext, session: Session, by: 1 | -1, withAlert: boolean): CommandResult {
  const next = session.neighbour(by, withAlert);
  if (!next) return failed(by === 1 ? 'no next window' : 'no previous window');
  context.services.lifecycle.selectWindow(next);
  return OK;
}

function toLast(context: CommandContext, session: Session): CommandResult {
  if (!session.last) return failed('no last window');
  context.services.lifecycle.selectWindow(session.last);
  return OK;
}

function stepEntry(name: string, alias: string, by: 1 | -1, help: string): Entry {
  return {
    name,
    alias,
    hook: 'after-select-window',
    args: { template: 'at:', min: 0, max: 0 },
    usage: '[-a] [-t target-session]',
    target: { flag: 't', kind: 'session' },
    help,
    exec: (context, args) => step(context, context.target.session, by, args.has('a')),
  };
}

const lastWindow: Entry = {
  name: 'last-window',
  alias: 'last',
  hook: 'after-select-window',
  args: { template: 't:', min: 0, max: 0 },
  usage: '[-t target-session]',
  target: { flag: 't', kind: 'session' },
  help: 'Show the window shown before',
  exec: (context) => toLast(context, context.target.session),
};

const MOVE_ARGS = { template: 'abdkrs:t:', min: 0, max: 0 };

const moveWindow: Entry = {
  name: 'move-window',
  alias: 'movew',
  args: MOVE_ARGS,
  usage: '[-abdkr] [-s src-window] [-t dst-window]',
  source: { flag: 's', kind: 'window' },
  help: 'Move a window to another index or session, or renumber all (-r)',
  // With -r the target is a session, which tmux does not miss.
  exec(context, args) {
    if (args.has('r')) {
      const session = ownTarget(context, args, 'session')?.session;
      session?.renumber(session.options.number('base-index'));
      if (session) context.registry.markSession(session);
      return OK;
    }
    const wish = { kind: 'window', allowFreeIndex: true, current: context.current } as const;
    const to = resolveTarget(context.registry, args.value('t'), wish);
    return to.ok ? linkTo(context, args, { move: true, target: to.target }) : failed(to.error);
  },
};

const linkWindow: Entry = {
  name: 'link-window',
  alias: 'linkw',
  args: { template: 'abdks:t:', min: 0, max: 0 },
  usage: '[-abdk] [-s src-window] [-t dst-window]',
  source: { flag: 's', kind: 'window' },
  target: { flag: 't', kind: 'window', allowFreeIndex: true },
  help: 'Show a window in another session as well',
  exec: (context, args) => linkTo(context, args, { move: false, target: context.target }),
};

function linkTo(context: CommandContext, args: Args, options: { move: boolean; target: Target }): CommandResult {
  const { lifecycle } = context.services;
  const { winlink, window, session: from } = context.source;
  const { target } = options;
  const { session } = target;
  if (from.group !== undefined && from !== session && from.group === session.group)
    return failed('sessions are grouped');
  if (
    session.at(target.index ?? -1)?.window === window &&
    args.value('t') !== undefined &&
    !args.has('a') &&
    !args.has('b')
  ) {
    return failed(`same index: ${target.index}`);
  }
  const place = freePlace(target, args, { kill: args.has('k') });
  if (!place.ok) return failed(place.error);
  const index = place.index ?? session.freeIndex(session.options.number('base-index'));
  const linked = lifecycle.link(window, session, index);
  if (!args.has('d')) lifecycle.selectWindow(linked);
  if (options.move) lifecycle.unlink(winlink);
  if (place.replaced) lifecycle.unlink(place.replaced);
  if (options.move && session.options.flag('renumber-windows')) session.renumber(session.options.number('base-index'));
  context.registry.markSession(session);
  return OK;
}

const unlinkWindow: Entry = {
  name: 'unlink-window',
  alias: 'unlinkw',
  args: { template: 'kt:', min: 0, max: 0 },
  usage: '[-k] [-t target-window]',
  target: { flag: 't', kind: 'window' },
  help: 'Take a window out of a session',
  exec(context, args) {
    const { winlink, window } = context.target;
    if (!args.has('k') && window.winlinks.size <= 1) return failed('window only linked to one session');
    context.services.lifecycle.unlink(winlink);
    return OK;
  },
};

const swapWindow: Entry = {
  name: 'swap-window',
  alias: 'swapw',
  args: { template: 'ds:t:', min: 0, max: 0 },
  usage: '[-d] [-s src-window] [-t dst-window]',
  source: { flag: 's', kind: 'window', defaultMarked: true },
  target: { flag: 't', kind: 'window' },
  help: 'Exchange two windows',
  exec(context, args) {
    const { source, target } = context;
    if (source.winlink === target.winlink) return OK;
    if (
      source.session !== target.session &&
      source.session.group !== undefined &&
      source.session.group === target.session.group
    )
      return failed("can't move window, sessions are grouped");
    // Against its manual, tmux goes to the places with -d and stays without.
    context.services.lifecycle.swapWindows(source.winlink, target.winlink, { select: args.has('d') });
    return OK;
  },
};

const resizeWindowEntry: Entry = {
  name: 'resize-window',
  alias: 'resizew',
  args: { template: 'aADLRt:Ux:y:', min: 0, max: 1 },
  usage: '[-aADLRU] [-x width] [-y height] [-t target-window] [adjustment]',
  target: { flag: 't', kind: 'window' },
  help: 'Give a window a size of its own',
  exec(context, args) {
    const { window } = context.target;
    const adjustment = parseNumber(args.string(0) ?? '1', { min: 1, max: 2147483647 });
    if (!adjustment.ok) return failed(`adjustment ${adjustment.error}`);
    let { cols, rows } = window.size;
    for (const [flag, name] of [
      ['x', 'width'],
      ['y', 'height'],
    ] as const) {
      const text = args.value(flag);
      if (text === undefined) continue;
      const number = parseNumber(text, { min: 1, max: 10_000 });
      if (!number.ok) return failed(`${name} ${number.error}`);
      [cols, rows] = flag === 'x' ? [number.value, rows] : [cols, number.value];
    }
    // More than there is to take is not taken.
    if (args.has('L')) cols -= adjustment.value <= cols ? adjustment.value : 0;
    else if (args.has('R')) cols += adjustment.value;
    else if (args.has('U')) rows -= adjustment.value <= rows ? adjustment.value : 0;
    else if (args.has('D')) rows += adjustment.value;
    if (args.has('A') || args.has('a')) {
      const wanted = extremeSize(context.registry, window, args.has('A') ? 'largest' : 'smallest');
      ({ cols, rows } = wanted ?? sizeForSession(context.registry, context.target.session));
    }
    window.options.setValue('window-size', 'manual');
    window.manualSize = { cols: Math.max(1, cols), rows: Math.max(1, rows) };
    resizeWindow(context.registry, window, window.manualSize);
    return OK;
  },
};

const selectLayout: Entry = {
  name: 'select-layout',
  alias: 'selectl',
  args: { template: 'Enopt:', min: 0, max: 1 },
  usage: '[-Enop] [-t target-pane] [layout-name]',
  target: { flag: 't', kind: 'pane' },
  help: 'Arrange the panes of a window by a preset or a layout string',
  exec(context, args) {
    const { window, pane } = context.target;
    const name = args.string(0);
    if (args.has('n') || args.has('p'))
      return applyPreset(context, window, nextPreset(window.lastPreset, args.has('n') ? 1 : -1));
    if (args.has('E')) {
      rememberLayout(window);
      window.setLayout(spreadPane(window.layout, pane.id, window.borderStatus));
      context.services.lifecycle.layoutChanged(window);
      return OK;
    }
    if (args.has('o')) {
      const layout = name ?? window.oldLayout;
      return layout === undefined ? OK : applyString(context, window, layout);
    }
    if (name === undefined)
      return window.lastPreset === undefined ? OK : applyPreset(context, window, window.lastPreset);
    const preset = findPreset(name);
    return preset === undefined ? applyString(context, window, name) : applyPreset(context, window, preset);
  },
};

function rememberLayout(window: Window): void {
  window.unzoom();
  window.oldLayout = printLayout(window.layout);
}

function applyPreset(context: CommandContext, window: Window, preset: PresetName): CommandResult {
  rememberLayout(window);
  window.lastPreset = preset;
  const layout = presetLayout(
    preset,
    window.panes.map((pane) => pane.id),
    {
      size: window.size,
      status: window.borderStatus,
      mainPaneWidth: optionText(window, 'main-pane-width'),
      mainPaneHeight: optionText(window, 'main-pane-height'),
      otherPaneWidth: optionText(window, 'other-pane-width'),
      otherPaneHeight: optionText(window, 'other-pane-height'),
    },
  );
  // A preset may need more than the window has; tmux shrinks it back as far as it goes.
  if (layout) window.setLayout(resizeLayout(layout, window.size, window.borderStatus));
  context.services.lifecycle.layoutChanged(window);
  return OK;
}

function optionText(window: Window, name: string): string {
  return window.options.formatValue(name) ?? '';
}

function applyString(context: CommandContext, window: Window, text: string): CommandResult {
  const result = applyLayout(
    text,
    window.panes.map((pane) => pane.id),
  );
  if (!result.ok) return failed(result.error);
  rememberLayout(window);
  window.size = layoutSize(result.layout);
  window.setLayout(result.layout);
  fitWindows(context.registry);
  context.services.lifecycle.layoutChanged(window);
  return OK;
}

function layoutStepEntry(name: string, alias: string, by: 1 | -1, help: string): Entry {
  return {
    name,
    alias,
    args: { template: 't:', min: 0, max: 0 },
    usage: '[-t target-window]',
    target: { flag: 't', kind: 'window' },
    help,
    exec: (context) => applyPreset(context, context.target.window, nextPreset(context.target.window.lastPreset, by)),
  };
}

const rotateWindow: Entry = {
  name: 'rotate-window',
  alias: 'rotatew',
  args: { template: 'Dt:UZ', min: 0, max: 0 },
  usage: '[-DUZ] [-t target-window]',
  target: { flag: 't', kind: 'window' },
  help: 'Move each pane to the place of the one before it',
  exec(context, args) {
    const { window } = context.target;
    const zoomed = window.zoomed !== undefined && args.has('Z');
    window.unzoom();
    const places = panesOf(window.layout);
    const activePlace = window.panes.indexOf(window.active);
    const ids = window.panes.map((pane) => pane.id);
    const down = args.has('D');
    const turned = down ? [...ids.slice(-1), ...ids.slice(0, -1)] : [...ids.slice(1), ...ids.slice(0, 1)];
    const to = new Map(ids.map((id, at) => [id, turned[at] ?? id]));
    window.reorderPanes(turned);
    window.setLayout(
      assignPanes(
        window.layout,
        places.map((id) => to.get(id) ?? id),
      ),
    );
    const next = window.panes[activePlace];
    if (next) context.services.lifecycle.selectPane(next);
    if (zoomed) window.zoom(window.active);
    context.services.lifecycle.layoutChanged(window);
    return OK;
  },
};

export const WINDOW_ENTRIES: readonly Entry[] = [
  killWindow,
  lastWindow,
  linkWindow,
  listWindows,
  moveWindow,
  newWindow,
  layoutStepEntry('next-layout', 'nextl', 1, 'Arrange the panes by the next preset'),
  stepEntry('next-window', 'next', 1, 'Show the next window'),
  layoutStepEntry('previous-layout', 'prevl', -1, 'Arrange the panes by the previous preset'),
  stepEntry('previous-window', 'prev', -1, 'Show the previous window'),
  renameWindow,
  resizeWindowEntry,
  rotateWindow,
  selectLayout,
  selectWindow,
  swapWindow,
  unlinkWindow,
];
