import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JournalDirectory } from '../../../server/journal/journal-directory.ts';
import type { JournalHead } from '../../../server/journal/journal-model.ts';
import type { JournalOwner } from '../../../server/journal/journal-owner.ts';
import { ownOwner } from '../../../server/journal/journal-owner.ts';
import {
  findJournals,
  isJournalName,
  journalName,
  KEPT_MAX,
  readFiles,
} from '../../../server/journal/kept-journals.ts';
import { journalHead } from '../../support/journal-head.ts';

const OWN: JournalOwner = { pid: 2, started: '1', boot: 'this one', host: 'here' };
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mplex-journal-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const nameAt = (minute: number) => journalName(new Date(Date.UTC(2026, 0, 1, 0, minute)), 7);

/** Writes heads one after the other, each with a file of its own. */
async function write(name: string, ...heads: readonly Partial<JournalHead>[]): Promise<JournalDirectory> {
  const directory = new JournalDirectory(join(folder, name));
  for (const [at, change] of heads.entries()) {
    const files = [['pane/0/screen', `p0-${at}`]] as const;
    const head = journalHead({ serial: at + 1, time: at, files, ...change });
    await directory.commit({
      head: Buffer.from(JSON.stringify(head)),
      files: new Map([[`p0-${at}`, Buffer.from(`text ${at}`)]]),
      named: new Set([`p0-${at}`]),
    });
  }
  return directory;
}

const find = () => findJournals(folder, { own: OWN, except: nameAt(59) });

describe('journals in a folder', () => {
  it('are found newest first, with the files that their heads name', async () => {
    await write(nameAt(1), {});
    await write(nameAt(2), {}, {}, {});
    const { journals, faults } = await find();
    expect(journals.map(({ head }) => head.serial)).toEqual([3, 1]);
    expect(faults).toEqual([]);
    const [newest] = journals;
    if (!newest) throw new Error('none');
    expect([...(await readFiles(newest, () => {}))]).toEqual([['pane/0/screen', Buffer.from('text 2')]]);
    // Of the head before the files are there, too; of the one before that they are not.
    expect(readdirSync(newest.directory.path).sort()).toEqual(['head', 'head.old', 'p0-1', 'p0-2']);
  });

  it('of this server, of a living one and of nobody are not offered; of another host they are marked', async () => {
    await write(nameAt(59), {});
    await write(nameAt(1), { owner: ownOwner() });
    await write(nameAt(2), { owner: { ...OWN, host: 'a container' } });
    const { journals } = await findJournals(folder, { own: { ...ownOwner(), pid: 1 }, except: nameAt(59) });
    expect(journals.map(({ head, isElsewhere }) => [head.owner.host, isElsewhere])).toEqual([['a container', false]]);
    const { journals: here } = await find();
    expect(here.find(({ head }) => head.owner.host === 'a container')?.isElsewhere).toBe(true);
  });

  it('are removed when there are newer ones enough', async () => {
    for (let minute = 0; minute <= KEPT_MAX; minute++) await write(nameAt(minute), {});
    expect((await find()).journals).toHaveLength(KEPT_MAX);
    expect(readdirSync(folder)).not.toContain(nameAt(0));
  });

  it('that others can write to are left alone and told', async () => {
    const { path } = await write(nameAt(1), {});
    chmodSync(path, 0o722);
    const { journals, faults } = await find();
    expect(journals).toEqual([]);
    expect(faults).toEqual([`journal ${nameAt(1)} is not used: others can write to it`]);
  });

  it('cut off or changed at any place give the last state, the one before, or the word that they are damaged', async () => {
    const harm = fc.record({
      file: fc.constantFrom('head', 'head.old', 'p0-1', 'p0-2'),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      how: fc.constantFrom('cut', 'flip'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(harm, { minLength: 1, maxLength: 3 }), async (harms) => {
        rmSync(folder, { recursive: true, force: true });
        const { path } = await write(nameAt(1), {}, {}, {});
        for (const { file, at, how } of harms) {
          const bytes = readFileSync(join(path, file));
          const place = Math.floor(bytes.length * at);
          if (how === 'flip') bytes[place] = (bytes[place] ?? 0) ^ 0x55;
          writeFileSync(join(path, file), how === 'cut' ? bytes.subarray(0, place) : bytes);
        }
        const touched = new Set(harms.map(({ file }) => file));
        const { journals, faults } = await find();
        const [kept] = journals;
        if (!kept) {
          // Twice the same flip is none.
          expect(touched.has('head') && touched.has('head.old')).toBe(true);
          expect(faults.join()).toMatch(/cannot be read.*kept as .*\.damaged$/);
          return;
        }
        expect(kept.head.serial === 3 || touched.has('head')).toBe(true);
        if (kept.head.serial < 3) expect(faults.join()).toContain('the state before it is used');
        const damaged: string[] = [];
        const blobs = await readFiles(kept, (line) => damaged.push(line));
        const text = blobs.get('pane/0/screen')?.toString();
        expect(text === `text ${kept.head.serial - 1}` || damaged.length === 1).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('is named by when its server started', () => {
    expect(nameAt(5)).toBe('20260101T000500000Z-7');
    expect(isJournalName(nameAt(5))).toBe(true);
    expect(['head', '..', `${nameAt(5)}.damaged`, 'crash-2026.txt'].some(isJournalName)).toBe(false);
  });
});
