/** What containers lack: a user with a name, a home, a locale, ps, a PATH, a directory that can be written. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MPLEX, type TerminalProgram, World, waitFor } from '../support/program.ts';

const UID = 12_345;
const IS_ROOT = process.getuid?.() === 0;
/** Root takes on a user that no passwd knows; anybody else stays who he is. */
const AS_NOBODY = IS_ROOT
  ? ['setpriv', '--reuid', String(UID), '--regid', String(UID), '--clear-groups', '--inh-caps=-all']
  : [];
const OWN_UID = IS_ROOT ? UID : (process.getuid?.() ?? 0);
const CAN_READ = isReadable();

function isReadable(): boolean {
  const [file = process.execPath, ...args] = [...AS_NOBODY, process.execPath, MPLEX, '-V'];
  const found = spawnSync(file, args, { cwd: '/', env: {} }).status === 0;
  if (!found) console.warn(`skipped: a user without a name can't run ${MPLEX} here`);
  return found;
}

let world: World;

beforeEach(() => {
  world = new World();
  if (IS_ROOT) chownSync(world.directory, UID, UID);
});

afterEach(() => world.close());

interface Place {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

function command({ env = {} }: Place, argv: readonly string[]): string[] {
  const variables = Object.entries({ MPLEX_TMPDIR: world.directory, ...env }).map(
    ([name, value]) => `${name}=${value}`,
  );
  return [...AS_NOBODY, '/usr/bin/env', '-i', ...variables, process.execPath, MPLEX, ...argv];
}

/** A call in an environment of nothing but what is given. */
function call(place: Place, ...argv: string[]): { code: number | null; stdout: string; stderr: string } {
  const [file = '', ...args] = command(place, argv);
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', cwd: place.cwd ?? world.directory });
  return { code: status, stdout, stderr };
}

function attach(place: Place, ...argv: string[]): TerminalProgram {
  return world.run(command(place, argv));
}

describe.skipIf(!CAN_READ)('in a container', () => {
  it('without a name, a home, a shell, a locale or a PATH a session runs and shows what it should', async () => {
    const client = attach({ env: { TERM: 'xterm-256color' } }, 'new-session', '-s', 'bare');
    await client.until(/^[$#]/m);
    client.type('printf \'%s|%s|%s|\\n\' "$HOME" "$LANG" "$SHELL"; printf \'caf\\303\\251 \\346\\274\\242\\n\'\r');
    await client.until('café 漢');
    await client.until('||/bin/sh|');
    client.press('C-b c');
    await client.until('1:sh*');
    client.press('C-b d');
    expect((await client.exit).code).toBe(0);
    expect(call({}, 'list-windows', '-F', '#{window_index} #{pane_current_command}')).toEqual({
      code: 0,
      stdout: '0 sh\n1 sh\n',
      stderr: '',
    });
  });

  it('without ps or anything else in PATH it knows what runs in a pane, and where', async () => {
    const place = { env: { PATH: '/nonexistent' } };
    expect(call(place, 'new-session', '-d', '-s', 'bare', '/bin/sh').code).toBe(0);
    expect(call(place, 'send-keys', '-t', 'bare', 'cd /usr; /bin/sleep 1000', 'Enter').code).toBe(0);
    await waitFor(
      () =>
        call(place, 'display-message', '-p', '-t', 'bare', '#{pane_current_command} #{pane_current_path}').stdout ===
        'sleep /usr\n',
      { name: 'sleep in /usr' },
    );
    expect(call(place, 'run-shell', 'exit 3').code).toBe(3);
  });

  it('in a directory that can only be read, and in one that is gone, it starts', () => {
    const closed = join(world.directory, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o555);
    expect(call({ cwd: closed }, 'new-session', '-d', '-s', 'one', '-P', '-F', '#{pane_start_path}')).toEqual({
      code: 0,
      stdout: `${closed}\n`,
      stderr: '',
    });
    const gone = mkdtempSync(join(world.directory, 'gone-'));
    const [file = '', ...args] = command({}, ['new-session', '-d', '-s', 'two', '-P', '-F', '#{session_name}']);
    const quoted = [file, ...args].map((word) => `'${word}'`).join(' ');
    const { status, stdout } = spawnSync('/bin/sh', ['-c', `cd '${gone}' && rmdir '${gone}' && ${quoted}`], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, 'two\n']);
    expect(() => rmdirSync(gone)).toThrow();
  });

  it('with a socket directory that can not be written it says so in one line and exits with 1', () => {
    const directory = join(world.directory, 'root-only');
    mkdirSync(directory);
    chmodSync(directory, 0o555);
    if (IS_ROOT) chownSync(directory, 0, 0);
    expect(call({ env: { MPLEX_TMPDIR: directory } }, 'new-session', '-d')).toEqual({
      code: 1,
      stdout: '',
      stderr: `couldn't create directory ${directory}/mplex-${OWN_UID} (Permission denied)\n`,
    });
    const own = join(world.directory, 'own');
    expect(call({}, '-S', join(directory, 'socket'), 'new-session', '-d')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error creating ${directory}/socket (Permission denied)\n`,
    });
    expect(call({}, '-S', own, '-f', '/dev/null', 'new-session', '-d').code).toBe(0);
    expect(statSync(own).mode & 0o777).toBe(0o600);
    expect(call({}, '-S', own, 'kill-server').code).toBe(0);
  });

  it('with a socket directory of somebody else it refuses to use it', () => {
    if (!IS_ROOT) {
      console.warn('skipped: only root can give a directory to somebody else');
      return;
    }
    const directory = join(world.directory, `mplex-${UID}`);
    mkdirSync(directory, { mode: 0o700 });
    expect(call({}, 'new-session', '-d')).toEqual({
      code: 1,
      stdout: '',
      stderr: `directory ${directory} belongs to somebody else (uid 0)\n`,
    });
  });

  it('without TERM the terminal is still served', async () => {
    const client = attach({}, 'new-session', '-s', 'bare', 'echo shown; exec cat');
    await client.until('shown');
    client.press('C-b d');
    expect((await client.exit).code).toBe(0);
  });
});
