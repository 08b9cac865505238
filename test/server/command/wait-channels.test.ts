import { describe, expect, it } from 'vitest';
import { WaitChannels } from '../../../server/command/wait-channels.ts';

describe('the channels of wait-for', () => {
  it('keep a signal for the next where the one that waited has gone', async () => {
    const channels = new WaitChannels();
    const gone = channels.wait('done');
    gone?.cancel();
    expect(await gone?.done).toBe('cancelled');
    channels.signal('done');
    expect(channels.wait('done')).toBeUndefined();
    expect(channels.wait('done')).toBeDefined();
  });

  it('give a lock to the next that is still there', async () => {
    const channels = new WaitChannels();
    channels.lock('lock');
    const [gone, next] = [channels.lock('lock'), channels.lock('lock')];
    gone?.cancel();
    expect(channels.unlock('lock')).toBe(true);
    expect(await next?.done).toBe('woken');
    expect(channels.unlock('lock')).toBe(true);
    expect(channels.unlock('lock')).toBe(false);
  });

  it('keep signals and locks over a new server, and forget what is used up', () => {
    const channels = new WaitChannels();
    channels.signal('early');
    channels.lock('lock');
    channels.wait('never')?.cancel();
    const saved = channels.save();
    expect(saved).toEqual({ woken: ['early'], locked: ['lock'] });
    const next = new WaitChannels();
    next.restore(saved);
    expect(next.wait('early')).toBeUndefined();
    expect(next.lock('lock')).toBeDefined();
    expect(next.save()).toEqual({ woken: [], locked: ['lock'] });
  });
});
