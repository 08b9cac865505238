/** All commands, by name. */
import type { Entry } from './context.ts';
import { ENVIRONMENT_ENTRIES } from './environment.ts';
import { PANE_ENTRIES } from './panes.ts';
import { SESSION_ENTRIES } from './sessions.ts';
import { WINDOW_ENTRIES } from './windows.ts';

export const ENTRIES: readonly Entry[] = [
  ...ENVIRONMENT_ENTRIES,
  ...PANE_ENTRIES,
  ...SESSION_ENTRIES,
  ...WINDOW_ENTRIES,
].sort((a, b) => (a.name < b.name ? -1 : 1));
