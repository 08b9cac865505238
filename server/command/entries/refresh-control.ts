/** What refresh-client changes about a client in control mode: tmux(1) refresh-client -A, -B, -C, -f. */
import type { ClientSession, ControlClient } from '../../model/client-session.ts';
import type { Registry } from '../../model/registry.ts';
import { fitWindows } from '../../model/window-size.ts';
import type { Args } from '../args.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import type { CommandContext } from './context.ts';

export const CONTROL_FLAGS = ['A', 'B', 'C'];

/** Sizes, subscriptions and the output of panes: what only a client in control mode has. */
export function refreshControl(context: CommandContext, args: Args, client: ClientSession): CommandResult {
  const { control } = client;
  if (!control) return failed('not a control client');
  for (const text of args.values('A')) setPaneOutput(context.registry, control, text);
  for (const text of args.values('B')) {
    const [name = '', what = '', format] = splitTwice(text);
    if (format === undefined) control.unsubscribe(name);
    else control.subscribe(name, what, format);
  }
  const size = args.value('C');
  return size === undefined ? OK : setSize(context.registry, client, size);
}

/** `no-output`, `wait-exit`, `pause-after=seconds`; others mean nothing here. */
export function setControlFlag(control: ControlClient, flag: string, isOn: boolean): void {
  const pauseAfter = /^pause-after(?:=(\d+))?$/.exec(flag);
  if (flag === 'no-output') control.noOutput = isOn;
  else if (flag === 'wait-exit') control.waitExit = isOn;
  else if (pauseAfter) control.pauseAfterMs = isOn ? Number(pauseAfter[1] ?? 0) * 1000 : undefined;
}

/** `name:what:format`, the format with its colons. */
function splitTwice(text: string): string[] {
  const match = /^([^:]*):([^:]*):(.*)$/s.exec(text);
  return match ? match.slice(1) : [text];
}

const PANE_STATES = ['on', 'off', 'pause', 'continue'] as const;

function setPaneOutput(registry: Registry, control: ControlClient, text: string): void {
  const match = /^%(\d+):(\w+)$/.exec(text);
  const pane = match ? registry.panes.get(Number(match[1])) : undefined;
  const state = PANE_STATES.find((one) => one === match?.[2]);
  if (pane && state) control.setPane(pane, state);
}

const SIZE_MAX = 10_000;

/** `100x30` or `100,30`, for one window `@3:100x30`, or `@3:` to take that back. */
function setSize(registry: Registry, client: ClientSession, text: string): CommandResult {
  const match = /^(?:@(\d+):)?(?:(\d+)[x,](\d+))?$/.exec(text);
  const [, id, cols, rows] = match ?? [];
  const { control } = client;
  if (!match || !control || (id === undefined && cols === undefined)) return failed('bad size argument');
  const window = id === undefined ? undefined : registry.windows.get(Number(id));
  if (cols === undefined) {
    if (window) control.windowSizes.delete(window);
  } else {
    const size = { cols: Number(cols), rows: Number(rows) };
    if (Object.values(size).some((cells) => cells < 1 || cells > SIZE_MAX)) return failed('size too small or too big');
    if (window) control.windowSizes.set(window, size);
    else if (id === undefined) {
      client.size = size;
      control.hasSize = true;
      control.windowSizes.clear();
    }
  }
  fitWindows(registry, { unseen: true });
  return OK;
}
