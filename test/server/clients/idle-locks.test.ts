import { describe, expect, it } from 'vitest';
import { IdleLocks } from '../../../server/clients/idle-locks.ts';
import { ModelServer } from '../../support/model-server.ts';

async function started() {
  const server = new ModelServer({ defaultKeys: false });
  new IdleLocks({ registry: server.registry, after: server.clock.delay });
  await server.run('new-session', '-d', '-s', 'one', 'cat');
  await server.run('new-session', '-d', '-s', 'two', 'cat');
  const one = server.addClient(server.session('one'));
  const two = server.addClient(server.session('two'));
  const locks = (client: typeof one) => server.sent.get(client)?.filter(({ kind }) => kind === 'exec').length;
  return { server, one, two, locks };
}

describe('lock-after-time', () => {
  it('locks the clients of a session that nobody used for so long, of no other', async () => {
    const { server, one, two, locks } = await started();
    await server.run('set-option', '-t', 'one', 'lock-after-time', '60');
    server.clock.advance(50_000);
    expect([locks(one), locks(two)]).toEqual([0, 0]);
    server.clock.advance(11_000);
    expect([locks(one), locks(two)]).toEqual([1, 0]);
  });

  it('counts from the last key', async () => {
    const { server, one, locks } = await started();
    await server.run('set-option', '-g', 'lock-after-time', '60');
    server.clock.advance(40_000);
    server.registry.touch(one.session, one);
    server.clock.advance(50_000);
    expect(locks(one)).toBe(0);
    server.clock.advance(12_000);
    expect(locks(one)).toBe(1);
  });

  it('0 locks nobody, also when it was something else before', async () => {
    const { server, one, locks } = await started();
    await server.run('set-option', '-g', 'lock-after-time', '60');
    await server.run('set-option', '-g', 'lock-after-time', '0');
    server.clock.advance(200_000);
    expect(locks(one)).toBe(0);
  });
});
