/** pipe-pane: a command that gets what a pane's program prints (-O), or whose output is typed into it (-I), or both. */
import { basename } from 'node:path';
import type { Pane, PipeCommand } from '../model/pane.ts';
import type { Job, JobRequest } from './job.ts';

/** Starts the pipe's job with the environment of the pane's session. */
export type StartPipeJob = (request: Pick<JobRequest, 'command' | 'cwd' | 'shell' | 'onOutput'>) => Job;

/** Shells that know `set -C`. */
const POSIX_SHELLS: ReadonlySet<string> = new Set(['sh', 'ash', 'bash', 'dash', 'ksh', 'mksh', 'zsh']);

export interface OpenPipe {
  readonly command: PipeCommand;
  readonly shell: string;
  readonly startJob: StartPipeJob;
  /** The command has ended by itself, with this exit code; undefined after a signal. */
  readonly ended?: (code: number | undefined) => void;
}

/** Pipes the pane to a command until that ends, or the pane does, or `pane.pipe.close`. */
export function openPipe(pane: Pane, { command, shell, startJob, ended }: OpenPipe): void {
  const { line, cwd, takesOutput, givesInput } = command;
  const job = startJob({
    command: line,
    cwd,
    shell,
    ...(givesInput ? { onOutput: (text: string) => void pane.write(text) } : {}),
  });
  const pipe = {
    command,
    close: () => {
      job.endInput();
      pane.outputTap = undefined;
    },
  };
  pane.pipe = pipe;
  if (takesOutput) pane.outputTap = (bytes) => void job.write(bytes.slice());
  void job.done.then(({ code }) => {
    if (pane.pipe !== pipe) return;
    pane.pipe = undefined;
    pane.outputTap = undefined;
    ended?.(code);
  });
}

/**
 * Starts the command of a pipe again that was lost with its server. Under `set -C`: `>` does not empty the file that was
 * written so far, the command fails instead. A command that types into the pane is not started again: it would type twice
 * what it has typed. False if it was not.
 */
export function reopenPipe(pane: Pane, { command, shell, ...rest }: OpenPipe): boolean {
  if (command.givesInput) return false;
  const safe = POSIX_SHELLS.has(basename(shell)) ? shell : '/bin/sh';
  const { startJob } = rest;
  openPipe(pane, {
    ...rest,
    command,
    shell: safe,
    startJob: (request) => startJob({ ...request, command: `set -C\n${request.command}` }),
  });
  return true;
}
