/** What the list-* commands share: a line of a format for each thing, and a filter on them. */
import type { FormatContext } from '../../format/format-context.ts';
import { isTrue } from '../../format/format-expand.ts';
import type { CommandContext } from './context.ts';

/** Prints `template` expanded for each thing; with a `filter`, for those for which it expands to something true. */
export function printList(
  context: CommandContext,
  things: Iterable<Partial<FormatContext>>,
  { template, filter }: { readonly template: string; readonly filter: string | undefined },
): void {
  for (const about of things) {
    if (filter !== undefined && !isTrue(context.expand(filter, about))) continue;
    context.print(context.expand(template, about));
  }
}
