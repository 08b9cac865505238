import { describe, expect, it } from 'vitest';
import { ModelServer } from '../../support/model-server.ts';

async function started() {
  const server = new ModelServer({ defaultKeys: false });
  await server.run('new-session', '-d', '-x', '40', '-y', '8', 'cat');
  const pane = server.pane();
  const pty = server.ptys.of(pane.id);
  const order: string[] = [];
  server.registry.bytes.subscribe(({ bytes }) => order.push(`bytes ${Buffer.from(bytes)}`));
  server.registry.outputs.subscribe(() => order.push('activity'));
  return { server, pane, pty, order };
}

describe('output of a pane', () => {
  it('reaches who reads along before a command can show it, and is activity after its picture', async () => {
    const { pty, order } = await started();
    pty.emitData('one');
    expect(order).toEqual(['bytes one']);
    pty.emitData('two');
    await Promise.resolve();
    expect(order).toEqual(['bytes one', 'bytes two', 'activity']);
  });

  it('is not piped again to a pipe that is opened after it', async () => {
    const { pane, pty } = await started();
    const piped: string[] = [];
    pty.emitData('before ');
    pane.outputTap = (bytes) => piped.push(String(Buffer.from(bytes)));
    pty.emitData('after');
    await Promise.resolve();
    expect(piped).toEqual(['after']);
  });

  it('is activity also where its program ends at once', async () => {
    const { server, pty, order } = await started();
    await server.run('set-option', '-g', 'remain-on-exit', 'on');
    pty.emitData('last');
    pty.emitExit({ code: 0, signal: null });
    expect(order).toEqual(['bytes last', 'activity']);
  });
});
