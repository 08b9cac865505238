import { describe, expect, it } from 'vitest';
import { keyModesOf, wantedKeys } from '../../../server/model/pane-input.ts';
import { encodeTyped } from '../../../server/terminal/input-encoder.ts';
import { ModelServer } from '../../support/model-server.ts';

async function started(ask = '') {
  const server = new ModelServer({ defaultKeys: false });
  await server.run('new-session', '-d', 'cat');
  const pane = server.pane();
  server.ptys.of(pane.id).emitData(ask);
  const { serverOptions } = server.registry;
  const set = (name: string, value: string) => server.run('set-option', '-s', name, value);
  const typed = (key: string) => encodeTyped(key, keyModesOf(pane, serverOptions));
  return { server, pane, set, typed, wanted: () => wantedKeys(pane, serverOptions) };
}

describe('the form in which a program gets keys', () => {
  it('is what it asked for', async () => {
    expect((await started()).typed('S-Enter')).toBe('\r');
    expect((await started('\x1b[>1u')).typed('S-Enter')).toBe('\x1b[13;2u');
    expect((await started('\x1b[>4;1m')).typed('S-Enter')).toBe('\x1b[13;2u');
  });

  it('is extended for all programs with extended-keys always, in the format of the option', async () => {
    const { set, typed } = await started();
    await set('extended-keys', 'always');
    expect(typed('S-Enter')).toBe('\x1b[13;2u');
    await set('extended-keys-format', 'xterm');
    expect(typed('S-Enter')).toBe('\x1b[27;2;13~');
  });

  it('is not kitty’s with kitty-keys off; modifyOtherKeys stays', async () => {
    const { set, typed } = await started('\x1b[>1u');
    await set('kitty-keys', 'off');
    expect(typed('S-Enter')).toBe('\r');
    const other = await started('\x1b[>1u\x1b[>4;1m');
    await other.set('kitty-keys', 'off');
    expect(other.typed('S-Enter')).toBe('\x1b[13;2u');
  });

  it('is what the terminal is asked for, with the text where all keys are codes', async () => {
    expect((await started()).wanted()).toEqual({ keyFlags: 5, otherKeys: false });
    expect((await started('\x1b[>4;2m')).wanted()).toEqual({ keyFlags: 5, otherKeys: true });
    expect((await started('\x1b[>8u')).wanted()).toEqual({ keyFlags: 5 | 8 | 16, otherKeys: true });
    expect((await started('\x1b[>4u')).wanted()).toEqual({ keyFlags: 5, otherKeys: false });
    const { set, wanted } = await started('\x1b[>31u');
    await set('kitty-keys', 'off');
    expect(wanted()).toEqual({ keyFlags: 0, otherKeys: false });
    await set('extended-keys', 'on');
    expect(wanted()).toEqual({ keyFlags: 5, otherKeys: true });
  });
});
