import type { Caller, Services } from '../command/entries/context.ts';
import type { ClientSession } from '../model/client-session.ts';

/** The caller of commands that a client's keys run: output goes to view mode, errors to the status line. */
export function clientCaller(
  client: ClientSession,
  { services, nextTurn }: { readonly services: Services; readonly nextTurn: (run: () => void) => void },
): Caller {
  let output = '';
  const show = () => {
    services.showOutput(client, output);
    output = '';
  };
  return {
    kind: 'client',
    cwd: undefined,
    environ: client.environ,
    callerEnviron: [],
    terminal: undefined,
    pid: client.pid,
    print: (text) => {
      // What the commands of one turn print is shown together.
      if (output === '') nextTurn(show);
      output += text;
    },
    error: (message) => services.showMessage(client, capitalised(message)),
    setExitCode: () => {},
    attach: undefined,
    readStdin: undefined,
  };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
