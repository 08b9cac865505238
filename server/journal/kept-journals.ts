/** The journals that lie in a server's folder: what sessions they hold, and whether their server is gone. */
import { lstat, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { JournalDirectory } from './journal-directory.ts';
import type { JournalHead } from './journal-model.ts';
import { type JournalOwner, ownerState } from './journal-owner.ts';

/** Journals of servers that are gone; older ones are removed. */
export const KEPT_MAX = 3;
/** Names of journals: when their server started and its pid. */
const NAME = /^\d{8}T\d{9}Z-\d{1,10}$/;

/** A journal that can be brought back. */
export interface KeptJournal {
  readonly directory: JournalDirectory;
  readonly head: JournalHead;
  /** It may be that of a living server in another container. */
  readonly isElsewhere: boolean;
}

export interface KeptJournals {
  /** Newest first. */
  readonly journals: readonly KeptJournal[];
  /** What is to be told, a line each: damage, and what was made of it. */
  readonly faults: readonly string[];
}

/** The name of the journal of a server that starts now. */
export function journalName(started: Date, pid: number): string {
  return `${started.toISOString().replace(/[-:.]/g, '')}-${pid}`;
}

/** Whether a name is one that a server gives to its journal. */
export function isJournalName(name: string): boolean {
  return NAME.test(name);
}

/** Whether anything may be there: cheap, for the start of every server. */
export async function journalNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  } catch {
    // No folder, no journals; a folder that cannot be read is told when the server writes to it.
    return [];
  }
}

/** Reads what is there, damaged journals aside; removes what is too old. */
export async function findJournals(
  folder: string,
  { own, except }: { readonly own: JournalOwner; readonly except: string },
): Promise<KeptJournals> {
  const { parseHead } = await import('./journal-schema.ts');
  const journals: KeptJournal[] = [];
  const faults: string[] = [];
  for (const name of (await journalNames(folder)).reverse()) {
    if (name === except) continue;
    const directory = new JournalDirectory(join(folder, name));
    const stranger = await ownerFault(directory.path);
    if (stranger !== undefined) {
      faults.push(`journal ${name} is not used: ${stranger}`);
      continue;
    }
    const found = await directory.readHeads();
    const parsed = found.heads.map(parseHead);
    const damaged = [...found.damaged, ...parsed.flatMap((one) => (one.ok ? [] : [one.reason]))];
    const heads = parsed.flatMap((one) => (one.ok ? [one.head] : [])).sort((a, b) => b.serial - a.serial);
    const [head] = heads;
    if (!head) {
      if (damaged.length > 0) faults.push(await setAside(directory.path, damaged));
      else await directory.remove();
      continue;
    }
    if (damaged.length > 0) faults.push(`journal ${name}: ${damaged.join(', ')}; the state before it is used`);
    const state = ownerState(head.owner, own);
    if (state === 'alive') continue;
    if (journals.length >= KEPT_MAX && state === 'gone') await directory.remove();
    else journals.push({ directory, head, isElsewhere: state === 'elsewhere' });
  }
  return { journals, faults };
}

/** The files that a head names, by their keys; `damaged` gets a line for each that cannot be used. */
export async function readFiles(
  { directory, head }: KeptJournal,
  damaged: (line: string) => void,
): Promise<Map<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  for (const [key, file] of head.files) {
    const bytes = await directory.readFile(file);
    if (typeof bytes === 'string') damaged(`journal ${basename(directory.path)}: ${key} is ${bytes}`);
    else blobs.set(key, bytes);
  }
  return blobs;
}

/** A journal that others could have written is not believed. */
async function ownerFault(path: string): Promise<string | undefined> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat?.isDirectory()) return 'it is no directory';
  if (stat.uid !== process.getuid?.()) return 'it belongs to somebody else';
  return stat.mode & 0o022 ? 'others can write to it' : undefined;
}

async function setAside(path: string, damaged: readonly string[]): Promise<string> {
  const aside = `${path}.damaged`;
  const moved = await rename(path, aside).then(
    () => true,
    () => false,
  );
  return `journal ${basename(path)} cannot be read: ${damaged.join(', ')}${moved ? `; kept as ${aside}` : ''}`;
}
