import type { Registry } from './model/registry.ts';
import { OptionEffects } from './option-effects.ts';
import { AutoRename } from './panes/auto-rename.ts';
import { ThemeReports } from './panes/theme-reports.ts';
import type { ServerFormats } from './server-formats.ts';

/** Starts what follows the model on its own, and is asked by nobody. */
export function startFollowers({
  registry,
  formats,
  after,
}: {
  readonly registry: Registry;
  readonly formats: ServerFormats;
  readonly after: (delayMs: number, run: () => void) => () => void;
}): void {
  new ThemeReports({ registry, after });
  new AutoRename({
    registry,
    after,
    expand: (pane, format) => formats.expand(format, { pane, window: pane.window }),
  });
  new OptionEffects(registry);
}
