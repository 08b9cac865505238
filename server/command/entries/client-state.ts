/** The state of commands that a person's choice runs after the command that offered it has ended. */
import type { ClientSession } from '../../model/client-session.ts';
import type { CurrentState } from '../target.ts';
import { clientCaller } from './caller.ts';
import type { ItemState, Services } from './context.ts';

/** Commands go on as the client's own: what they print goes to view mode, errors to its status line. */
export function clientState(services: Services, client: ClientSession, current: CurrentState | undefined): ItemState {
  return {
    caller: clientCaller(services, client, (text) => services.showOutput(client, text)),
    client,
    current,
    mouse: undefined,
    isHook: false,
    variables: undefined,
  };
}
