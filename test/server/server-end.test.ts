import { expect, it } from 'vitest';
import { ServerEnd } from '../../server/server-end.ts';
import { ManualClock } from '../support/manual-delay.ts';

/** A server's end whose steps do as they are told; what was done, in order. */
function endWorld(steps: { readonly close?: () => void; readonly quit?: () => Promise<void> } = {}) {
  const clock = new ManualClock();
  const done: string[] = [];
  const end = new ServerEnd({
    host: {
      quit: () => {
        done.push('host');
        return steps.quit?.() ?? Promise.resolve();
      },
      leave: () => Promise.resolve(),
      setRestartCommand: () => {},
    },
    sockets: {
      close: () => {
        done.push('sockets');
        steps.close?.();
      },
    },
    restartCommand: [],
    environ: {},
    keepAll: () => {},
    endJournal: () => Promise.resolve(),
    close: () => done.push('clients'),
    after: clock.delay,
    onExit: () => done.push('exit'),
  });
  return { end, clock, done };
}

/** Lets promises that are settled go on. */
const settle = () => new Promise((next) => setImmediate(next));

it('the process ends after clients, host and sockets, once', async () => {
  const { end, clock, done } = endWorld();
  end.shutdown();
  end.shutdown();
  expect(done).toEqual(['clients', 'host', 'sockets']);
  clock.advance(1000);
  await settle();
  expect(done).toEqual(['clients', 'host', 'sockets', 'exit']);
});

it('the process ends where a step of its end throws', async () => {
  const { end, clock, done } = endWorld({
    close: () => {
      throw new Error('no such directory');
    },
  });
  expect(() => end.shutdown()).toThrow('no such directory');
  clock.advance(1000);
  await settle();
  expect(done.at(-1)).toBe('exit');
});

it('a pty host that does not take the word is not waited for for ever', async () => {
  const { end, clock, done } = endWorld({ quit: () => new Promise(() => {}) });
  end.shutdown();
  clock.advance(1000);
  await settle();
  expect(done).not.toContain('exit');
  clock.advance(10_000);
  await settle();
  expect(done.at(-1)).toBe('exit');
});
