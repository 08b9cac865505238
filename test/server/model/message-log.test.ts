import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageLog } from '../../../server/model/message-log.ts';

const texts = (messages: readonly { readonly text: string }[]) => messages.map(({ text }) => text);

describe('the log of messages', () => {
  it('keeps as many as the limit says, the newest ones', () => {
    const log = new MessageLog();
    for (const text of ['a', 'b', 'c']) log.add({ time: 1, text }, { limit: 2 });
    expect(texts(log.list)).toEqual(['b', 'c']);
    log.trim(1);
    expect(texts(log.list)).toEqual(['c']);
    log.trim(0);
    expect(log.list).toEqual([]);
  });

  it('lets only what is not passing outlive the process', () => {
    const log = new MessageLog();
    log.add({ time: 1, text: 'shown' }, { limit: 9 });
    const before = log.lasting;
    log.add({ time: 2, text: 'client-1 command: ls' }, { limit: 9, isPassing: true });
    expect(log.lasting).toBe(before);
    expect(log.lasting).toEqual([{ time: 1, text: 'shown' }]);
    log.add({ time: 3, text: 'more' }, { limit: 9 });
    expect(texts(log.lasting)).toEqual(['shown', 'more']);
    log.trim(1);
    expect(texts(log.lasting)).toEqual(['more']);
  });

  it('is bounded by characters as well, of one text and of all', () => {
    const log = new MessageLog();
    const long = 'x'.repeat(100_000);
    for (let i = 0; i < 400; i++) log.add({ time: i, text: long }, { limit: 1000 });
    expect(log.list.at(-1)?.text).toHaveLength(16_384);
    expect(log.list).toHaveLength(256);
    expect(log.list.at(-1)?.time).toBe(399);
  });

  it('keeps the same messages whatever is added and dropped', () => {
    const step = fc.record({ text: fc.string(), isPassing: fc.boolean(), limit: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const log = new MessageLog();
        let model: { text: string; isPassing: boolean }[] = [];
        for (const { text, isPassing, limit } of steps) {
          log.add({ time: 0, text }, { limit, isPassing });
          model = [...model, { text, isPassing }].slice(-limit || Number.MAX_SAFE_INTEGER);
          expect(texts(log.list)).toEqual(texts(model));
          expect(texts(log.lasting)).toEqual(texts(model.filter((each) => !each.isPassing)));
        }
      }),
    );
  });
});
