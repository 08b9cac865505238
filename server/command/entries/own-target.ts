import type { Args } from '../args.ts';
import { type PartialTarget, resolveTarget, type Target, type TargetKind } from '../target.ts';
import type { CommandContext } from './context.ts';

/**
 * The -t of commands that can do without a place (`set-option -g -t nosuch …`): undefined when there is none. Their rows
 * declare no target, so that the message is theirs.
 */
export function ownTarget(context: CommandContext, args: Args, kind: TargetKind): Target | undefined {
  const result = resolveTarget(context.registry, args.value('t'), { kind, current: context.current });
  return result.ok ? result.target : undefined;
}

const NOWHERE: PartialTarget = { session: undefined, winlink: undefined, window: undefined, pane: undefined };

/** The same for a format: as far as the target could be followed, nothing filled in by the current place. */
export function ownPlace(context: CommandContext, args: Args, kind: TargetKind): PartialTarget {
  const result = resolveTarget(context.registry, args.value('t'), { kind, current: context.current });
  return result.ok ? result.target : (result.found ?? NOWHERE);
}

/** For an option: its session can be meant where window or pane are not found, its window where only the pane is not. */
export function followedTarget(context: CommandContext, args: Args, kind: TargetKind): PartialTarget {
  const result = resolveTarget(context.registry, args.value('t'), { kind, current: context.current });
  if (result.ok) return result.target;
  const { session, winlink, window } = result.found ?? NOWHERE;
  return result.lacksPane ? { session, winlink, window, pane: undefined } : { ...NOWHERE, session };
}

/** tmux's words for a missing place: `no such session: x` if one was named, else `no current session`. */
export function noTarget(args: Args, kind: TargetKind): string {
  const name = args.value('t');
  return name === undefined ? `no current ${kind}` : `no such ${kind}: ${name}`;
}
