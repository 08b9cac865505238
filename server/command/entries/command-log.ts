/** What callers did and were told, as `show-messages` of tmux 3.3a lists it. */
import type { Registry } from '../../model/registry.ts';
import { printCommands } from '../command-print.ts';
import type { ParsedCommand } from '../parser.ts';
import type { ItemState } from './context.ts';

type Who = Pick<ItemState, 'caller' | 'client' | 'key'>;

/** The name of who gave a command: the client, the terminal of a call or else its process; undefined for hooks of events. */
function nameOf({ caller, client }: Who): string | undefined {
  if (client) return caller.kind === 'hook' ? undefined : client.name;
  if (caller.terminal) return caller.terminal.tty;
  return caller.pid === undefined ? undefined : `client-${caller.pid}`;
}

/** Logs a command that is about to run; what the configuration does at start is not logged. */
export function logCommand(registry: Registry, command: ParsedCommand, who: Who): void {
  if (who.caller.kind === 'config') return;
  const name = nameOf(who);
  const text = printCommands([command], 'nested');
  if (name === undefined) registry.logCall(`command: ${text}`);
  else if (who.client?.session && who.key !== undefined) registry.logCall(`${name} key ${who.key}: ${text}`);
  else registry.logCall(`${name} command: ${text}`);
}

/** Logs an error that a call or a client in control mode is told; other clients see theirs as a message. */
export function logCallError(registry: Registry, message: string, who: Who): void {
  if (who.caller.kind !== 'call' && who.caller.kind !== 'control') return;
  const name = nameOf(who);
  if (name !== undefined) registry.logCall(`${name} message: ${message}`);
}
