/**
 * Lets a storm of jobs (a thousand hooks in one moment) through bit by bit: one start a turn, so that the server answers
 * meanwhile, and few that are young at a time. Jobs that run for longer count no more: they may wait for one another.
 */
import type { Job, JobRequest, JobResult } from './job.ts';

/** Jobs at a time that were started less than YOUNG_MS ago and still run. */
export const YOUNG_MAX = 32;
export const YOUNG_MS = 1000;
/** Jobs that wait for their start; more are refused. */
export const WAITING_MAX = 10_000;
/** Bytes of input that one job which waits is kept; more is dropped, as for a job that does not read. */
const INPUT_MAX = 1 << 20;

export interface RunningJob {
  readonly command: string;
  readonly pid: number | undefined;
}

export interface JobGateOptions {
  readonly startJob: (request: JobRequest) => Job;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
}

export class JobGate {
  readonly #options: JobGateOptions;
  readonly #waiting: (() => void)[] = [];
  /** Jobs that were started and have not ended, with their command lines, the oldest first. */
  readonly #running = new Map<Job, string>();
  #young = 0;
  #isTurnUsed = false;

  constructor(options: JobGateOptions) {
    this.#options = options;
  }

  /** Starts a job, now or as soon as may be. */
  start(request: JobRequest): Job {
    if (this.#mayStart && this.#waiting.length === 0) return this.#begin(request);
    const late = new LateJob();
    if (this.#waiting.length >= WAITING_MAX) late.refuse('too many jobs\n');
    else this.#waiting.push(() => late.begin(() => this.#begin(request)));
    return late;
  }

  /** What runs now, the newest first. */
  get running(): readonly RunningJob[] {
    return [...this.#running].reverse().map(([{ pid }, command]) => ({ command, pid }));
  }

  get #mayStart(): boolean {
    return !this.#isTurnUsed && this.#young < YOUNG_MAX;
  }

  #begin(request: JobRequest): Job {
    const { startJob, after, nextTurn } = this.#options;
    this.#isTurnUsed = true;
    nextTurn(() => {
      this.#isTurnUsed = false;
      this.#startNext();
    });
    this.#young += 1;
    let isYoung = true;
    const growUp = () => {
      if (!isYoung) return;
      isYoung = false;
      this.#young -= 1;
      this.#startNext();
    };
    const stopTimer = after(YOUNG_MS, growUp);
    const job = startJob(request);
    this.#running.set(job, request.command);
    void job.done.then(() => {
      this.#running.delete(job);
      stopTimer();
      growUp();
    });
    return job;
  }

  #startNext(): void {
    // One that was killed meanwhile starts nothing.
    while (this.#mayStart && this.#waiting.length > 0) this.#waiting.shift()?.();
  }
}

/** A job that is still to be started. */
class LateJob implements Job {
  readonly done: Promise<JobResult>;
  #finish: (result: JobResult) => void = () => {};
  #job: Job | undefined;
  readonly #input: Uint8Array[] = [];
  #inputBytes = 0;
  #hasInputEnded = false;
  #isKilled = false;

  constructor() {
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get pid(): number | undefined {
    return this.#job?.pid;
  }

  begin(start: () => Job): void {
    if (this.#isKilled) return;
    const job = start();
    this.#job = job;
    for (const data of this.#input.splice(0)) job.write(data);
    if (this.#hasInputEnded) job.endInput();
    void job.done.then(this.#finish);
  }

  refuse(output: string): void {
    this.#isKilled = true;
    this.#finish({ code: 127, signal: undefined, output });
  }

  write(data: Uint8Array): boolean {
    if (this.#job) return this.#job.write(data);
    if (this.#isKilled || this.#inputBytes + data.length > INPUT_MAX) return false;
    this.#inputBytes += data.length;
    this.#input.push(data);
    return true;
  }

  endInput(): void {
    if (this.#job) this.#job.endInput();
    else this.#hasInputEnded = true;
  }

  kill(): void {
    if (this.#job) this.#job.kill();
    else {
      this.#isKilled = true;
      this.#finish({ code: undefined, signal: 'SIGTERM', output: '' });
    }
  }
}
