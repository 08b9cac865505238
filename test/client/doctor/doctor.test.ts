import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type DoctorProbe, examine, runDoctor } from '../../../client/doctor/doctor.ts';
import type { TerminalCapabilities } from '../../../protocol/message.ts';
import { VERSION } from '../../../protocol/version.ts';
import { FULL_TERMINAL } from '../../support/capabilities.ts';
import { World } from '../../support/program.ts';

const CAPABILITIES: TerminalCapabilities = { ...FULL_TERMINAL, name: 'XTerm(390)', extendedKeys: true };

/** A machine where all is well, but for what is given. */
function probe(change: Partial<DoctorProbe> = {}): DoctorProbe {
  return {
    env: { TERM: 'xterm-256color', LANG: 'en_US.UTF-8', HOME: '/home/me' },
    nodeVersion: '22.1.0',
    platform: 'linux',
    terminal: async () => ({ kind: 'answered', capabilities: CAPABILITIES }),
    server: async () => ({ kind: 'answered', version: VERSION, checks: [] }),
    socketPath: () => '/tmp/mplex-1/default',
    read: () => 'Max open files            4096                 4096                 files\n',
    exists: (path) => path.endsWith('/tmux-256color'),
    openPty: () => {},
    hasNodePty: () => true,
    crashReports: () => [],
    ...change,
  };
}

const fails = (message: string) => () => {
  throw new Error(message);
};

describe('mplex doctor', () => {
  it('passes a machine where all is well, and exits with 0', async () => {
    let said = '';
    const code = await runDoctor([], probe(), {
      stdout: { write: (text) => (said += text) },
      stderr: { write: fails('') },
    });
    expect(said).not.toMatch(/^(?:warn|fail)/m);
    expect(said).toMatch(
      /^pass {2}terminal {4}XTerm\(390\) \(xterm-256color\), true colour, with synchronised output$/m,
    );
    expect(code).toBe(0);
  });

  it.each<[string, string, string, Partial<DoctorProbe>]>([
    ['terminal', 'fail', 'TERM is not set', { env: {} }],
    ['terminal', 'warn', 'not a terminal', { terminal: async () => ({ kind: 'none' }) }],
    [
      'terminal',
      'warn',
      'answers no questions',
      { terminal: async () => ({ kind: 'silent', capabilities: CAPABILITIES }) },
    ],
    [
      'clipboard',
      'warn',
      'OSC 52',
      { terminal: async () => ({ kind: 'answered', capabilities: { ...CAPABILITIES, clipboard: false } }) },
    ],
    [
      'keys',
      'warn',
      'C-i is Tab',
      { terminal: async () => ({ kind: 'answered', capabilities: { ...CAPABILITIES, extendedKeys: false } }) },
    ],
    ['terminfo', 'warn', 'screen-256color', { exists: (path) => path.endsWith('/73/screen-256color') }],
    ['terminfo', 'fail', 'no entry', { exists: () => false }],
    ['locale', 'warn', 'LC_ALL=C', { env: { TERM: 'xterm', LC_ALL: 'C', LANG: 'en_US.UTF-8' } }],
    ['locale', 'warn', 'none set', { env: { TERM: 'xterm' } }],
    ['node', 'fail', '20.18.3', { nodeVersion: '20.18.3' }],
    ['libc', 'fail', 'musl', { read: () => '7f /lib/ld-musl-x86_64.so.1\n' }],
    ['pty', 'fail', 'ENOSPC', { openPty: fails('ENOSPC') }],
    ['pty', 'fail', 'node-pty', { hasNodePty: () => false }],
    ['limits', 'warn', 'descriptors: 256', { read: () => 'Max open files            256   256  files\n' }],
    ['socket', 'fail', 'unsafe permissions', { socketPath: fails('directory /x has unsafe permissions') }],
    ['crashes', 'warn', '/s/crash-2.txt', { crashReports: () => ['/s/crash-1.txt', '/s/crash-2.txt'] }],
    ['server', 'pass', 'none runs', { server: async () => ({ kind: 'absent', message: 'no server' }) }],
    ['server', 'warn', 'forbidden', { server: async () => ({ kind: 'refused', message: 'forbidden' }) }],
    ['version', 'warn', '9.9', { server: async () => ({ kind: 'answered', version: '9.9', checks: [] }) }],
    [
      'descriptors',
      'warn',
      '900 of 1000',
      {
        server: async () => ({
          kind: 'answered',
          version: VERSION,
          checks: [{ name: 'descriptors', status: 'warn', text: '900 of 1000', advice: 'raise it' }],
        }),
      },
    ],
  ])('has a line for %s: %s, %s', async (name, status, text, change) => {
    const checks = await examine(probe(change));
    const found = checks.find((check) => check.name === name && check.status === status);
    expect(found, JSON.stringify(checks)).toBeDefined();
    expect(found?.text).toContain(text);
    if (status !== 'pass') expect(found?.advice).toMatch(/\S/);
  });

  it('exits with 1 when a check failed, and with 2 for a wrong argument', async () => {
    const io = { stdout: { write: () => {} }, stderr: { write: () => {} } };
    expect(await runDoctor([], probe({ hasNodePty: () => false }), io)).toBe(1);
    expect(await runDoctor(['--nonsense'], probe(), io)).toBe(2);
  });
});

describe('mplex doctor on this machine', () => {
  let world: World;

  afterEach(() => world.close());

  it('looks at the terminal, the machine, the server and its crash reports', async () => {
    world = new World();
    const state = join(world.directory, 'state/mplex');
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'crash-2026-01-02T03-04-05Z-77.txt'), 'x');
    await world.output('-f', '/dev/null', 'new-session', '-d', 'exec cat');
    const terminal = world.attach(['doctor'], { size: { cols: 200, rows: 40 } });
    expect(await terminal.exit).toMatchObject({ code: 0 });
    await terminal.screen.settled();
    for (const line of [
      /^pass {2}terminal .*xterm-256color/m,
      /^pass {2}pty /m,
      /^warn {2}crashes .*crash-2026-01-02T03-04-05Z-77\.txt/m,
      /^pass {2}server .*1 panes, 0 clients/m,
      /^pass {2}sockets .*0600/m,
      /^pass {2}pty host .*connected/m,
      /^pass {2}descriptors /m,
    ])
      expect(terminal.screen.text()).toMatch(line);
    const { stdout } = await world.call(['doctor', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      checks: expect.arrayContaining([{ name: 'log', status: 'pass', text: 'no fault' }]),
    });
  });
});
