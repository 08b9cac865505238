import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GAP_MS, HOLD_MS, Journal, SETTLE_MS } from '../../../server/journal/journal.ts';
import type { JournalHead } from '../../../server/journal/journal-model.ts';
import { openRecord } from '../../../server/journal/journal-record.ts';
import type { Pane } from '../../../server/model/pane.ts';
import { ModelServer } from '../../support/model-server.ts';

let base = '';
let server: ModelServer;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'mplex-journal-'));
  server = new ModelServer({ defaultKeys: false });
  await server.run('new-session', '-d', '-s', 'main');
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const path = () => join(base, 'journal');

function startJournal(at: string = path()): Journal {
  const { registry, clock } = server;
  const journal = new Journal({
    registry,
    path: () => at,
    noPath: 'no place',
    owner: { pid: 1, started: '1', boot: 'b', host: 'h' },
    parsedTo: () => 0,
    workingDirectory: () => '/tmp',
    foreground: () => ({ argv: ['vim', 'secret.txt'], isLeader: false }),
    allowed: () => registry.serverOptions.strings('resurrect-commands'),
    now: () => clock.now,
    after: clock.delay,
    log: { info: () => {}, error: () => {} },
  });
  journal.start();
  return journal;
}

function head(): JournalHead | undefined {
  if (!existsSync(join(path(), 'head'))) return undefined;
  const opened = openRecord('head', readFileSync(join(path(), 'head')));
  // Written by the journal under test.
  return opened.ok ? (JSON.parse(opened.payload.toString('utf8')) as JournalHead) : undefined;
}

const names = () => head()?.sessions.map(({ name }) => name);

function panes(): Pane[] {
  return [...server.registry.panes.values()];
}

function print(journal: Journal, pane: Pane, text: string): void {
  pane.emulator.write(Buffer.from(text));
  journal.parsed(pane);
}

const messages = () => server.registry.messages.lasting.map(({ text }) => text);

/** Lets time pass and waits for what was begun meanwhile. */
async function pass(journal: Journal, ms: number): Promise<void> {
  server.clock.advance(ms);
  await journal.flush();
}

