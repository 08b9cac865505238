import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

export interface JobRequest {
  /** A line for `shell -c`. */
  readonly command: string;
  readonly shell: string;
  readonly cwd: string;
  readonly environ: Readonly<Record<string, string>>;
  /** Called with each piece of standard output as it comes. */
  readonly onOutput?: (text: string) => void;
  /** Nothing is written to it: standard input is at its end from the start. */
  readonly withoutInput?: boolean;
}

export interface JobResult {
  /** Exit status; undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Standard output, at most OUTPUT_MAX characters. */
  readonly output: string;
}

export interface Job {
  /** The shell's process; undefined before it is started and where it could not be. */
  readonly pid: number | undefined;
  readonly done: Promise<JobResult>;
  /** Standard input, for pipe-pane. */
  write(data: Uint8Array): boolean;
  endInput(): void;
  kill(): void;
}

/** Longest output kept of one job, in characters. */
export const OUTPUT_MAX = 1 << 20;

/** Starts a shell command in its own process group. The server holds no pty, so none leaks into it. */
export function startJob(request: JobRequest): Job {
  let child: ChildProcessByStdio<Writable, Readable, null>;
  try {
    child = spawn(request.shell, ['-c', request.command], {
      cwd: existsSync(request.cwd) ? request.cwd : '/',
      env: request.environ,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
  } catch (error) {
    // Too long for the system, or with a NUL in it: Node throws some reasons and tells others.
    return unstartedJob(error instanceof Error ? error.message : String(error));
  }
  let output = '';
  const take = (text: string) => {
    if (output.length < OUTPUT_MAX) output += text.slice(0, OUTPUT_MAX - output.length);
    request.onOutput?.(text);
  };
  child.stdout.setEncoding('utf8').on('data', take);
  // The reader may be gone before all input is written; its exit says the rest.
  child.stdin.on('error', () => {});
  if (request.withoutInput) child.stdin.end();
  const done = new Promise<JobResult>((resolve) => {
    child.on('error', (error) => resolve({ code: 127, signal: undefined, output: `${error.message}\n` }));
    child.on('close', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined, output }));
  });
  return {
    pid: child.pid,
    done,
    write: (data) => child.stdin.writable && child.stdin.write(data),
    endInput: () => child.stdin.end(),
    kill: () => {
      if (child.pid === undefined || child.exitCode !== null) return;
      try {
        process.kill(-child.pid, 'SIGTERM');
      } catch {
        // It ended between the check and the signal.
      }
    },
  };
}

/** A job that ended before it began, for a reason. */
function unstartedJob(reason: string): Job {
  return {
    pid: undefined,
    done: Promise.resolve({ code: 127, signal: undefined, output: `${reason}\n` }),
    write: () => false,
    endInput: () => {},
    kill: () => {},
  };
}
