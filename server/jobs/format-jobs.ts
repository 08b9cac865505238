import type { Job, JobRequest } from './job.ts';

interface Entry {
  output: string;
  /** ms of the monotonic clock. */
  started: number;
  used: number;
  job: Job | undefined;
}

/** A command is started again at most this often, and forgotten when unused this long. */
const RESTART_MS = 1000;
const FORGET_MS = 3_600_000;
const ENTRIES_MAX = 500;

/** `#(command)` in formats: runs in the background, the last complete line of its output stands for it. */
export class FormatJobs {
  readonly #entries = new Map<string, Entry>();
  readonly #start: (command: string, onOutput: JobRequest['onOutput']) => Job;
  readonly #now: () => number;
  readonly #changed: () => void;

  /** `start` runs a command; `changed` is called when an output differs from the one shown. */
  constructor(init: {
    start: (command: string, onOutput: JobRequest['onOutput']) => Job;
    now: () => number;
    changed: () => void;
  }) {
    this.#start = init.start;
    this.#now = init.now;
    this.#changed = init.changed;
  }

  /** The output so far; starts the command if it is not running and due. */
  output(command: string): string {
    const now = this.#now();
    let entry = this.#entries.get(command);
    if (!entry) {
      this.#forget(now);
      entry = { output: '', started: Number.NEGATIVE_INFINITY, used: now, job: undefined };
      this.#entries.set(command, entry);
    }
    entry.used = now;
    if (!entry.job && now - entry.started >= RESTART_MS) this.#run(command, entry, now);
    return entry.output;
  }

  close(): void {
    for (const entry of this.#entries.values()) entry.job?.kill();
    this.#entries.clear();
  }

  #run(command: string, entry: Entry, now: number): void {
    entry.started = now;
    let partial = '';
    const show = (line: string) => {
      if (line === entry.output) return;
      entry.output = line;
      this.#changed();
    };
    entry.job = this.#start(command, (text) => {
      const lines = (partial + text).split('\n');
      partial = lines.pop() ?? '';
      const last = lines.at(-1);
      if (last !== undefined) show(last);
    });
    void entry.job.done.then(() => {
      entry.job = undefined;
      if (partial !== '') show(partial);
    });
  }

  #forget(now: number): void {
    for (const [command, entry] of this.#entries) {
      if (now - entry.used > FORGET_MS || this.#entries.size >= ENTRIES_MAX) {
        entry.job?.kill();
        this.#entries.delete(command);
      }
    }
  }
}
