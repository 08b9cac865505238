/** `mplex -c shell-command`: for a mplex that stands where a shell is expected (tmux(1), -c). */
import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { Writable } from 'node:stream';
import type { CommandCall } from '../protocol/message.ts';
import { runCall } from './call.ts';
import type { ServerConnection } from './connect.ts';

/** Runs the command with the shell that `call` prints, on this process's terminal; gives its exit code, 128+n for a signal. */
export async function runShellCommand(
  command: string,
  { connection, call }: { readonly connection: ServerConnection; readonly call: CommandCall },
): Promise<number> {
  const said: Buffer[] = [];
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      said.push(Buffer.from(chunk));
      done();
    },
  });
  const result = await runCall(connection, call, { stdin: process.stdin, stderr: process.stderr, stdout });
  connection.close();
  const shell = Buffer.concat(said).toString('utf8').trim();
  if (result.kind !== 'exit' || result.code !== 0 || shell === '') return 1;
  const env = { ...process.env, SHELL: shell };
  const { status, signal, error } = spawnSync(shell, ['-c', command], {
    stdio: 'inherit',
    argv0: basename(shell),
    env,
  });
  if (error) {
    process.stderr.write(`can't run ${shell}: ${error.message}\n`);
    return 127;
  }
  return status ?? 128 + (signal ? constants.signals[signal] : 0);
}
