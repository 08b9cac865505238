/** What each access allows over a real control socket, and what a token may do until it is taken back. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Control, type Reply } from '../../support/control.ts';
import { World, waitFor } from '../../support/program.ts';

let world: World;

beforeAll(async () => {
  world = new World();
  await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'echo hello; exec cat');
});

afterAll(() => world.close());

async function withToken<T>(token: string | undefined, run: (control: Control) => Promise<T>): Promise<T> {
  const control = await Control.open(world.controlPath);
  try {
    if (token !== undefined) expect(await control.request({ op: 'hello', token })).toMatchObject({ ok: true });
    return await run(control);
  } finally {
    control.close();
  }
}

const command = (control: Control, ...argv: string[]): Promise<Reply> => control.request({ op: 'command', argv });

describe('a token', () => {
  it('for dialogs asks and does nothing else', async () => {
    const token = await world.output('control-token');
    expect(token).toMatch(/^[\w-]{43}$/);
    await withToken(token, async (control) => {
      for (const argv of [['list-panes'], ['send-keys', 'x'], ['capture-pane', '-p'], ['kill-server']])
        expect(await command(control, ...argv)).toMatchObject({ error: { code: 'forbidden' } });
      expect(await control.request({ op: 'show', kind: 'message', title: 'x', wait_client: true })).toMatchObject({
        ok: true,
      });
    });
  });

  it('for reading looks, changes nothing and starts nothing', async () => {
    const token = await world.output('control-token', '-a', 'read');
    const trace = join(world.directory, 'trace');
    await world.output('set-option', '-g', '@job', `#(touch ${trace})`);
    await withToken(token, async (control) => {
      expect(await command(control, 'list-sessions', '-F', '#{session_name}')).toMatchObject({ stdout: 'main\n' });
      expect(await command(control, 'lsp', '-F', `#{pane_id}#(touch ${trace})#{E:@job}`)).toMatchObject({
        stdout: '%0\n',
      });
      expect(await command(control, 'display', '-p', `#(touch ${trace}).`)).toMatchObject({ stdout: '.\n' });
      expect(await command(control, 'capture-pane', '-p')).toMatchObject({ code: 0 });
      const refused = [
        ['capture-pane'],
        ['display-message', 'x'],
        ['display-message', '-pI', 'x'],
        ['send-keys', 'x'],
        ['set-option', '-g', 'status', 'off'],
        ['run-shell', `touch ${trace}`],
        ['list-panes', ';', 'kill-server'],
        ['if-shell', '-F', '1', 'kill-server'],
        ['choose-tree'],
        ['control-token', '-a', 'full'],
        ['control-token', '-l'],
        ['source-file', '/dev/null'],
      ];
      for (const argv of refused)
        expect(await command(control, ...argv), argv.join(' ')).toMatchObject({ error: { code: 'forbidden' } });
    });
    expect(existsSync(trace)).toBe(false);
    // The same format with all access does run it.
    await world.output('display-message', '-p', '#{E:@job}');
    await waitFor(() => existsSync(trace), { name: 'the job' });
  });

  it('that was taken back is worth nothing, also on a connection that is open', async () => {
    const token = await world.output('control-token', '-a', 'full');
    const number = (await world.output('control-token', '-l')).split('\n').find((line) => line.endsWith(': full'));
    await withToken(token, async (control) => {
      expect(await command(control, 'list-sessions')).toMatchObject({ code: 0 });
      await world.output('control-token', '-d', `${number?.split(':')[0]}`);
      expect(await command(control, 'list-sessions')).toMatchObject({ error: { code: 'forbidden' } });
      expect(await control.request({ op: 'hello', token })).toMatchObject({ error: { code: 'forbidden' } });
    });
  });

  it('is in no list: options hold its hash', async () => {
    const token = await world.output('control-token', '-t', '%0');
    const shown = await world.output('show-options', '-s', 'control-tokens');
    expect(shown).toMatch(/dialogs@%0:[0-9a-f]{64}/);
    expect(shown).not.toContain(token);
  });

  it.each([
    [['control-token', '-a', 'god'], 'unknown access: god'],
    [['control-token', '-d', '99'], 'no such token: 99'],
    [['control-token', '-t', '%99'], "can't find pane: %99"],
  ])('is not made or unmade by %j', async (argv, message) => {
    expect(await world.call(argv)).toEqual({ code: 1, stdout: '', stderr: `${message}\n` });
  });
});

describe('without a token', () => {
  it('a connection has what control-access says, from the next request on', async () => {
    await withToken(undefined, async (control) => {
      expect(await control.request({ op: 'hello' })).toMatchObject({ access: 'full' });
      for (const [access, listing, killing] of [
        ['read', 0, 'forbidden'],
        ['dialogs', 'forbidden', 'forbidden'],
        ['none', 'forbidden', 'forbidden'],
      ]) {
        await world.output('set-option', '-s', 'control-access', String(access));
        const seen = async (...argv: string[]) => {
          const { code, error } = await command(control, ...argv);
          return code ?? (error as { code: string }).code;
        };
        expect([await seen('list-panes'), await seen('send-keys', 'x')]).toEqual([listing, killing]);
      }
      await world.output('set-option', '-s', 'control-access', 'full');
      expect(await command(control, 'list-panes')).toMatchObject({ code: 0 });
    });
  });
});
