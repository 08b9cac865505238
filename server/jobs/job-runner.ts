/**
 * Jobs by way of `mplex-jobs` (native/jobs.c, where the frames are told): a fork of this process takes as long as it is
 * large, and no key is echoed meanwhile. The helper is started at the first job. Where there is none, or it ends too
 * often, jobs are started here.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { type Job, type JobRequest, type JobResult, OUTPUT_MAX, startJob } from './job.ts';

const IN = { start: 1, kill: 2 } as const;
const OUT = { started: 1, failed: 2, output: 3, ended: 4 } as const;
/** Bytes of `length, type, job`, and of what of it the length counts. */
const HEADER = 9;
const COUNTED = 5;
/** Bytes of a frame that the helper takes. */
const FRAME_MAX = 1 << 24;
/** A helper that was lost so often is not started again. */
const LOST_MAX = 5;

type Helper = ChildProcessByStdio<Writable, Readable, null>;

/** Starts jobs: through the helper at `path` if there is one and the job reads nothing. */
export class JobRunner {
  readonly #path: string | undefined;
  #helper: Helper | undefined;
  #lost = 0;
  #nextId = 0;
  #jobs = new Map<number, HelperJob>();

  constructor(path: string | undefined) {
    this.#path = path !== undefined && existsSync(path) ? path : undefined;
  }

  readonly start = (request: JobRequest): Job => {
    const bytes = request.withoutInput ? startFrame(this.#nextId, request) : undefined;
    const helper = bytes && this.#running();
    if (!helper) return startJob(request);
    const id = this.#nextId++;
    const job = new HelperJob(request, () => {
      if (this.#jobs.has(id)) helper.stdin.write(frame(IN.kill, id));
    });
    this.#jobs.set(id, job);
    helper.stdin.write(bytes);
    return job;
  };

  #running(): Helper | undefined {
    if (this.#path === undefined || this.#lost >= LOST_MAX) return undefined;
    this.#helper ??= this.#startHelper(this.#path);
    return this.#helper;
  }

  #startHelper(path: string): Helper {
    const helper = spawn(path, [], { stdio: ['pipe', 'pipe', 'ignore'], cwd: '/', env: {} });
    const frames = new FrameReader((type, id, body) => this.#told(type, id, body));
    helper.stdout.on('data', (bytes: Buffer) => frames.feed(bytes));
    const gone = () => this.#helperLost(helper);
    helper.on('error', gone);
    helper.on('close', gone);
    helper.stdin.on('error', gone);
    // It ends with this process, which need not wait for it.
    helper.unref();
    return helper;
  }

  /** What it ran goes on, but nobody hears of it. */
  #helperLost(helper: Helper): void {
    if (this.#helper !== helper) return;
    this.#helper = undefined;
    this.#lost++;
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const job of jobs) job.end({ code: undefined, signal: 'SIGKILL' });
  }

  #told(type: number, id: number, body: Buffer): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    if (type === OUT.started) job.pid = body.readUInt32LE(0);
    else if (type === OUT.output) job.take(body);
    else {
      this.#jobs.delete(id);
      if (type === OUT.failed) job.fail(body.toString('utf8'));
      else job.end(outcomeOf(body.readInt32LE(0)));
    }
  }
}

/** A job that the helper runs. It reads nothing. */
class HelperJob implements Job {
  pid: number | undefined;
  readonly done: Promise<JobResult>;
  readonly kill: () => void;
  readonly #onOutput: JobRequest['onOutput'];
  readonly #decoder = new StringDecoder('utf8');
  #finish: (result: JobResult) => void = () => {};
  #output = '';

  constructor({ onOutput }: JobRequest, kill: () => void) {
    this.#onOutput = onOutput;
    this.kill = kill;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  take(bytes: Buffer): void {
    this.#add(this.#decoder.write(bytes));
  }

  end(outcome: Pick<JobResult, 'code' | 'signal'>): void {
    this.#add(this.#decoder.end());
    this.#finish({ ...outcome, output: this.#output });
  }

  /** It could not be started. */
  fail(reason: string): void {
    this.#finish({ code: 127, signal: undefined, output: `${reason}\n` });
  }

  write(): boolean {
    return false;
  }

  endInput(): void {
    // It is at its end already.
  }

  #add(text: string): void {
    if (text === '') return;
    if (this.#output.length < OUTPUT_MAX) this.#output += text.slice(0, OUTPUT_MAX - this.#output.length);
    this.#onOutput?.(text);
  }
}

/** Cuts the helper's output into frames. */
export class FrameReader {
  readonly #onFrame: (type: number, id: number, body: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onFrame: (type: number, id: number, body: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  feed(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (all.length - at >= HEADER) {
      const end = at + 4 + all.readUInt32LE(at);
      if (end > all.length) break;
      this.#onFrame(all.readUInt8(at + 4), all.readUInt32LE(at + 5), all.subarray(at + HEADER, end));
      at = end;
    }
    this.#rest = all.subarray(at);
  }
}

/** `u32 length, u8 type, u32 job, body`. */
export function frame(type: number, id: number, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEADER);
  head.writeUInt32LE(COUNTED + body.length, 0);
  head.writeUInt8(type, 4);
  head.writeUInt32LE(id, 5);
  return Buffer.concat([head, body]);
}

/** Undefined for what the helper cannot take: a NUL in it, or too much. */
function startFrame(id: number, { shell, command, cwd, environ }: JobRequest): Buffer | undefined {
  const strings = [shell, command, cwd, ...Object.entries(environ).map(([name, value]) => `${name}=${value}`)];
  if (strings.some((text) => text.includes('\0'))) return undefined;
  const bytes = frame(IN.start, id, Buffer.from(`${strings.join('\0')}\0`));
  return bytes.length <= FRAME_MAX ? bytes : undefined;
}

/** Exit status, or minus the signal. */
function outcomeOf(status: number): Pick<JobResult, 'code' | 'signal'> {
  if (status >= 0) return { code: status, signal: undefined };
  const name = Object.entries(constants.signals).find(([, number]) => number === -status)?.[0];
  return { code: undefined, signal: name ?? `signal ${-status}` };
}
