/** Keys in full, from a terminal of each kind to a program of each kind. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Control } from '../support/control.ts';
import { asTerminal, type KeyTerminalKind, keyProgram, untilWritten } from '../support/key-terminal.ts';
import { firstLeak } from '../support/output-grammar.ts';
import { MPLEX, type TerminalProgram, World, waitFor } from '../support/program.ts';
import { leftovers } from '../support/terminal-modes.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

const SHIFT_ENTER = { kitty: '\x1b[13;2u', xterm: '\x1b[27;2;13~' } as const;
const CONTROL_I = { kitty: '\x1b[105;5u', xterm: '\x1b[27;5;105~' } as const;

async function started(kind: KeyTerminalKind, ask: string, words: readonly string[] = []): Promise<TerminalProgram> {
  const argv = ['-f', '/dev/null', ...words, 'new-session', '-s', 'keys', keyProgram(ask)];
  const client = asTerminal(world.attach(argv, { keepBytes: true }), kind);
  await client.until('ready');
  return client;
}

async function ended(client: TerminalProgram): Promise<void> {
  client.type('\x02d');
  await client.exit;
  expect(leftovers(client.screen.bytes)).toEqual([]);
  expect(firstLeak(client.screen.bytes)).toBeUndefined();
}

describe.each(['kitty', 'xterm'] as const)('at a terminal like %s', (kind) => {
  const on = kind === 'kitty' ? '\x1b[>5u' : '\x1b[>4;2m';

  it('Shift-Enter and C-i reach a program that speaks the kitty protocol', async () => {
    const client = await started(kind, '\\033[>1u');
    await untilWritten(client, on);
    client.type(SHIFT_ENTER[kind] + CONTROL_I[kind]);
    await client.until('ready ^[[13;2u^[[105;5u');
    client.type('\r\t');
    await client.until('^[[105;5u^M^I');
    await ended(client);
    const off = kind === 'kitty' ? '\x1b[<u' : '\x1b[>4m';
    const { bytes } = client.screen;
    expect(bytes.lastIndexOf(off)).toBeLessThan(bytes.lastIndexOf('\x1b[?1049l'));
    expect(bytes.split(on)).toHaveLength(2);
  });

  it('Shift-Enter and C-i reach a program that asks by modifyOtherKeys', async () => {
    const client = await started(kind, '\\033[>4;2m');
    await untilWritten(client, on);
    client.type(SHIFT_ENTER[kind] + CONTROL_I[kind]);
    await client.until('ready ^[[13;2u^[[105;5u');
    await ended(client);
  });

  it('they are Enter and Tab to a program that asks for nothing', async () => {
    const client = await started(kind, '', ['set-option', '-s', 'extended-keys', 'on', ';']);
    await untilWritten(client, on);
    client.type(`${SHIFT_ENTER[kind] + CONTROL_I[kind]}${kind === 'kitty' ? '\x1b[120;3u\x1b[27u' : '\x1b[27;3;120~'}`);
    await client.until(kind === 'kitty' ? 'ready ^M^I^[x^[' : 'ready ^M^I^[x');
    await ended(client);
  });
});

describe('at a terminal like kitty', () => {
  it('a key with Super is the program’s again as soon as a question has ended', async () => {
    const client = await started('kitty', '\\033[>1u');
    await untilWritten(client, '\x1b[>5u');
    const control = await Control.open(world.controlPath);
    await control.show({ kind: 'message', title: 'Asked' });
    await client.until('┏');
    client.type('\x1b[27u\x1b[97;9u');
    await client.until('ready ^[[97;9u');
    control.close();
  });

  it('prefix, bindings, prompts and dialogs work as ever', async () => {
    const client = await started('kitty', '\\033[>1u');
    await untilWritten(client, '\x1b[>5u');
    client.type('\x1b[98;5u:rename-window typed\x1b[13;2u');
    await client.until('0:typed*');
    client.type('\x1b[98;5uc');
    await client.until('1:');
    client.type('\x1b[98;5u\x1b[49;5u\x1b[98;5u&');
    await client.until('kill-window');
    client.type('\x1b[27u');
    await client.until((rows) => !rows.join('\n').includes('kill-window'), { name: 'the prompt gone' });
  });

  it('it tells as much as the program of the active pane asks for, and less while a prompt is up', async () => {
    const client = await started('kitty', '\\033[>15u');
    // At once, or where the terminal's answer came first, as a change.
    await untilWritten(client, /\x1b\[(?:>31|=31;1)u/);
    const before = client.screen.bytes.length;
    client.type('\x1b[98;5u:');
    await untilWritten(client, '\x1b[=5;1u', before);
    client.type('\x1b[27u');
    await untilWritten(client, '\x1b[=31;1u', before);
    client.type('\x1b[97:65;2;65u\x1b[97;1:3u');
    await client.until('ready ^[[97:65;2u^[[97;1:3u');
    await ended(client);
  });

  it('modifiers alone and media keys reach a program that asked for every key, between prefix and key too', async () => {
    const client = await started('kitty', '\\033[>11u');
    await untilWritten(client, /\x1b\[(?:>31|=31;1)u/);
    client.type('\x1b[57441;2u\x1b[57441;1:3u\x1b[57440u\x1b[57440;1:3u\x1b[57363u');
    await client.until('ready ^[[57441;2u^[[57441;1:3u^[[57440u^[[57440;1:3u^[[57363u');
    client.type('\x1b[98;5u\x1b[57441;2u\x1b[57441;1:3uc');
    await client.until('1:');
  });

  it('modifiers alone reach no program that did not ask for every key, media keys only one that speaks the protocol', async () => {
    const client = await started('kitty', '\\033[>1u');
    client.type('\x1b[57441;2u\x1b[57428u\x1b[57358ux');
    await client.until('ready ^[[57428ux');
    await world.output('respawn-pane', '-k', keyProgram(''));
    await client.until((rows) => rows[0] === 'ready');
    client.type('\x1b[57441;2u\x1b[57428uy');
    await client.until('ready y');
  });

  it('a release goes to the pane that got the press, never to another', async () => {
    const client = await started('kitty', '\\033[>3u');
    client.type('a\x1b[97;1:3u');
    await client.until('ready a^[[97;1:3u');
    // The prefix and the key after it are swallowed, with their releases.
    client.type('\x1b[98;5u\x1b[98;5:3uc\x1b[99;1:3u');
    await client.until('1:');
    client.type('\x1b[98;5u\x1b[98;5:3up\x1b[112;1:3u');
    await waitFor(async () => (await world.output('display-message', '-p', '#{window_index}')) === '0', {
      name: 'the first window',
    });
    client.type('z\x1b[122;1:3u');
    await client.until('ready a^[[97;1:3uz^[[122;1:3u');
  });

  it('a program asks for the keys as before after the server was killed', async () => {
    const client = await started('kitty', '\\033[>1u');
    const pid = await world.output('display-message', '-p', '#{pid}');
    process.kill(Number(pid), 'SIGKILL');
    await waitFor(async () => (await world.output('display-message', '-p', '#{pid}')) !== pid, {
      name: 'another server',
    });
    await waitFor(async () => (await world.output('list-clients')) !== '', { name: 'the client' });
    client.type('\x1b[13;2u');
    await client.until('ready ^[[13;2u');
    await ended(client);
  });

  it('SIGTERM and a server that goes away leave the keyboard as it was', async () => {
    for (const end of ['SIGTERM', 'kill-server']) {
      const client = await started('kitty', '\\033[>1u');
      await untilWritten(client, '\x1b[>5u');
      if (end === 'SIGTERM') client.kill('SIGTERM');
      else await world.call(['kill-server']);
      await client.exit;
      expect(leftovers(client.screen.bytes)).toEqual([]);
      await world.call(['kill-server']);
    }
  });

  it('they reach a program in a popup, then the pane below as it asked', async () => {
    const client = await started('kitty', '');
    await world.output('bind-key', 'P', 'display-popup', '-E', keyProgram('\\033[>1uin-popup-'));
    client.type('\x1b[98;5uP');
    await client.until('in-popup-ready');
    client.type('\x1b[13;2u\x1b[105;5u');
    await client.until('ready ^[[13;2u^[[105;5u');
    await world.output('display-popup', '-C');
    await client.until((rows) => !rows.join('').includes('in-popup'), { name: 'the popup gone' });
    client.type('\x1b[13;2u');
    await client.until('ready ^M');
    await ended(client);
  });

  it('another mplex inside gets the keys in full', async () => {
    const inner = `TERM=screen-256color exec ${process.execPath} ${MPLEX} -L inner -f /dev/null new-session "${keyProgram('\\\\033[>1u')}"`;
    const client = asTerminal(
      world.attach(['-f', '/dev/null', 'new-session', `unset TMUX MPLEX; ${inner}`], { keepBytes: true }),
      'kitty',
    );
    await client.until('ready');
    await untilWritten(client, '\x1b[>5u');
    const flags = async () =>
      (await world.call(['-L', 'inner', 'list-clients', '-F', '#{client_termfeatures}'])).stdout;
    await waitFor(async () => (await flags()).includes('extkeys'), { name: 'the keyboard of the inner client' });
    client.type('\x1b[13;2u');
    await client.until('ready ^[[13;2u');
    await world.call(['-L', 'inner', 'kill-server']);
  });
});

const HAS_TMUX = spawnSync('tmux', ['-V'], { encoding: 'utf8' }).stdout?.trim() === 'tmux 3.3a';

describe.skipIf(!HAS_TMUX)('in a pane of tmux 3.3a', () => {
  it('with its extended-keys on they reach a program that asked', async () => {
    const config = join(world.directory, 'tmux.conf');
    writeFileSync(config, "set -s extended-keys on\nset -as terminal-features 'xterm*:extkeys'\n");
    const tmux = ['tmux', '-S', join(world.directory, 'outer')];
    const inner = `exec ${process.execPath} ${MPLEX} -f /dev/null new-session "${keyProgram('\\033[>1u')}"`;
    const client = world.run([...tmux, '-f', config, 'new-session', `unset TMUX; ${inner}`], { keepBytes: true });
    await client.until('ready');
    await waitFor(
      async () => (await world.output('list-clients', '-F', '#{client_termfeatures}')).includes('extkeys'),
      {
        name: 'the keyboard of the client',
      },
    );
    // Nobody outside sees when tmux has heard what its pane asks for.
    await waitFor(
      () => {
        client.type('\x1b[27;2;13~');
        return client.screen.text().includes('^[[13;2u');
      },
      { name: 'Shift-Enter', onTimeout: () => client.screen.text() },
    );
    client.type('\x1b[27;5;9~');
    // It may go over the end of the row.
    await client.until((rows) => rows.join('').includes('^[[9;5u'));
    spawnSync(tmux[0]!, [...tmux.slice(1), 'kill-server']);
  });
});

describe('at a terminal that tells neither', () => {
  it('a binding sends Shift-Enter to a program that asked, and Enter to others', async () => {
    const client = await started('plain', '\\033[>1u', ['bind-key', '-n', 'M-Enter', 'send-keys', 'S-Enter', ';']);
    client.type('\x1b\r');
    await client.until('ready ^[[13;2u');
    await world.output('respawn-pane', '-k', keyProgram(''));
    await client.until((rows) => rows.some((row) => row === 'ready'), { name: 'the new program' });
    client.type('\x1b\r');
    await client.until('ready ^M');
    await ended(client);
  });

  it('nothing is switched on', async () => {
    const client = await started('plain', '\\033[>31u');
    await ended(client);
    expect(client.screen.bytes).not.toMatch(/\x1b\[[>=<]\d*(?:;\d*)?[um]/);
  });

  it('with kitty-keys off programs are not answered', async () => {
    const client = await started('kitty', '\\033[?u\\033[>1u', ['set-option', '-s', 'kitty-keys', 'off', ';']);
    client.type('\x1b[13;2u');
    await client.until('ready ^M');
    expect(client.screen.bytes).not.toContain('\x1b[>5u');
  });
});
