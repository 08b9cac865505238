import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Job, JobRequest } from '../../../server/jobs/job.ts';
import { FrameReader, frame, JobRunner } from '../../../server/jobs/job-runner.ts';
import { parentOf } from '../../../server/jobs/processes.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../dist/mplex-jobs');
const hasProgram = existsSync(PROGRAM);
if (!hasProgram) console.log('no dist/mplex-jobs here (no C compiler): its tests are skipped');

const request = (command: string, more: Partial<JobRequest> = {}): JobRequest => ({
  command,
  shell: '/bin/sh',
  cwd: '/',
  environ: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  withoutInput: true,
  ...more,
});

/** Both ways to start a job give the same. */
const WAYS = [
  ['by this process', undefined],
  ['by the helper', PROGRAM],
] as const;

for (const [way, path] of WAYS) {
  describe.skipIf(path !== undefined && !hasProgram)(`a job started ${way}`, () => {
    const runner = new JobRunner(path);
    const run = (command: string, more?: Partial<JobRequest>) => runner.start(request(command, more)).done;

    it('tells its standard output and its exit status', async () => {
      expect(await run('echo out; echo err >&2; exit 3')).toEqual({ code: 3, signal: undefined, output: 'out\n' });
      expect(await run('true')).toEqual({ code: 0, signal: undefined, output: '' });
    });

    it('tells the signal that ended it', async () => {
      expect(await run('kill -TERM $$')).toEqual({ code: undefined, signal: 'SIGTERM', output: '' });
    });

    it('has its directory, its environment and nothing to read', async () => {
      const cwd = realpathSync(tmpdir());
      const environ = { PATH: process.env.PATH ?? '/usr/bin:/bin', NAME: 'a "b"\nc', EMPTY: '' };
      const { output } = await run('pwd; echo "$NAME"; echo "[${EMPTY-unset}]"; cat; echo end', { cwd, environ });
      expect(output).toBe(`${cwd}\na "b"\nc\n[]\nend\n`);
    });

    it('starts in / where its directory is not there', async () => {
      expect((await run('pwd', { cwd: '/nonexistent/at/all' })).output).toBe('/\n');
    });

    it('leads a process group of its own, which kill ends', async () => {
      let told = '';
      const job = runner.start(request('echo $$; sleep 100 & wait', { onOutput: (text) => (told += text) }));
      while (!told.endsWith('\n')) await new Promise((next) => setTimeout(next, 5));
      expect(job.pid).toBe(Number(told));
      job.kill();
      expect((await job.done).signal).toBe('SIGTERM');
    });

    it('is over when its output is closed as well', async () => {
      const { output } = await run('(sleep 0.1; echo late) & echo soon');
      expect(output).toBe('soon\nlate\n');
    });

    it('fails with 127 where its shell is not there', async () => {
      const result = await run('true', { shell: '/nonexistent/sh' });
      expect(result.code).toBe(127);
      expect(result.output).toContain('/nonexistent/sh');
    });

    it('fails with 127 where its command is longer than the system takes', async () => {
      const { code, output } = await run(`true ${'x'.repeat(3_000_000)}`);
      expect(code).toBe(127);
      expect(output).toMatch(/E2BIG|too long/);
      const withInput = runner.start({ ...request(`true ${'x'.repeat(3_000_000)}`), withoutInput: false });
      expect((await withInput.done).code).toBe(127);
    });

    it('is ended by a kill that comes right behind its start', async () => {
      const started = Array.from({ length: 20 }, () => runner.start(request('exec sleep 100')));
      for (const each of started) each.kill();
      for (const each of started) expect((await each.done).signal).toBe('SIGTERM');
    });

    it('tells text as it comes, characters whole, and keeps no more than a limit', async () => {
      const pieces: string[] = [];
      const onOutput = (text: string) => pieces.push(text);
      const { output } = await run('awk \'BEGIN { for (i = 0; i < 400000; i++) print "äöü" }\'', { onOutput });
      expect(pieces.join('')).toBe('äöü\n'.repeat(400_000));
      expect(output).toBe('äöü\n'.repeat(262_144));
    });
  });
}

describe.skipIf(!hasProgram)('the helper', () => {
  it('is one process for many jobs at once', async () => {
    const runner = new JobRunner(PROGRAM);
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, i) => runner.start(request(`echo $PPID; exit ${i}`)).done),
    );
    expect(results.map(({ code }) => code)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    const parents = new Set(results.map(({ output }) => Number(output)));
    expect(parents.size).toBe(1);
    expect(parentOf([...parents][0] ?? 0)).toBe(process.pid);
  });

  it('is started again when it was lost, and its jobs have ended then', async () => {
    const runner = new JobRunner(PROGRAM);
    const before = await runner.start(request('echo $PPID')).done;
    const helper = Number(before.output);
    const waiting = runner.start(request('kill -KILL $PPID; exec sleep 100'));
    expect((await waiting.done).signal).toBe('SIGKILL');
    if (waiting.pid !== undefined) process.kill(-waiting.pid, 'SIGKILL');
    const after = await runner.start(request('echo $PPID')).done;
    expect(Number(after.output)).toBeGreaterThan(1);
    expect(after.output).not.toBe(`${helper}\n`);
  });

  it('is not used for a job that reads', async () => {
    const runner = new JobRunner(PROGRAM);
    const { withoutInput: _, ...reading } = request('cat; echo $PPID');
    const job = runner.start(reading);
    job.write(Buffer.from('typed\n'));
    job.endInput();
    expect((await job.done).output).toBe(`typed\n${process.pid}\n`);
  });
});

describe('frames of the helper', () => {
  const message = fc.record({ type: fc.nat(255), id: fc.nat(2 ** 32 - 1), body: fc.uint8Array({ maxLength: 40 }) });

  it('are the same for any chunking', () => {
    fc.assert(
      fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sent, sizes) => {
        const all = Buffer.concat(sent.map(({ type, id, body }) => frame(type, id, body)));
        const read: typeof sent = [];
        const reader = new FrameReader((type, id, body) => read.push({ type, id, body: new Uint8Array(body) }));
        for (let at = 0, i = 0; at < all.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          reader.feed(all.subarray(at, at + size));
          at += size;
        }
        expect(read).toEqual(sent);
      }),
    );
  });
});

it.skipIf(!hasProgram)('has more jobs that have closed their output than there may be open files', async () => {
  // The helper under `ulimit -n 64`.
  const directory = mkdtempSync(join(tmpdir(), 'jobs-'));
  const limited = join(directory, 'limited');
  writeFileSync(limited, `#!/bin/sh\nulimit -n 64\nexec '${PROGRAM}'\n`, { mode: 0o755 });
  const runner = new JobRunner(limited);
  const left: Job[] = [];
  try {
    for (let i = 0; i < 100; i++) {
      const job = runner.start(request('echo up; exec >&-; exec sleep 100'));
      left.push(job);
      // One after the other, as each needs a file until its output is closed.
      await runner.start(request(`until [ "$(readlink /proc/${await pidOf(job)}/fd/1)" = "" ]; do :; done`)).done;
    }
    expect((await runner.start(request('echo on')).done).output).toBe('on\n');
  } finally {
    for (const job of left) job.kill();
    await Promise.all(left.map(({ done }) => done));
    rmSync(directory, { recursive: true });
  }
});

async function pidOf(job: Job): Promise<number> {
  while (job.pid === undefined) await new Promise((next) => setTimeout(next, 5));
  return job.pid;
}
