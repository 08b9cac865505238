/** Commands about panes: splitting, choosing, sizing, moving, restarting and closing them. */

import { openPipe } from '../../jobs/pane-pipe.ts';
import type { Axis } from '../../layout/layout-cell.ts';
import { borderAt, cellAt, findPane, sizeAlong, swapPanes } from '../../layout/layout-cell.ts';
import type { Direction } from '../../layout/layout-neighbours.ts';
import { moveBorder, resizePane, resizePaneTo } from '../../layout/layout-resize.ts';
import { parseNumber, parseSizeValue } from '../../layout/size-value.ts';
import type { Pane } from '../../model/pane.ts';
import { Window } from '../../model/window.ts';
import { matchOption } from '../../options/option-set.ts';
import type { Args } from '../args.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { currentOf, type Target, targetOfWinlink } from '../target.ts';
import type { CommandContext, Entry } from './context.ts';
import { printList } from './list-output.ts';
import { cleanName, paneTitle } from './names.ts';
import { environFlag, paneCommand } from './pane-arguments.ts';

const NEW_TEMPLATE = '#{session_name}:#{window_index}.#{pane_index}';
const LIST_TEMPLATE =
  '#{pane_index}: [#{pane_width}x#{pane_height}] [history #{history_size}/#{history_limit}, #{history_bytes} bytes] ' +
  '#{pane_id}#{?pane_active, (active),}#{?pane_dead, (dead),}';

const DIRECTIONS: readonly (readonly [string, Direction])[] = [
  ['L', 'left'],
  ['R', 'right'],
  ['U', 'up'],
  ['D', 'down'],
];

