/** A person at a server of another user, as only root can be: told once, and put into the messages. */
import type { ClientSession } from '../model/client-session.ts';
import type { Registry } from '../model/registry.ts';

export interface OtherUserContext {
  readonly registry: Registry;
  /** The user whose server this is. */
  readonly uid: number | undefined;
  /** The user of a process; undefined where the system does not tell. */
  readonly ownerOf: (pid: number) => number | undefined;
  readonly showMessage: (client: ClientSession, text: string, options: { readonly delayMs: number }) => void;
}

/** How long the warning is shown, ms. */
const SHOWN_MS = 5000;

/** Programs that the client starts run as the server's user, whoever sits there. */
export function warnOtherUser(client: ClientSession, { registry, uid, ownerOf, showMessage }: OtherUserContext): void {
  const owner = ownerOf(client.pid);
  if (uid === undefined || owner === undefined || owner === uid) return;
  const text = `uid ${owner} at a server of uid ${uid}: programs run as uid ${uid}`;
  registry.logMessage(`${client.name}: ${text}`);
  showMessage(client, text, { delayMs: SHOWN_MS });
}
