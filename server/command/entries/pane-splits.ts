/** Commands that put a pane into a split, and take it out of one: split-window, join-pane, move-pane, break-pane. */

import type { Axis } from '../../layout/layout-cell.ts';
import { cellAt, findPane, sizeAlong } from '../../layout/layout-cell.ts';
import { parseNumber, parseSizeValue } from '../../layout/size-value.ts';
import type { Pane } from '../../model/pane.ts';
import type { Args } from '../args.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { currentOf, type Target, targetOfWinlink } from '../target.ts';
import type { CommandContext, Entry } from './context.ts';
import { cleanName } from './names.ts';
import { environFlag, paneCommand } from './pane-arguments.ts';

const NEW_TEMPLATE = '#{session_name}:#{window_index}.#{pane_index}';

/** The largest number that tmux takes for a size. */
const SIZE_MAX = 2147483647;

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
    const empty = args.has('I') || (args.strings(0).length === 1 && args.string(0) === '');
    const result = context.services.lifecycle.split(
      pane,
      {
        axis: splitAxis(args),
        size: size.size,
        before: args.has('b'),
        full: args.has('f'),
        detached: args.has('d'),
      },
      { session, command: paneCommand(context, args), environ: environFlag(args), empty },
    );
    if (!result.ok) return failed(result.error);
    // With -d it is the pane that was active before.
    if (args.has('Z')) winlink.window.zoom(winlink.window.active);
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
      index: args.has('b') ? target.winlink.index : args.has('a') ? target.winlink.index + 1 : wantedIndex,
      insert: args.has('a') || args.has('b'),
      name: args.value('n') === undefined ? undefined : cleanName(args.value('n') ?? ''),
      detached: args.has('d'),
    });
    if (!result.ok) return failed(result.error);
    // Of a window that only moved tmux says nothing.
    if (args.has('P') && result.isNew) {
      context.print(context.expand(args.value('F') ?? NEW_TEMPLATE, targetOfWinlink(result.winlink)));
    }
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
  const { lifecycle } = context.services;
  const window = target.pane.window;
  window.unzoom();
  if (source.pane === target.pane) return failed('source and target panes must be different');
  const size = joinSize(args, target.pane);
  if (!size.ok) return failed(size.error);
  const options = {
    axis: splitAxis(args),
    size: size.size,
    before: args.has('b'),
    full: args.has('f'),
    placed: () => {
      if (args.has('d')) return;
      lifecycle.selectPane(source.pane);
      lifecycle.selectWindow(target.winlink);
    },
  };
  const joined = lifecycle.joinPane(source.pane, target.pane, options);
  if (!joined) return failed('create pane failed: pane too small');
  context.registry.markSession(target.session);
  return OK;
}

export const PANE_SPLIT_ENTRIES: readonly Entry[] = [
  splitWindow,
  joinEntry('join-pane', 'joinp'),
  joinEntry('move-pane', 'movep'),
  breakPane,
];
