import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crashReports, stateDirectory, writeCrashReport } from '../../server/crash-report.ts';
import { fileLog } from '../../server/log.ts';

const NOW = new Date('2026-01-02T03:04:05.678Z');
let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mplex-log-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

const logAt = (path: string | undefined, maxBytes = 1000) => fileLog({ path, now: () => NOW, maxBytes });

describe('the log', () => {
  it('appends lines to a file of its owner alone', () => {
    const path = join(directory, 'log');
    const log = logAt(path);
    log.info('one');
    log.error('two', new Error('why'));
    expect(readFileSync(path, 'utf8')).toMatch(
      /^2026-01-02T03:04:05.678Z info one\n2026-01-02T03:04:05.678Z error two: Error: why\n/,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(log.fault).toBeUndefined();
  });

  it('begins another file when one is full, and keeps the one before', () => {
    const path = join(directory, 'log');
    const log = logAt(path, 500);
    for (let i = 0; i < 100; i++) log.info(`line ${i}`);
    expect(readdirSync(directory).sort()).toEqual(['log', 'log.1']);
    for (const name of ['log', 'log.1']) expect(statSync(join(directory, name)).size).toBeLessThan(600);
    expect(readFileSync(path, 'utf8')).toContain('line 99');
  });

  it('cuts a long entry', () => {
    const path = join(directory, 'log');
    logAt(path, 1 << 20).info('x'.repeat(1 << 20));
    expect(statSync(path).size).toBeLessThan(5000);
  });

  it.each<[string, (path: string) => void]>([
    ['a link', (path) => symlinkSync(join(directory, 'victim'), path)],
    ['a directory', (path) => mkdirSync(path)],
    ['a pipe without a reader', (path) => execFileSync('mkfifo', [path])],
  ])('does not write through %s, says so, and goes on', (_name, make) => {
    const victim = join(directory, 'victim');
    writeFileSync(victim, 'precious');
    const path = join(directory, 'log');
    make(path);
    const log = logAt(path);
    log.info('one');
    expect(log.fault).toMatch(/ELOOP|EISDIR|ENXIO|not a regular file/);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    rmSync(path, { recursive: true });
    log.info('two');
    expect(log.fault).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toContain('two');
  });

  it('keeps its newest entries in memory, also without a file', () => {
    const log = logAt(undefined);
    for (let i = 0; i < 500; i++) log.info(`line ${i}`);
    expect(log.recent()).toHaveLength(100);
    expect(log.recent().at(-1)).toMatch(/line 499$/);
  });
});

describe('a crash report', () => {
  const facts = {
    what: 'uncaught exception',
    error: new Error('why'),
    version: '1.2.3',
    now: NOW,
    uptimeS: 12.3,
    entries: ['entry one'],
    facts: ['memory: much'],
  };

  it('has the stack, the log and the facts, in a file of its owner alone', () => {
    const state = join(directory, 'deep/state');
    const path = writeCrashReport(state, { ...facts, pid: 7 });
    expect(path).toBe(join(state, 'crash-2026-01-02T03-04-05Z-7.txt'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(state).mode & 0o777).toBe(0o700);
    const text = readFileSync(path, 'utf8');
    for (const part of [
      'mplex 1.2.3: uncaught exception',
      'Error: why',
      'log.test.ts',
      'entry one',
      'memory: much',
      'after 12 s',
    ])
      expect(text).toContain(part);
  });

  it('is one of five at most; what else is there stays', () => {
    writeFileSync(join(directory, 'crash-not-ours.txt'), '');
    for (let pid = 1; pid <= 8; pid++)
      writeCrashReport(directory, { ...facts, now: new Date(NOW.getTime() + pid * 1000), pid });
    expect(crashReports(directory).map((path) => path.slice(-5))).toEqual([
      '4.txt',
      '5.txt',
      '6.txt',
      '7.txt',
      '8.txt',
    ]);
    expect(readdirSync(directory)).toContain('crash-not-ours.txt');
  });

  it('never replaces a file, and needs a place', () => {
    writeCrashReport(directory, { ...facts, pid: 7 });
    expect(() => writeCrashReport(directory, { ...facts, pid: 7 })).toThrow('EEXIST');
    expect(crashReports('/nonexistent')).toEqual([]);
    expect(stateDirectory({ XDG_STATE_HOME: '/s', HOME: '/h' })).toBe('/s/mplex');
    expect(stateDirectory({ HOME: '/h' })).toBe('/h/.local/state/mplex');
    expect(stateDirectory({ XDG_STATE_HOME: 'relative' })).toBeUndefined();
  });
});
