import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as Published from '../../../client/ask/client-types.d.ts';
import * as library from '../../../client/ask/library.ts';

describe('mplex/client', () => {
  it('has the types that are published for it', () => {
    expectTypeOf(library.showFlow).parameter(1).toEqualTypeOf<Published.ShowOptions | undefined>();
    expectTypeOf(library.showFlow).returns.toEqualTypeOf<Promise<Published.FlowReport>>();
    expectTypeOf(library.ask).toEqualTypeOf<typeof Published.ask>();
    expectTypeOf(library.confirm).toEqualTypeOf<typeof Published.confirm>();
    expectTypeOf(library.command).toEqualTypeOf<typeof Published.command>();
    expect(Object.keys(library).sort()).toEqual(['SpecError', 'ask', 'command', 'confirm', 'showFlow']);
  });

  it('refuses a bad spec with its faults, and tells of nobody in the outcome', async () => {
    await expect(library.showFlow({ screens: [] })).rejects.toMatchObject({
      name: 'SpecError',
      faults: ['/screens: expected at least 1 item, found an empty array'],
    });
    const outcome = await library.showFlow({ screens: [{ id: 's', body: 'x' }] }, { controlPath: '/no/such/socket' });
    expect(outcome).toMatchObject({ status: 'error', at: 's', answers: {}, code: 'no_client' });
    expect(await library.ask('Anybody?', ['a'], { controlPath: '/no/such/socket' })).toBeUndefined();
    expect(await library.confirm('Anybody?', { controlPath: '/no/such/socket' })).toBeUndefined();
  });
});
