import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planSpawn } from '../../../server/pty-host/spawn-plan.ts';

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'mplex-plan-'));
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'bin', 'tool'), '#!/bin/sh\n');
  chmodSync(join(directory, 'bin', 'tool'), 0o755);
  writeFileSync(join(directory, 'bin', 'text'), 'no program\n');
});

afterAll(() => rmSync(directory, { recursive: true }));

function plan(argv: string[], options: { env?: string[]; cwd?: string } = {}) {
  return planSpawn({ argv, env: options.env ?? [`PATH=${directory}/bin`], cwd: options.cwd ?? directory });
}

function refusal(argv: string[], options: { env?: string[] } = {}): string | undefined {
  const result = plan(argv, options);
  return result.kind === 'refused' ? result.message : undefined;
}

describe('planSpawn', () => {
  it('starts a program of PATH in the directory asked for, with PWD saying so', () => {
    expect(plan(['tool', 'x'], { env: ['PATH=/nowhere:bin', 'PWD=/old', 'A=1'] })).toEqual({
      kind: 'ready',
      file: 'tool',
      args: ['x'],
      env: ['PATH=/nowhere:bin', 'A=1', `PWD=${directory}`],
      cwd: directory,
    });
  });

  it('falls back to HOME, then to the root, where the directory is missing', () => {
    const gone = join(directory, 'gone');
    const path = `PATH=${directory}/bin`;
    expect(plan(['tool'], { cwd: gone, env: [path, `HOME=${directory}/bin`] })).toMatchObject({
      cwd: `${directory}/bin`,
    });
    expect(plan(['tool'], { cwd: gone, env: [path, `HOME=${gone}`] })).toMatchObject({ cwd: '/' });
    expect(plan(['tool'], { cwd: join(directory, 'bin', 'text'), env: [path] })).toMatchObject({ cwd: '/' });
    expect(plan(['tool'], { cwd: 'bin', env: [path] })).toMatchObject({ cwd: '/' });
  });

  it('says why a program cannot be run', () => {
    expect(refusal([])).toBe("can't run: no command");
    expect(refusal(['nosuch'])).toBe("can't run nosuch: command not found");
    expect(refusal(['./nosuch'])).toBe("can't run ./nosuch: no such file or directory");
    expect(refusal(['text'])).toBe("can't run text: permission denied");
    expect(refusal(['./bin'])).toBe("can't run ./bin: is a directory");
    expect(refusal(['bin/../bin/text/x'])).toBe("can't run bin/../bin/text/x: no such file or directory");
  });

  it('looks in the usual directories where PATH is unset', () => {
    expect(refusal(['sh'], { env: [] })).toBeUndefined();
  });

  it('refuses what execve would', () => {
    expect(refusal(['tool', 'x'.repeat(200_000)])).toBe("can't run tool: argument list too long");
    const many = Array.from({ length: 40 }, () => 'y'.repeat(60_000));
    expect(refusal(['tool', ...many])).toBe("can't run tool: argument list too long");
    expect(refusal(['tool', 'a\0b'])).toBe("can't run tool: NUL character in an argument or variable");
  });
});