describe('the journal', () => {
  it('is written a moment after a change, and what comes then in one go', async () => {
    const journal = startJournal();
    expect(server.clock.waiting).toBeGreaterThan(0);
    await pass(journal, SETTLE_MS);
    expect(names()).toEqual(['main']);
    expect(head()?.serial).toBe(1);
    for (const name of ['a', 'b', 'c']) await server.run('new-session', '-d', '-s', name);
    server.clock.advance(GAP_MS - 1);
    expect(names()).toEqual(['main']);
    await pass(journal, 1);
    expect(names()).toEqual(['main', 'a', 'b', 'c']);
    expect(head()?.serial).toBe(2);
    await pass(journal, 10 * GAP_MS);
    expect(head()?.serial).toBe(2);
  });

  it('tells a program by its name, its command line only where that may run again', async () => {
    const journal = startJournal();
    await pass(journal, SETTLE_MS);
    expect(head()?.panes[0]).toMatchObject({ program: 'vim', cwd: '/tmp' });
    expect(JSON.stringify(head())).not.toContain('secret');
    await server.run('set-option', '-s', 'resurrect-commands', 'vim');
    print(journal, panes()[0] as Pane, 'x');
    await pass(journal, GAP_MS);
    expect(head()?.panes[0]).toMatchObject({ command: ['vim', 'secret.txt'] });
  });

  it('is not written while resurrect is off, and goes when that is set', async () => {
    const journal = startJournal();
    await pass(journal, SETTLE_MS);
    await server.run('set-option', '-s', 'resurrect', 'off');
    await pass(journal, GAP_MS);
    expect(existsSync(path())).toBe(false);
    await server.run('new-session', '-d', '-s', 'more');
    await pass(journal, 10 * GAP_MS);
    expect(existsSync(path())).toBe(false);
    await server.run('set-option', '-s', 'resurrect', 'on');
    await pass(journal, GAP_MS);
    expect(names()).toEqual(['main', 'more']);
  });

  it('keeps what was there when programs are killed and the server ends, and goes on when it does not', async () => {
    const journal = startJournal();
    await pass(journal, SETTLE_MS);
    await server.run('new-session', '-d', '-s', 'other');
    await pass(journal, GAP_MS);
    server.ptys.ptys.at(-1)?.emitExit({ signal: 'SIGHUP' });
    expect([...server.registry.sessions.values()].map(({ name }) => name)).toEqual(['main']);
    await pass(journal, GAP_MS);
    expect(names()).toEqual(['main', 'other']);
    await journal.end({ keep: false });
    expect(names()).toEqual(['main', 'other']);
    const next = startJournal();
    server.clock.advance(HOLD_MS);
    await pass(next, GAP_MS);
    expect(names()).toEqual(['main']);
  });

  it('ends with the last state where that is to come back, else with nothing', async () => {
    const journal = startJournal();
    await journal.end({ keep: true });
    expect(names()).toEqual(['main']);
    const next = startJournal();
    await pass(next, SETTLE_MS);
    await next.end({ keep: false });
    expect(existsSync(path())).toBe(false);
    await server.run('new-session', '-d', '-s', 'late');
    await pass(next, 10 * GAP_MS);
    expect(existsSync(path())).toBe(false);
  });

  it('holds no more text than its limit, and none at 0', async () => {
    for (let i = 0; i < 3; i++) await server.run('split-window', '-t', 'main');
    const journal = startJournal();
    const limit = 1 << 20;
    await server.run('set-option', '-s', 'journal-bytes-limit', String(limit));
    const noise = Array.from(
      { length: 9000 },
      (_, i) => `${(i * 7919).toString(36)} ${(i * 104_729).toString(36)}`,
    ).join('\r\n');
    for (const pane of panes()) print(journal, pane, noise);
    await pass(journal, GAP_MS);
    const bytes = () =>
      readdirSync(path())
        .filter((name) => name.startsWith('p'))
        .reduce((sum, name) => sum + statSync(join(path(), name)).size, 0);
    expect(head()?.files.length).toBeGreaterThan(3);
    expect(bytes()).toBeLessThan(limit * 1.1);
    await server.run('set-option', '-s', 'journal-bytes-limit', '0');
    for (const pane of panes()) print(journal, pane, 'more');
    await pass(journal, GAP_MS);
    expect(head()?.files).toEqual([]);
    expect(names()).toEqual(['main']);
    expect(readdirSync(path()).sort()).toEqual(['head', 'head.old']);
  });

  it('that cannot be written says so once, tries again, and says when it can', async () => {
    writeFileSync(path(), 'in the way');
    const journal = startJournal();
    await pass(journal, SETTLE_MS);
    await server.run('new-window', '-t', 'main');
    await pass(journal, 120_000);
    expect(messages().filter((text) => text.startsWith('sessions are not kept on disk: /'))).toHaveLength(1);
    rmSync(path());
    await pass(journal, 120_000);
    expect(names()).toEqual(['main']);
    expect(messages()).toContain('sessions are kept on disk again');
  });

  it('says why where there is no place for it, and only where it is wanted', async () => {
    await server.run('set-option', '-s', 'resurrect', 'off');
    startJournal(join(base, 'x')).changed();
    const { registry } = server;
    new Journal({
      registry,
      path: undefined,
      noPath: 'no place',
      owner: { pid: 1, started: '', boot: '', host: '' },
      parsedTo: () => 0,
      workingDirectory: () => undefined,
      foreground: () => undefined,
      allowed: () => [],
      now: () => 0,
      after: () => () => {},
      log: { info: () => {}, error: () => {} },
    }).start();
    expect(messages()).toEqual([]);
    await server.run('set-option', '-s', 'resurrect', 'ask');
    expect(messages()).toEqual(['sessions are not kept on disk: no place']);
  });
});
