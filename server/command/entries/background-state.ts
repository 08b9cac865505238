import { callerOf, clientCaller } from './caller.ts';
import type { CommandContext, ItemState } from './context.ts';

/**
 * The state of commands that `-b` of if-shell and run-shell leaves for later: as in tmux the client of the place runs
 * them, since the call may be over. What they print goes to its view mode, errors to its status line; without a client
 * output goes nowhere and errors to show-messages.
 */
export function backgroundState({ services, registry, client, state }: CommandContext): ItemState {
  if (client?.control && client === state.client) return state;
  const caller = client
    ? clientCaller(services, client, (text) => services.showOutput(client, text))
    : callerOf('hook', { error: (message) => registry.logMessage(message) });
  return {
    caller,
    client,
    current: client ? undefined : state.current,
    mouse: state.mouse,
    isHook: state.isHook,
    variables: undefined,
  };
}
