/** Ends a world's server and pty host as a machine does that loses its power, and looks at what is on disk. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openRecord } from '../../server/journal/journal-record.ts';
import { type World, waitFor } from './program.ts';

/** Kills server and host without a word, and waits until they are gone. */
export async function losePower(world: World): Promise<void> {
  const pids = world.serverPids();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await waitFor(async () => world.serverPids().length === 0, { name: 'no process' });
}

/** The pty host's process. */
export function hostPid(world: World): number {
  const found = world.serverPids().find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/ptyhost.js'));
  if (found === undefined) throw new Error('no pty host');
  return found;
}

/** Where the world's servers keep their journals, one folder a socket. */
export function stateFolder(world: World): string {
  return join(world.env.XDG_STATE_HOME ?? '', 'mplex');
}

/** Directories of journals, of all sockets. */
export function journalPaths(world: World): string[] {
  const state = stateFolder(world);
  if (!existsSync(state)) return [];
  return readdirSync(state)
    .map((name) => join(state, name))
    .filter((path) => statSync(path).isDirectory())
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
}

/** The text of the newest head of a journal; '' if there is none. */
export function headText(path: string): string {
  try {
    const opened = openRecord('head', readFileSync(join(path, 'head')));
    return opened.ok ? opened.payload.toString('utf8') : '';
  } catch {
    return '';
  }
}

/** Waits until a journal says something, and its screens are what they will be. */
export async function untilJournaled(world: World, ...texts: string[]): Promise<void> {
  const heads = () => journalPaths(world).map(headText);
  await waitFor(async () => heads().some((head) => texts.every((text) => head.includes(text))), {
    name: `${texts.join(', ')} in the journal`,
    onTimeout: () => heads().join('\n'),
  });
}

/** Waits until a text that a pane shows is in a file that a journal's head names. */
export async function untilTextJournaled(world: World, text: string): Promise<void> {
  const has = (path: string) =>
    [...headText(path).matchAll(/"(p\d+-\d+)"/g)].some(([, name]) =>
      readFileSync(join(path, name ?? ''), 'latin1').includes(text),
    );
  await waitFor(async () => journalPaths(world).some(has), { name: `${text} on disk` });
}
