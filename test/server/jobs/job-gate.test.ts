import { describe, expect, it } from 'vitest';
import type { Job, JobRequest, JobResult } from '../../../server/jobs/job.ts';
import { JobGate, WAITING_MAX, YOUNG_MAX, YOUNG_MS } from '../../../server/jobs/job-gate.ts';
import { ManualClock } from '../../support/manual-delay.ts';

/** A gate on a clock and a turn that the test turns, and jobs that end when it says so. */
function world() {
  const clock = new ManualClock();
  const turns: (() => void)[] = [];
  const started: { command: string; input: string[]; end: (result: JobResult) => void }[] = [];
  const startJob = ({ command }: JobRequest): Job => {
    let end: (result: JobResult) => void = () => {};
    const done = new Promise<JobResult>((resolve) => {
      end = resolve;
    });
    const input: string[] = [];
    started.push({ command, input, end });
    return {
      pid: started.length,
      done,
      write: (data) => input.push(Buffer.from(data).toString()) > 0,
      endInput: () => input.push('<end>'),
      kill: () => end({ code: undefined, signal: 'SIGTERM', output: '' }),
    };
  };
  const gate = new JobGate({ startJob, after: (ms, run) => clock.delay(ms, run), nextTurn: (run) => turns.push(run) });
  const start = (command: string) => gate.start({ command, shell: '/bin/sh', cwd: '/', environ: {} });
  const turn = () => {
    for (const run of turns.splice(0)) run();
  };
  return { gate, clock, started, start, turn };
}

const GOOD: JobResult = { code: 0, signal: undefined, output: 'out' };

describe('the gate of jobs', () => {
  it('starts one at once and one each turn, in order', () => {
    const { started, start, turn } = world();
    for (const name of ['a', 'b', 'c']) start(name);
    expect(started.map(({ command }) => command)).toEqual(['a']);
    turn();
    expect(started.map(({ command }) => command)).toEqual(['a', 'b']);
    turn();
    turn();
    expect(started.map(({ command }) => command)).toEqual(['a', 'b', 'c']);
  });

  it('lists what runs, the newest first, and nothing that waits or has ended', async () => {
    const { gate, started, start, turn } = world();
    for (const name of ['a', 'b', 'c']) start(name);
    turn();
    expect(gate.running).toEqual([
      { command: 'b', pid: 2 },
      { command: 'a', pid: 1 },
    ]);
    started[0]?.end(GOOD);
    await Promise.resolve();
    expect(gate.running).toEqual([{ command: 'b', pid: 2 }]);
  });

  it('lets few be young at a time, and does not wait for those that run for long', async () => {
    const { clock, started, start, turn } = world();
    for (let i = 0; i < YOUNG_MAX + 3; i++) start(`${i}`);
    for (let i = 0; i < YOUNG_MAX + 3; i++) turn();
    expect(started).toHaveLength(YOUNG_MAX);
    started[0]?.end(GOOD);
    await Promise.resolve();
    await Promise.resolve();
    turn();
    expect(started).toHaveLength(YOUNG_MAX + 1);
    clock.advance(YOUNG_MS);
    turn();
    turn();
    expect(started).toHaveLength(YOUNG_MAX + 3);
  });

  it('hands on what a job that waits was given, and its result', async () => {
    const { started, start, turn } = world();
    start('first');
    const late = start('late');
    late.write(Buffer.from('one'));
    late.endInput();
    turn();
    expect(started[1]?.input).toEqual(['one', '<end>']);
    started[1]?.end(GOOD);
    expect(await late.done).toEqual(GOOD);
  });

  it('never starts one that was killed before, and goes on with the next', async () => {
    const { started, start, turn } = world();
    start('first');
    const killed = start('killed');
    start('next');
    killed.kill();
    expect(await killed.done).toMatchObject({ signal: 'SIGTERM' });
    turn();
    expect(started.map(({ command }) => command)).toEqual(['first', 'next']);
  });

  it('refuses what would wait in a line without end', async () => {
    const { start } = world();
    for (let i = 0; i <= WAITING_MAX; i++) start('one');
    expect(await start('too many').done).toEqual({ code: 127, signal: undefined, output: 'too many jobs\n' });
  });
});
