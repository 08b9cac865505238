/** Programs that drive tmux, as their users have them: shell scripts here, and packages where they are installed. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MPLEX } from '../support/program.ts';
import { OWN_KEYS } from './own-keys.ts';
import { hasReference, MplexSide, runProgram, type Side, Sides } from './sides.ts';
import { FINAL_CALLS, STATE_CALL, stateDifferences } from './state.ts';

const PROGRAMS = join(import.meta.dirname, 'programs');
const SHIM = resolve(dirname(MPLEX), '../shim');
/** Scripts that drive a program of another package, and its name or where it is. */
const NEEDS: Readonly<Record<string, string>> = {
  'byobu.sh': 'byobu',
  'fzf-tmux.sh': 'fzf-tmux',
  'tmuxinator.sh': 'tmuxinator',
  'tpm.sh': '/usr/share/tmux-plugin-manager/tpm',
};

function isThere(script: string): boolean {
  const needed = NEEDS[script];
  const folders = needed?.startsWith('/') ? ['/'] : (process.env.PATH ?? '').split(':');
  const has = needed === undefined || folders.some((folder) => existsSync(join(folder, needed)));
  if (!has) console.log(`no ${needed} here: ${script} is skipped`);
  return has;
}

/** With the program under its usual name first on PATH. */
function environ(side: Side): Record<string, string> {
  const path = side instanceof MplexSide ? `${SHIM}:${side.env.PATH}` : (side.env.PATH ?? '');
  return { ...side.env, PATH: path };
}

describe.skipIf(!hasReference())('programs that drive tmux find with mplex what they find with tmux', () => {
  let sides: Sides;
  beforeEach(async () => {
    sides = new Sides();
    await sides.start(['new-session', '-d', '-s', 'keep', '-n', 'w', '-x', '80', '-y', '24', 'cat']);
    await sides.each((side) => side.call(['set-option', '-s', 'default-terminal', 'screen']));
    // Windows would take their names from programs at moments of their own.
    await sides.each((side) => side.call(['set-option', '-gw', 'automatic-rename', 'off']));
  });
  afterEach(() => sides.stop());

  const scripts = readdirSync(PROGRAMS).filter((name) => name !== 'waits.sh');
  it.each(scripts.filter(isThere))('%s', { timeout: 90_000 }, async (script) => {
    const answers = await sides.each(async (side) => {
      const argv = ['/bin/sh', join(PROGRAMS, script)] as const;
      const { code, stdout, stderr } = await runProgram(argv, { cwd: side.home, env: environ(side) });
      return { code, stdout: side.normalise(stdout), stderr: side.normalise(stderr) };
    });
    expect(answers[1]?.answer).toEqual(answers[0]?.answer);
    for (const argv of [STATE_CALL, ...FINAL_CALLS.slice(0, 3), ['list-keys']]) {
      // Programs that the script has left end at moments of their own.
      await vi.waitFor(
        async () => {
          const [tmux = '', mplex = ''] = (await sides.each((side) => listed(side, argv))).map(({ answer }) => answer);
          if (argv === STATE_CALL) expect(stateDifferences(tmux, mplex)).toEqual([]);
          else expect({ argv, lines: mplex.split('\n') }).toEqual({ argv, lines: tmux.split('\n') });
        },
        { timeout: 5000, interval: 50 },
      );
    }
  });
});

async function listed(side: Side, argv: readonly string[]): Promise<string> {
  const { stdout, stderr } = await side.call(argv);
  const lines = side.normalise(stdout + stderr).split('\n');
  return (
    lines
      .filter((line) => !OWN_KEYS.test(line))
      .map((line) => line.replace(/ +/g, ' '))
      // socket-removed, in the list of what is allowed.
      .map((line) => line.replace(/^(no server running on|error connecting to) .*/, 'no server'))
      .join('\n')
  );
}
