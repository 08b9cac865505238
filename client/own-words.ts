/** Words of the command line that the client carries out by itself: asking, looking at specs, serving agents. */
import { isatty } from 'node:tty';
import { controlPathOf } from './ask/backends.ts';
import { CLOCK } from './clock.ts';
import { guardOutputs } from './guard-outputs.ts';

export interface OwnWordContext {
  /** The socket of the server that the flags and the environment mean; may throw MplexError 'io'. */
  readonly socketPath: () => string;
  /** -L or -S named it. */
  readonly isServerNamed: boolean;
}

/** Runs `ask`, `doctor`, `flow`, `install-shim` or `mcp` and gives the exit code. */
export async function runOwnWord(argv: readonly string[], context: OwnWordContext): Promise<number> {
  const [word, ...rest] = argv;
  const { env, stdout, stderr } = process;
  const { isServerNamed } = context;
  if (word !== 'ask') guardOutputs(1);
  switch (word) {
    case 'doctor': {
      const { runDoctorWord } = await import('./doctor/doctor-probe.ts');
      const paths = { socketPath: context.socketPath, controlPath: () => controlPath(context) };
      return runDoctorWord(rest, { env, ...paths }, { stdout, stderr });
    }
    case 'flow': {
      const { runFlowWord } = await import('./ask/flow-check.ts');
      return runFlowWord(rest, { stdout, stderr, readStdin });
    }
    case 'install-shim': {
      const { runInstallShim } = await import('./install-shim.ts');
      return runInstallShim(rest, { stdout, stderr });
    }
    case 'mcp': {
      const { runMcpWord } = await import('./mcp/mcp.ts');
      return runMcpWord(rest, {
        env,
        controlPath: controlPath(context),
        isServerNamed,
        clock: CLOCK,
        stdin: process.stdin,
        stdout,
        stderr,
      });
    }
    default: {
      const [{ runAsk }, { failureCode }] = await Promise.all([import('./ask/ask.ts'), import('./ask/ask-exit.ts')]);
      guardOutputs(failureCode(env), 'mplex ask');
      return runAsk(rest, {
        env,
        stdout,
        stderr,
        readStdin,
        controlPath: controlPath(context),
        isServerNamed,
        isTerminal: [0, 1, 2].some((fd) => isatty(fd)),
        clock: CLOCK,
        onSignal: (handler) => {
          for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => handler(signal));
        },
      });
    }
  }
}

function controlPath({ isServerNamed, socketPath }: OwnWordContext): string {
  return (isServerNamed ? undefined : controlPathOf(process.env)) ?? `${socketPath()}.ctl`;
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