const splitWindow: Entry = {
  name: 'split-window',
  alias: 'splitw',
  args: { template: 'bc:de:fF:hIl:p:Pt:vZ', min: 0, max: -1 },
  usage: '[-bdefhIPvZ] [-c start-directory] [-e environment] [-F format] [-l size] [-t target-pane][shell-command]',
  target: { flag: 't', kind: 'pane' },
  help: 'Split a pane and run a program in the new one',
  async exec(context, args) {
    const { session, winlink, pane } = context.target;
    const size = splitSize(args, pane);
    if (!size.ok) return failed(size.error);
    const wasZoomed = winlink.window.zoomed !== undefined;
    const empty = args.has('I') || (args.strings(0).length === 1 && args.string(0) === '');
    const result = context.services.lifecycle.split(
      pane,
      {
        axis: args.has('h') ? 'row' : 'column',
        size: size.size,
        before: args.has('b'),
        full: args.has('f'),
        detached: args.has('d'),
      },
      { session, command: paneCommand(context, args), environ: environFlag(args), empty },
    );
    if (!result.ok) return failed(result.error);
    if (args.has('Z') || (wasZoomed && args.has('d') && args.has('Z'))) winlink.window.zoom(result.pane);
    const about: Target = { ...targetOfWinlink(winlink), pane: result.pane };
    context.outcome = about;
    if (!args.has('d')) context.state.current = currentOf(winlink, result.pane);
    if (args.has('P')) context.print(context.expand(args.value('F') ?? NEW_TEMPLATE, about));
    if (args.has('I') && context.caller.readStdin) {
      const bytes = await context.caller.readStdin();
      result.pane.emulator.write(
        Buffer.from(Buffer.from(bytes).toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1'),
      );
      context.registry.markPane(result.pane);
    }
    return OK;
  },
};

type SplitSize =
  | { readonly ok: true; readonly size: number | undefined }
  | { readonly ok: false; readonly error: string };

/** split-window's -l (cells or percent) or -p (percent) as cells along the split, of the window with -f. */
function splitSize(args: Args, pane: Pane): SplitSize {
  const current = args.has('f') ? sizeAlong(pane.window.layout, splitAxis(args)) : paneSizeAlong(args, pane);
  const length = args.value('l');
  if (length !== undefined) {
    const size = parseSizeValue(length, { min: 0, max: SIZE_MAX, current, percentMax: SIZE_MAX });
    return size.ok ? { ok: true, size: size.value } : { ok: false, error: `lines ${worded(size.error)}` };
  }
  const percent = args.value('p');
  if (percent === undefined) return { ok: true, size: undefined };
  const share = parseNumber(percent, { min: 0, max: SIZE_MAX });
  return share.ok
    ? { ok: true, size: Math.floor((current * share.value) / 100) }
    : { ok: false, error: `create pane failed: -p ${worded(share.error)}` };
}

/** join-pane's -l or -p as cells along the split, a percentage always of the pane. */
function joinSize(args: Args, pane: Pane): SplitSize {
  const percent = args.value('p');
  const text = args.value('l') ?? (percent === undefined ? undefined : `${percent}%`);
  if (text === undefined) return { ok: true, size: undefined };
  const size = parseSizeValue(text, { min: 0, max: SIZE_MAX, current: paneSizeAlong(args, pane) });
  return size.ok ? { ok: true, size: size.value } : { ok: false, error: `size ${worded(size.error)}` };
}

const SIZE_MAX = 2147483647;

function splitAxis(args: Args): Axis {
  return args.has('h') ? 'row' : 'column';
}

function paneSizeAlong(args: Args, pane: Pane): number {
  const { layout } = pane.window;
  const path = findPane(layout, pane.id);
  return sizeAlong(path === undefined ? layout : cellAt(layout, path), splitAxis(args));
}

/** tmux has no word of its own for an empty number. */
function worded(error: string): string {
  return error === 'empty' ? 'invalid' : error;
}

const killPane: Entry = {
  name: 'kill-pane',
  alias: 'killp',
  args: { template: 'at:', min: 0, max: 0 },
  usage: '[-a] [-t target-pane]',
  target: { flag: 't', kind: 'pane' },
  help: 'Close a pane, or all others (-a)',
  exec(context, args) {
    const { pane, window } = context.target;
    if (!args.has('a')) context.services.lifecycle.closePane(pane);
    else for (const other of [...window.panes]) if (other !== pane) context.services.lifecycle.closePane(other);
    return OK;
  },
};

const listPanes: Entry = {
  name: 'list-panes',
  alias: 'lsp',
  args: { template: 'aF:f:st:', min: 0, max: 0 },
  usage: '[-as] [-F format] [-f filter] [-t target-window]',
  target: { flag: 't', kind: 'window' },
  help: 'List the panes of a window, a session (-s), or all (-a)',
  exec(context, args) {
    const { session, winlink } = context.target;
    const winlinks = args.has('a')
      ? context.registry.sessionsByName().flatMap((one) => one.winlinks)
      : args.has('s')
        ? session.winlinks
        : [winlink];
    const prefix = args.has('a') ? '#{session_name}:#{window_index}.' : args.has('s') ? '#{window_index}.' : '';
    const template = args.value('F') ?? prefix + LIST_TEMPLATE;
    const things = winlinks.flatMap((one) =>
      one.window.panes.map((pane) => ({ ...targetOfWinlink(one), pane, client: undefined })),
    );
    printList(context, things, { template, filter: args.value('f'), groupOf: ({ winlink }) => winlink });
    return OK;
  },
};

const selectPane: Entry = {
  name: 'select-pane',
  alias: 'selectp',
  args: { template: 'DdegLlMmP:RT:t:UZ', min: 0, max: 0 },
  usage: '[-DdeLlMmRUZ] [-T title] [-t target-pane]',
  target: { flag: 't', kind: 'pane' },
  help: 'Make a pane active, mark it, name it, or switch its input off',
  exec(context, args) {
    const { pane, window } = context.target;
    if (args.has('l')) return selectLast(context, args, window);
    if (args.has('m') || args.has('M')) return mark(context, pane, args.has('m'));
    const style = args.value('P');
    if (style !== undefined) {
      for (const name of ['window-style', 'window-active-style']) {
        const result = pane.options.set(matchOption(name), style);
        if (!result.ok) return failed(`bad style: ${style}`);
      }
      context.registry.markPane(pane);
    }
    if (args.has('g')) {
      context.print(pane.options.string('window-style'));
      return OK;
    }
    const direction = DIRECTIONS.find(([flag]) => args.has(flag))?.[1];
    const wanted = direction ? window.neighbour(pane, direction) : pane;
    if (!wanted) return OK;
    const title = args.value('T');
    if (title !== undefined) {
      const text = paneTitle(context.expand(title));
      if (text === undefined) return OK;
      wanted.title = text;
      context.registry.emit('pane-title-changed', { pane: wanted, window });
      context.registry.markWindow(window);
      return OK;
    }
    if (args.has('e') || args.has('d')) {
      wanted.inputOff = args.has('d');
      context.registry.markPane(wanted);
      return OK;
    }
    activate(context, wanted, args.has('Z'));
    return OK;
  },
};

/** Makes a pane active; a zoomed window stays zoomed on it with `keepZoom`, else shows all panes again. */
function activate(context: CommandContext, pane: Pane, keepZoom: boolean): void {
  const { window } = pane;
  const wasZoomed = window.zoomed !== undefined;
  if (window.active === pane) return;
  window.unzoom();
  context.services.lifecycle.selectPane(pane);
  if (wasZoomed && keepZoom) window.zoom(pane);
  if (wasZoomed) context.services.lifecycle.layoutChanged(window);
}

function selectLast(context: CommandContext, args: Args, window: Window): CommandResult {
  const last =
    window.lastPane ?? (window.panes.length === 2 ? window.panes.find((pane) => pane !== window.active) : undefined);
  if (!last) return failed('no last pane');
  if (args.has('e') || args.has('d')) last.inputOff = args.has('d');
  else activate(context, last, args.has('Z'));
  context.registry.markWindow(window);
  return OK;
}

function mark(context: CommandContext, pane: Pane, set: boolean): CommandResult {
  if (set && !pane.window.visiblePanes.includes(pane)) return OK;
  const before = context.registry.markedPane;
  context.registry.markedPane = set && before !== pane ? pane : undefined;
  for (const changed of [before, pane]) if (changed) context.registry.markWindow(changed.window);
  return OK;
}

const lastPane: Entry = {
  name: 'last-pane',
  alias: 'lastp',
  args: { template: 'det:Z', min: 0, max: 0 },
  usage: '[-deZ] [-t target-window]',
  target: { flag: 't', kind: 'window' },
  help: 'Make the pane active that was so before',
  exec: (context, args) => selectLast(context, args, context.target.window),
};

const resizePaneEntry: Entry = {
  name: 'resize-pane',
  alias: 'resizep',
  args: { template: 'DLMRTt:Ux:y:Z', min: 0, max: 1 },
  usage: '[-DLMRTUZ] [-x width] [-y height] [-t target-pane] [adjustment]',
  target: { flag: 't', kind: 'pane' },
  help: 'Resize a pane, zoom it (-Z), or drag its border (-M)',
  exec(context, args) {
    const { pane, window } = context.target;
    if (args.has('T')) {
      pane.emulator.trimBelowCursor();
      context.registry.markPane(pane);
      return OK;
    }
    if (args.has('M')) return startBorderDrag(context);
    if (args.has('Z')) {
      if (window.unzoom() || window.zoom(pane)) context.services.lifecycle.layoutChanged(window);
      return OK;
    }
    const text = args.string(0);
    const adjustment = parseNumber(text ?? '1', { min: 1, max: 2147483647 });
    if (!adjustment.ok) return failed(`adjustment ${adjustment.error}`);
    window.unzoom();
    let { layout } = window;
    const status = window.borderStatus;
    for (const [flag, axis, name] of [
      ['x', 'row', 'width'],
      ['y', 'column', 'height'],
    ] as const) {
      const value = args.value(flag);
      if (value === undefined) continue;
      const current = axis === 'row' ? window.size.cols : window.size.rows;
      const size = parseSizeValue(value, { min: 0, max: 2147483647, current });
      if (!size.ok) return failed(`${name} ${size.error}`);
      layout = resizePaneTo(layout, pane.id, { axis, size: size.value, status });
    }
    const direction = DIRECTIONS.find(([flag]) => args.has(flag))?.[1];
    if (direction) {
      const axis: Axis = direction === 'left' || direction === 'right' ? 'row' : 'column';
      const change = direction === 'left' || direction === 'up' ? -adjustment.value : adjustment.value;
      layout = resizePane(layout, pane.id, { axis, change, status });
    }
    window.setLayout(layout);
    context.services.lifecycle.layoutChanged(window);
    return OK;
  },
};

/** Lets the border under the mouse follow it until the button is released. */
function startBorderDrag(context: CommandContext): CommandResult {
  const { client, mouse } = context;
  if (!client?.session || !mouse) return OK;
  const { window } = client.session.current;
  const top = context.services.windowTop(client);
  const from = mouse.from ?? { clientX: mouse.event.x, clientY: mouse.event.y };
  let last = { x: from.clientX, y: from.clientY - top };
  client.drag = {
    move: (x, clientY) => {
      const y = clientY - top;
      for (const point of [
        last,
        { x: last.x + 1, y: last.y },
        { x: last.x, y: last.y + 1 },
        { x: last.x - 1, y: last.y },
        { x: last.x, y: last.y - 1 },
      ]) {
        const path = borderAt(window.layout, point);
        if (!path) continue;
        const parent = cellAt(window.layout, path.slice(0, -1));
        const change = parent.kind === 'row' ? x - point.x : y - point.y;
        if (change !== 0) window.setLayout(moveBorder(window.layout, path, { change, status: window.borderStatus }));
        break;
      }
      last = { x, y };
      context.services.lifecycle.layoutChanged(window);
    },
    end: () => {},
  };
  return OK;
}

const swapPaneEntry: Entry = {
  name: 'swap-pane',
  alias: 'swapp',
  args: { template: 'dDs:t:UZ', min: 0, max: 0 },
  usage: '[-dDUZ] [-s src-pane] [-t dst-pane]',
  source: { flag: 's', kind: 'pane', defaultMarked: true },
  target: { flag: 't', kind: 'pane' },
  help: 'Exchange two panes',
  exec(context, args) {
    const destination = context.target.pane;
    const { panes } = destination.window;
    const at = destination.place;
    const source = args.has('D')
      ? panes[(at + 1) % panes.length]
      : args.has('U')
        ? panes[(at - 1 + panes.length) % panes.length]
        : context.source.pane;
    if (!source || source === destination) return OK;
    const wasZoomed = destination.window.zoomed !== undefined;
    exchange(context, source, destination, args.has('d'));
    if (wasZoomed && args.has('Z')) destination.window.zoom(destination.window.active);
    return OK;
  },
};

/** Puts two panes into each other's cells; the active places keep unless `detached`. */
function exchange(context: CommandContext, source: Pane, destination: Pane, detached: boolean): void {
  const { lifecycle } = context.services;
  const [from, to] = [source.window, destination.window];
  from.unzoom();
  to.unzoom();
  Window.swapInLists(source, destination);
  const layout = swapPanes(from.layout, source.id, destination.id);
  if (from !== to) to.setLayout(swapPanes(to.layout, source.id, destination.id));
  from.setLayout(layout);
  if (!detached) {
    if (from !== to) {
      lifecycle.selectPane(source);
      lifecycle.selectPane(destination);
    } else lifecycle.selectPane(destination);
  } else if (from === to) {
    // As in tmux, one after the other: an active source stays active and the destination becomes the last pane.
    if (from.active === source) lifecycle.selectPane(destination);
    if (from.active === destination) lifecycle.selectPane(source);
  }
  for (const window of new Set([from, to])) lifecycle.layoutChanged(window);
}

const breakPane: Entry = {
  name: 'break-pane',
  alias: 'breakp',
  args: { template: 'abdPF:n:s:t:', min: 0, max: 0 },
  usage: '[-abdP] [-F format] [-n window-name] [-s src-pane] [-t dst-window]',
  source: { flag: 's', kind: 'pane' },
  target: { flag: 't', kind: 'window', allowFreeIndex: true },
  help: 'Move a pane into a window of its own',
  exec(context, args) {
    const { source, target } = context;
    const wantedIndex = args.value('t') === undefined ? undefined : target.index;
    const result = context.services.lifecycle.breakPane(source.pane, {
      from: source.winlink,
      session: target.session,
      index: args.has('a') ? target.winlink.index + 1 : args.has('b') ? target.winlink.index : wantedIndex,
      insert: args.has('a') || args.has('b'),
      name: args.value('n') === undefined ? undefined : cleanName(context.expand(args.value('n') ?? '')),
      detached: args.has('d'),
    });
    if (!result.ok) return failed(result.error);
    if (args.has('P')) context.print(context.expand(args.value('F') ?? NEW_TEMPLATE, targetOfWinlink(result.winlink)));
    return OK;
  },
};

function joinEntry(name: string, alias: string): Entry {
  return {
    name,
    alias,
    args: { template: 'bdfhvp:l:s:t:', min: 0, max: 0 },
    usage: '[-bdfhv] [-l size] [-s src-pane] [-t dst-pane]',
    source: { flag: 's', kind: 'pane', defaultMarked: true },
    target: { flag: 't', kind: 'pane' },
    help: 'Move a pane into a split of another',
    exec: join,
  };
}

function join(context: CommandContext, args: Args): CommandResult {
  const { source, target } = context;
  if (source.pane === target.pane) return failed('source and target panes must be different');
  const { lifecycle } = context.services;
  const window = target.pane.window;
  window.unzoom();
  const size = joinSize(args, target.pane);
  if (!size.ok) return failed(size.error);
  const options = {
    axis: args.has('h') ? 'row' : 'column',
    size: size.size,
    before: args.has('b'),
    full: args.has('f'),
  } as const;
  const joined = lifecycle.joinPane(source.pane, target.pane, options);
  if (!joined) return failed('create pane failed: pane too small');
  if (!args.has('d')) {
    lifecycle.selectPane(source.pane);
    lifecycle.selectWindow(target.winlink);
  }
  context.registry.markSession(target.session);
  return OK;
}

function respawnEntry(name: string, alias: string, kind: 'pane' | 'window'): Entry {
  return {
    name,
    alias,
    args: { template: 'c:e:kt:', min: 0, max: -1 },
    usage: `[-k] [-c start-directory] [-e environment] [-t target-${kind}] [shell-command]`,
    target: { flag: 't', kind },
    help: `Start the program of a ${kind} again`,
    exec(context, args) {
      const { session, window, winlink } = context.target;
      const pane = kind === 'pane' ? context.target.pane : window.panes[0];
      if (!pane) return OK;
      const place = `${session.name}:${winlink.index}`;
      if (!pane.isDead && pane.pty && !args.has('k')) {
        return failed(
          `respawn ${kind} failed: ${kind} ${place}${kind === 'pane' ? `.${pane.place}` : ''} still active`,
        );
      }
      if (kind === 'window') for (const other of window.panes.slice(1)) context.services.lifecycle.closePane(other);
      const argv = args.strings(0);
      context.services.panes.respawn(pane, {
        id: pane.id,
        session,
        window,
        command: {
          argv: argv.length > 0 ? argv : pane.command.argv,
          cwd: args.value('c') === undefined ? pane.command.cwd : paneCommand(context, args).cwd,
        },
        environ: environFlag(args),
      });
      return OK;
    },
  };
}

const pipePane: Entry = {
  name: 'pipe-pane',
  alias: 'pipep',
  args: { template: 'IOot:', min: 0, max: 1 },
  usage: '[-IOo] [-t target-pane] [shell-command]',
  target: { flag: 't', kind: 'pane' },
  help: "Send a pane's output to a command, or a command's to the pane (-I)",
  exec(context, args) {
    const { pane, session } = context.target;
    const command = args.string(0);
    const hadPipe = pane.pipe !== undefined;
    pane.pipe?.close();
    pane.pipe = undefined;
    pane.outputTap = undefined;
    if (command === undefined || command === '' || (args.has('o') && hadPipe)) return OK;
    openPipe(pane, {
      command: {
        line: context.expand(command, {}, { time: true }),
        cwd: session.cwd,
        takesOutput: args.has('O') || !args.has('I'),
        givesInput: args.has('I'),
      },
      shell: session.options.string('default-shell') || '/bin/sh',
      startJob: (request) => context.services.startJob({ ...request, session }),
    });
    return OK;
  },
};

const clearHistory: Entry = {
  name: 'clear-history',
  alias: 'clearhist',
  args: { template: 't:', min: 0, max: 0 },
  usage: '[-t target-pane]',
  target: { flag: 't', kind: 'pane' },
  help: "Forget a pane's scrollback",
  exec(context) {
    const { pane } = context.target;
    while (pane.popMode());
    pane.emulator.clearHistory();
    context.registry.markPane(pane);
    return OK;
  },
};

export const PANE_ENTRIES: readonly Entry[] = [
  breakPane,
  clearHistory,
  joinEntry('join-pane', 'joinp'),
  killPane,
  lastPane,
  listPanes,
  joinEntry('move-pane', 'movep'),
  pipePane,
  resizePaneEntry,
  respawnEntry('respawn-pane', 'respawnp', 'pane'),
  respawnEntry('respawn-window', 'respawnw', 'window'),
  selectPane,
  splitWindow,
  swapPaneEntry,
];
