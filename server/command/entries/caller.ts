/** Callers that are no call of the command line: the configuration, hooks, keys, programs at the control socket. */
import { type ClientSession, isTaken } from '../../model/client-session.ts';
import type { Caller, CommandContext, Services } from './context.ts';

/** A caller with what is given and nothing else: no terminal, no streams, and what is printed goes nowhere. */
export function callerOf(kind: Caller['kind'], told: Partial<Caller> = {}): Caller {
  return {
    kind,
    cwd: undefined,
    environ: undefined,
    callerEnviron: [],
    terminal: undefined,
    pid: undefined,
    print: () => {},
    error: () => {},
    setExitCode: () => {},
    attach: undefined,
    readStdin: undefined,
    ...told,
  };
}

/** Whether a command cannot put something over a client's panes; a question gives way to a key of the client's own. */
export function isTakenFor({ caller, state }: CommandContext, client: ClientSession): boolean {
  return isTaken(client, caller.kind === 'client' && state.client === client);
}

/** An attached client: what its commands print goes where `print` says, errors to its status line. */
export function clientCaller(services: Services, client: ClientSession, print: (text: string) => void): Caller {
  return callerOf('client', {
    environ: client.environ,
    pid: client.pid,
    print,
    error: (message) => services.showMessage(client, message.charAt(0).toUpperCase() + message.slice(1)),
  });
}
