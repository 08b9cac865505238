/** Locking a client: option lock-command of its session has the terminal until it ends (tmux(1) lock-client). */
import type { ClientSession } from './client-session.ts';

/** tmux hands the command to system(3). */
const SHELL = '/bin/sh';

/** Nothing for a client in control mode and without a command. A client that is locked stays so. */
export function lockClient(client: ClientSession): void {
  const command = client.session?.options.string('lock-command') ?? '';
  if (command !== '' && !client.control) client.send({ kind: 'exec', shell: SHELL, command });
}
