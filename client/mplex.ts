#!/usr/bin/env node
/** The `mplex` program: a call to the server by the short way where that will do (quick-call.ts), else the whole command line. */
import { basename } from 'node:path';
import { restoreNodeVariables } from '../protocol/node-environ.ts';
import { systemCode } from '../protocol/system-reason.ts';
import { type GlobalFlags, isOwnWord, parseGlobalFlags } from './cli.ts';
import { type Launch, takeLaunch } from './launch.ts';
import { makeCall } from './make-call.ts';
import { quickCall } from './quick-call.ts';
import { resolveSocketPath } from './server-socket.ts';

async function main(): Promise<void> {
  restoreNodeVariables(process.env);
  const launch = takeLaunch(process.env);
  const asTmux = isCalledAsTmux();
  const flags = parseGlobalFlags(process.argv.slice(2), asTmux);
  const result =
    launch.kind === 'nothing' && isPlainCall(flags)
      ? await quickCall(resolveSocketPath(flags, asTmux), makeCall(flags, asTmux))
      : undefined;
  // Nothing is left to be written, and no time to be lost with handles that nobody needs.
  if (result?.kind === 'exit') process.exit(result.code);
  const { runCommandLine } = await import('./command-line.ts');
  const done: Launch = result?.kind === 'handover' ? { kind: 'token', token: result.token } : launch;
  process.exitCode = await runCommandLine({ flags, launch: done, asTmux });
}

/** A command for the server, and nothing to be done with its output but to print it. */
function isPlainCall({ help, version, shellCommand, control, argv }: GlobalFlags): boolean {
  if (help || version || shellCommand !== undefined || control > 0) return false;
  return !isOwnWord(argv[0]) && argv[0] !== 'help' && argv[0] !== 'upgrade-server';
}

/** As the last part of the program's path, or as bin/mplex has noticed. */
function isCalledAsTmux(): boolean {
  const calledAs = process.env.MPLEX_CALLED_AS;
  delete process.env.MPLEX_CALLED_AS;
  return calledAs === 'tmux' || basename(process.argv[1] ?? '').replace(/\.js$/, '') === 'tmux';
}

/** Failures that scripts may want to tell from the others; 3 is a server of another protocol, or none of ours. */
const EXIT_CODES: Readonly<Record<string, number>> = { usage: 2, protocol: 3 };

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // By its code: the class is another one where the error comes from a bundle of its own.
  process.exitCode = EXIT_CODES[systemCode(error) ?? ''] ?? 1;
});
