/** Programs from Debian's packages that drive tmux, given mplex under its name. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MPLEX } from '../support/program.ts';
import { hasReference, MplexSide, runProgram, type Side, Sides } from './sides.ts';

const CLIENTS = join(import.meta.dirname, 'clients');
const SHIM = resolve(dirname(MPLEX), '../shim');
/** Debian's Python, which finds Debian's packages. */
const PYTHON = '/usr/bin/python3';
const TMUXP = '/usr/bin/tmuxp';

function has(what: string, path: string): boolean {
  if (!existsSync(path)) console.log(`no ${what} here: its tests are skipped`);
  return existsSync(path);
}

const hasLibtmux = hasReference() && has('python3-libtmux', '/usr/lib/python3/dist-packages/libtmux');
const hasTmuxp = hasReference() && has('tmuxp', TMUXP);

function environ(side: Side): Record<string, string> {
  const path = side instanceof MplexSide ? `${SHIM}:${side.env.PATH}` : side.env.PATH;
  return { ...side.env, PATH: path ?? '', TMUXP_CONFIGDIR: side.home };
}

async function socketOf(side: Side): Promise<string> {
  return (await side.call(['display-message', '-p', '#{socket_path}'])).stdout.trim();
}

let sides: Sides;
beforeEach(async () => {
  sides = new Sides();
  await sides.start(['new-session', '-d', '-s', 'keep', '-x', '80', '-y', '24', 'cat']);
  await sides.each((side) => side.call(['set-option', '-gw', 'automatic-rename', 'off']));
});
afterEach(() => sides.stop());

describe.skipIf(!hasLibtmux)('libtmux', () => {
  it('drives sessions, windows, panes, options and hooks and finds what it finds with tmux', {
    timeout: 60_000,
  }, async () => {
    const told = await sides.each(async (side) => {
      const argv = [PYTHON, join(CLIENTS, 'libtmux_session.py'), await socketOf(side)] as const;
      const { code, stdout, stderr } = await runProgram([...argv], { cwd: side.home, env: environ(side) });
      return { code, stdout: side.normalise(stdout), stderr: side.normalise(stderr) };
    });
    expect(told[0]?.answer.code).toBe(0);
    expect(told[1]?.answer).toEqual(told[0]?.answer);
  });
});

describe.skipIf(!hasLibtmux)("libtmux's methods", () => {
  it('are all called, and each gives what it gives with tmux', { timeout: 120_000 }, async () => {
    const told = await sides.each(async (side) => {
      const argv = [PYTHON, join(CLIENTS, 'libtmux_api.py'), await socketOf(side)] as const;
      const { code, stdout, stderr } = await runProgram([...argv], { cwd: side.home, env: environ(side) });
      return { code, lines: side.normalise(stdout).split('\n'), stderr: side.normalise(stderr) };
    });
    expect(told[0]?.answer.lines.at(-2)).toBe('not called []');
    expect(told[1]?.answer).toEqual(told[0]?.answer);
  });
});

describe.skipIf(!hasTmuxp)('tmuxp', () => {
  const SESSIONS = ['small', 'with-options', 'layouts'];
  it.each([
    ['tmuxp-small.yaml', 0],
    ['tmuxp-options.yaml', 1],
    ['tmuxp-layout.json', 2],
  ])('loads %s as with tmux', { timeout: 60_000 }, async (file, index) => {
    const session = SESSIONS[index] ?? '';
    const answers = await sides.each(async (side) => {
      const socket = await socketOf(side);
      const argv = [TMUXP, 'load', '-d', '-S', socket, join(CLIENTS, file)] as const;
      const { code, stdout } = await runProgram([...argv], { cwd: side.home, env: environ(side) });
      const windows = await side.call([
        'list-windows',
        '-t',
        session,
        '-F',
        '#{window_index} #{window_name} #{window_panes} #{window_active} #{window_layout}',
      ]);
      const panes = await side.call([
        'list-panes',
        '-s',
        '-t',
        session,
        '-F',
        '#{window_index}.#{pane_index} #{pane_active} #{pane_start_path}',
      ]);
      const options = await side.call(['show-options', '-t', session]);
      const environment = await side.call(['show-environment', '-t', session]);
      const shown = [windows, panes, options, environment].map((answer) =>
        side.normalise(answer.stdout + answer.stderr),
      );
      return { code, stdout: side.normalise(stdout), shown };
    });
    expect(answers[0]?.answer.code).toBe(0);
    expect(answers[1]?.answer).toEqual(answers[0]?.answer);
  });
});
