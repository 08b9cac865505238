/**
 * The person's terminal as a pane's program may know it: the one of the client used last among those whose session has
 * the pane's window. Of a pane that no attached client could show nothing is known.
 */
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Window } from '../model/window.ts';
import type { HostTerminal } from '../terminal/replies.ts';

const UNKNOWN: HostTerminal = {};

/** What is known of the terminal that a pane's program is shown on. */
export function hostTerminalOf(registry: Registry, { window }: Pane): HostTerminal {
  return clientOfWindow(registry, window)?.capabilities ?? UNKNOWN;
}

/** The client whose terminal is a window's programs'. */
export function clientOfWindow(registry: Registry, window: Window): ClientSession | undefined {
  return registry
    .attachedClients()
    .find(({ capabilities, session }) => capabilities && session?.winlinks.some((link) => link.window === window));
}
