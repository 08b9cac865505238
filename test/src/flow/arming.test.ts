import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InputEvent } from '../../../protocol/key.ts';
import { ARM_QUIET_MS, REPEAT_MS } from '../../../src/flow/flow-stage.ts';
import { CHOICE, FlowWorld, MESSAGE, TEXT } from '../../support/flow-world.ts';

type Step =
  | { readonly kind: 'event'; readonly event: InputEvent }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'show'; readonly index: number }
  | { readonly kind: 'paint' };

const event: fc.Arbitrary<InputEvent> = fc.oneof(
  fc.constantFrom('Enter', 'Escape', 'q', 'j', '1', 'y', 'C-c').map((key) => ({ kind: 'key' as const, key })),
  fc.constant<InputEvent>({ kind: 'paste', text: 'rm -rf\n' }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: event.map((one) => ({ kind: 'event' as const, event: one })) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 700 }).map((ms) => ({ kind: 'wait' as const, ms })) },
  { weight: 2, arbitrary: fc.nat(2).map((index) => ({ kind: 'show' as const, index })) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'paint' }) },
);

const ASKS = [CHOICE, TEXT, MESSAGE];

describe('arming', () => {
  it('never lets a dialog take what was typed before it was in view for half a second without a key', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = new FlowWorld();
        const client = world.attach();
        // Its own book-keeping, from the rule's words alone.
        let quietSince: number | undefined;
        let isUp = false;
        let isGap = false;
        // The key that ended a dialog, until it is meant for the pane again.
        let endKey: { readonly key: string; readonly until: number } | undefined;
        world.queue.subscribe(({ kind }) => {
          if (kind === 'answered') {
            isUp = false;
            isGap = client.shown?.phase === 'dimmed';
          }
        });
        for (const one of steps) {
          if (client.shown === undefined) isGap = false;
          if (one.kind === 'wait') world.clock.advance(one.ms);
          else if (one.kind === 'show' && client.shown === undefined) {
            world.queue.show(ASKS[one.index]!);
            isUp = true;
            quietSince = undefined;
          } else if (one.kind === 'paint' && isUp) {
            world.queue.painted(client);
            quietSince ??= world.clock.now;
          } else if (one.kind === 'event') {
            const wasUp = isUp;
            const wasGap = isGap && client.shown !== undefined;
            const mayTake = wasUp && quietSince !== undefined && world.clock.now - quietSince >= ARM_QUIET_MS;
            const key = one.event.kind === 'key' ? one.event.key : undefined;
            if (!wasUp && key !== undefined && endKey) {
              const isAgain = key === endKey.key && world.clock.now < endKey.until;
              endKey = isAgain ? { key, until: world.clock.now + REPEAT_MS } : undefined;
            }
            const isDropped = !wasUp && key !== undefined && key === endKey?.key;
            const outcome = world.queue.key(client, one.event);
            if (!wasGap) expect(outcome).toBe(mayTake || isDropped ? 'consumed' : 'pass');
            // A letter may begin what is typed next.
            if (wasUp && !isUp && key !== undefined && key.length > 1)
              endKey = { key, until: world.clock.now + REPEAT_MS };
            if (quietSince !== undefined && !mayTake) quietSince = world.clock.now;
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});
