/** A fault that is brought about on purpose: what was done, what should come of it, and what was seen. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { Control } from './control.ts';
import { waitFor } from './program.ts';

export interface FaultLine {
  /** The row of the table in docs/security.md. */
  readonly row: string;
  readonly injected: string;
  readonly expected: string;
  readonly seen: string;
}

declare module 'vitest' {
  interface TaskMeta {
    fault?: FaultLine;
  }
}

export interface FaultOptions {
  readonly ms?: number;
  /** Why it cannot be brought about here: the test is skipped with this word. */
  readonly unless?: string | undefined;
}

/** A test whose `inject` brings the fault about and says what it saw, in the words of `expected`. */
export function fault(
  { row, injected, expected }: Omit<FaultLine, 'seen'>,
  inject: () => Promise<string>,
  { ms = 60_000, unless }: FaultOptions = {},
): void {
  const title = `${row} ${injected}: ${expected}${unless === undefined ? '' : ` (not here: ${unless})`}`;
  it.skipIf(unless !== undefined)(
    title,
    async ({ task }) => {
      task.meta.fault = { row, injected, expected, seen: 'nothing, it did not end' };
      try {
        const seen = await inject();
        task.meta.fault = { row, injected, expected, seen };
        expect(seen).toBe(expected);
      } catch (error) {
        if (task.meta.fault.seen.startsWith('nothing'))
          task.meta.fault = { row, injected, expected, seen: String(error).split('\n')[0] ?? '' };
        throw error;
      }
    },
    ms,
  );
}

/** A word for a tool that is not there, for `unless`. */
export function missing(...tools: readonly string[]): string | undefined {
  const gone = tools.find((tool) => {
    try {
      execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  return gone === undefined ? undefined : `no ${gone}`;
}

export const IS_ROOT = process.getuid?.() === 0;
/** A user that is nobody's: tests that need another one run as it. */
export const OTHER_UID = 65534;

/** While a fault is on, somebody else asks the server something again and again. */
export class Pulse {
  readonly #control: Control;
  readonly #loop: Promise<void>;
  #isOn = true;
  #worst = 0;
  #beats = 0;

  private constructor(control: Control) {
    this.#control = control;
    this.#loop = this.#run();
  }

  static async start(path: string): Promise<Pulse> {
    return new Pulse(await Control.open(path));
  }

  /** `alive` if every answer came within `ms`, else what was wrong. */
  async stop(ms = 1000): Promise<string> {
    // At least one whole beat.
    const beats = this.#beats;
    await waitFor(() => this.#beats > beats, { name: 'a beat', ms: 10_000 });
    this.#isOn = false;
    await this.#loop;
    this.#control.close();
    return this.#worst <= ms ? 'alive' : `no answer for ${Math.round(this.#worst)} ms`;
  }

  async #run(): Promise<void> {
    while (this.#isOn) {
      const start = performance.now();
      const reply = await this.#control.request({ op: 'hello' });
      if (reply.ok !== true) {
        this.#worst = Number.POSITIVE_INFINITY;
        this.#beats += 1;
        return;
      }
      this.#worst = Math.max(this.#worst, performance.now() - start);
      this.#beats += 1;
      await new Promise((next) => setTimeout(next, 10));
    }
  }
}

/** Resident memory of a process, MiB (proc(5) status, VmRSS). */
export function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? Number.NaN) / 1024;
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Processor time that a process has used, ms (proc(5) stat, in ticks of 10 ms). */
export function processorMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** `flat` if memory grew by `most` MiB at most, else by how much it grew. */
export function growth(before: number, after: number, most: number): string {
  return after - before <= most ? 'flat' : `grown by ${Math.round(after - before)} MiB`;
}
