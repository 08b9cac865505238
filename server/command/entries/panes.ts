/** Commands about panes where they are: listing, choosing, exchanging, restarting, piping and closing them. */

import { openPipe } from '../../jobs/pane-pipe.ts';
import { swapPanes } from '../../layout/layout-cell.ts';
import type { Pane } from '../../model/pane.ts';
import { Window } from '../../model/window.ts';
import { matchOption } from '../../options/option-set.ts';
import type { Args } from '../args.ts';
import { type CommandResult, failed, OK, UNCHANGED } from '../command-queue.ts';
import { targetOfWinlink } from '../target.ts';
import type { CommandContext, Entry } from './context.ts';
import { printList } from './list-output.ts';
import { paneTitle } from './names.ts';
import { directionFlag, environFlag, paneCommand } from './pane-arguments.ts';

const LIST_TEMPLATE =
  '#{pane_index}: [#{pane_width}x#{pane_height}] [history #{history_size}/#{history_limit}, #{history_bytes} bytes] ' +
  '#{pane_id}#{?pane_active, (active),}#{?pane_dead, (dead),}';

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
  // As in tmux, its hook waits for another active pane that is not the last one (`-l`).
  exec(context, args) {
    const { pane, window } = context.target;
    if (args.has('l')) return selectLast(context, args, window);
    if (args.has('m') || args.has('M')) return mark(context, pane, !args.has('M'));
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
      return UNCHANGED;
    }
    const direction = directionFlag(args);
    const wanted = direction ? window.neighbour(pane, direction) : pane;
    if (!wanted) return UNCHANGED;
    if (args.has('e') || args.has('d')) {
      wanted.inputOff = !args.has('e');
      context.registry.markPane(wanted);
      return UNCHANGED;
    }
    const title = args.value('T');
    if (title !== undefined) {
      const text = paneTitle(context.expand(title));
      if (text === undefined) return UNCHANGED;
      wanted.title = text;
      context.registry.emit('pane-title-changed', { pane: wanted, window });
      context.registry.markWindow(window);
      return UNCHANGED;
    }
    if (wanted === wanted.window.active) return UNCHANGED;
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
  if (args.has('e') || args.has('d')) last.inputOff = !args.has('e');
  else activate(context, last, args.has('Z'));
  context.registry.markWindow(window);
  return UNCHANGED;
}

function mark(context: CommandContext, pane: Pane, set: boolean): CommandResult {
  if (set && !pane.window.visiblePanes.includes(pane)) return UNCHANGED;
  const { registry, target } = context;
  const before = registry.mark;
  const isSame = before?.pane === pane && before.winlink === target.winlink;
  registry.setMark(set && !isSame ? pane : undefined, target.winlink);
  for (const changed of [before?.pane, pane]) if (changed) registry.markWindow(changed.window);
  return UNCHANGED;
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
      // As tmux, to which it is as making one.
      if (kind === 'window') context.services.lifecycle.selectWindow(winlink);
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
  // -H (tmux 3.4) forgets links too, which go with their cells here.
  args: { template: 'Ht:', min: 0, max: 0 },
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
  clearHistory,
  killPane,
  lastPane,
  listPanes,
  pipePane,
  respawnEntry('respawn-pane', 'respawnp', 'pane'),
  respawnEntry('respawn-window', 'respawnw', 'window'),
  selectPane,
  swapPaneEntry,
];
