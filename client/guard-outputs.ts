/** Standard output and error of words that write on their own: what cannot be written is told in one line, never by a trace. */
import { systemReason } from '../protocol/system-reason.ts';

/**
 * Looks after process.stdout and process.stderr from now on. A reader that has left (`| head -1`) is said nothing and the exit
 * code stays; an output that takes nothing (a full disk) ends the program with `failureCode`.
 * `name` stands before what is said.
 */
export function guardOutputs(failureCode: number, name?: string): void {
  const { stdout, stderr } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    stderr.write(`${name === undefined ? '' : `${name}: `}can't write: ${systemReason(error)}\n`);
    process.exit(failureCode);
  });
  // There is nowhere left to say it.
  stderr.on('error', () => {});
}
