/** What the list-* commands share: a line of a format for each thing, and a filter on them. */
import type { FormatContext } from '../../format/format-context.ts';
import { isTrue } from '../../format/format-expand.ts';
import type { CommandContext } from './context.ts';

/**
 * Prints `template` expanded for each thing; with a `filter`, for those for which it expands to something true. `#{line}`
 * counts from 0, anew in each of the groups that `groupOf` tells apart; without it there is no such variable.
 */
export function printList(
  context: CommandContext,
  things: Iterable<Partial<FormatContext>>,
  {
    template,
    filter,
    groupOf,
  }: {
    readonly template: string;
    readonly filter: string | undefined;
    readonly groupOf?: (about: Partial<FormatContext>) => unknown;
  },
): void {
  let group: unknown;
  let line = 0;
  for (const thing of things) {
    if (groupOf && groupOf(thing) !== group) [group, line] = [groupOf(thing), 0];
    const about = groupOf ? { ...thing, extra: { ...thing.extra, line: String(line++) } } : thing;
    if (filter !== undefined && !isTrue(context.expand(filter, about))) continue;
    context.print(context.expand(template, about));
  }
}
