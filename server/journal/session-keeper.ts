/** What keeps sessions beyond the machine: this server's journal, and what brings the sessions of other journals back. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stateDirectory } from '../crash-report.ts';
import { foregroundLine, procfsProbe } from '../jobs/processes.ts';
import type { Pane } from '../model/pane.ts';
import { Journal } from './journal.ts';
import { ownOwner } from './journal-owner.ts';
import { isJournalName, journalName } from './kept-journals.ts';
import { Resurrection, type ResurrectionContext } from './resurrection.ts';

export interface KeeperContext extends Omit<ResurrectionContext, 'journal' | 'folder' | 'ownName' | 'owner'> {
  readonly environ: Readonly<Record<string, string | undefined>>;
  readonly socketPath: string;
  readonly parsedTo: (pane: Pane) => number;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly started: Date;
}

export class SessionKeeper {
  readonly journal: Journal;
  readonly resurrection: Resurrection;
  /** Of this server's journal. */
  readonly name: string;
  readonly #folder: string | undefined;

  constructor(context: KeeperContext) {
    const { registry, now, after, log, parsedTo } = context;
    const owner = ownOwner();
    this.name = journalName(context.started, owner.pid);
    this.#folder = journalFolder(context.environ, context.socketPath);
    this.journal = new Journal({
      registry,
      path: this.#folder && join(this.#folder, this.name),
      noPath: 'HOME is not set',
      owner,
      parsedTo,
      workingDirectory: (pid) => procfsProbe.workingDirectory(pid),
      foreground: foregroundLine,
      allowed: () => registry.serverOptions.strings('resurrect-commands'),
      now,
      after,
      log,
    });
    this.resurrection = new Resurrection({
      ...context,
      journal: this.journal,
      folder: this.#folder,
      ownName: this.name,
      owner,
    });
  }

  /** The sessions of another server live on in this one: once they are in this journal that one's is not needed. */
  inherit(name: string | undefined): void {
    if (name === undefined || !isJournalName(name) || name === this.name || this.#folder === undefined) return;
    const path = join(this.#folder, name);
    void this.journal.flush({ all: true }).then(() => rm(path, { recursive: true, force: true }));
  }
}

/**
 * Where the journals of servers of a socket are: `<state>/NAME`, and for a socket outside of `/tmp/mplex-UID` a hash of its
 * path behind the name, so that no two sockets share one. Undefined without a home.
 */
function journalFolder(environ: Readonly<Record<string, string | undefined>>, socketPath: string): string | undefined {
  const state = stateDirectory(environ);
  if (state === undefined) return undefined;
  const name = basename(socketPath);
  if (/^\/tmp\/mplex-\d+$/.test(dirname(socketPath))) return join(state, name);
  const hash = createHash('sha256').update(socketPath).digest('hex').slice(0, 8);
  return join(state, `${name}-${hash}`);
}
