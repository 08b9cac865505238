import type { Pane } from './pane.ts';

/** The panes that get what is typed into one: itself, or with synchronize-panes all of its window that take part. */
export function inputTargets(pane: Pane): Pane[] {
  if (!pane.options.flag('synchronize-panes')) return [pane];
  return pane.window.panes.filter(
    (other) => other === pane || (!other.mode && other.options.flag('synchronize-panes')),
  );
}
