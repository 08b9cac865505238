import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { afterProfile, doesSystemProfile, setsPathAnew, withFolders } from '../../../server/panes/pane-path.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const folders = { shim: `${ROOT}/shim`, bin: `${ROOT}/bin` };

describe('PATH in a pane', () => {
  it('begins with the shim and ends with mplex, each once', () => {
    expect(withFolders('/a:/b', { shim: '/s', bin: '/m' })).toBe('/s:/a:/b:/m');
    expect(withFolders('/m:/a:/s:/b', { shim: '/s', bin: '/m' })).toBe('/s:/a:/b:/m');
    expect(withFolders('/a', { shim: undefined, bin: '/m' })).toBe('/a:/m');
    expect(withFolders('', { shim: '/s', bin: '/m' })).toBe('/s:/usr/local/bin:/usr/bin:/bin:/m');
  });
});

describe('a profile', () => {
  it.each([
    ['PATH="/usr/bin:/bin"', true],
    ['if true; then\n  export PATH=/usr/bin\nfi', true],
    ['PATH=$PATH:/opt/bin', false],
    ['export PATH="/opt/bin:${PATH}"', false],
    ['# PATH=/usr/bin', false],
    ['MANPATH=/usr/share/man', false],
  ])('%j sets PATH anew: %s', (text, expected) => {
    expect(setsPathAnew(text)).toBe(expected);
  });

  it('that is not there sets nothing', () => {
    expect(doesSystemProfile('/nowhere/profile')).toBe(false);
  });
});

describe('after a profile that set PATH anew', () => {
  /** Where an interactive shell finds `tmux` and `mplex`, when it starts with a PATH that lacks both. */
  function found(shell: string, own: Record<string, string> = {}): string {
    return execFileSync(shell, ['-i'], {
      input: 'PATH=$PATH:/late\ncommand -v tmux; command -v mplex; echo "$PATH"\nexit\n',
      env: { ...own, ...afterProfile(own, folders), PATH: '/usr/bin:/bin', PS1: '', HOME: '/nowhere' },
      stdio: ['pipe', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
  }
  const both = `${folders.shim}/tmux\n${folders.bin}/mplex\n${folders.shim}:/usr/bin:/bin:${folders.bin}:/late\n`;

  it('sh finds both again, and what is added later stays where it is', () => {
    expect(found('/bin/sh')).toBe(both);
  });

  it.skipIf(!existsSync('/bin/bash'))('bash finds both again, and what is added later stays where it is', () => {
    expect(found('/bin/bash')).toBe(both);
  });

  it("leaves a person's own ENV and PROMPT_COMMAND alone", () => {
    expect(afterProfile({ ENV: '/home/me/.shrc', PROMPT_COMMAND: 'date' }, folders)).toEqual({});
    expect(afterProfile({ ENV: '' }, folders)).not.toHaveProperty('ENV');
  });
});
