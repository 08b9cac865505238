import { clientCaller } from '../command/entries/caller.ts';
import type { Caller, Services } from '../command/entries/context.ts';
import type { ClientSession } from '../model/client-session.ts';

/** The caller of commands that a client's keys run: what those of one turn print goes to view mode together. */
export function keyCaller(
  client: ClientSession,
  { services, nextTurn }: { readonly services: Services; readonly nextTurn: (run: () => void) => void },
): Caller {
  let output = '';
  const show = () => {
    services.showOutput(client, output);
    output = '';
  };
  return clientCaller(services, client, (text) => {
    if (output === '') nextTurn(show);
    output += text;
  });
}
