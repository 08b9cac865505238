/** What keeps sessions beyond the machine: this server's journal, and what brings the sessions of other journals back. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from '../crash-report.ts';
import { foregroundLine, procfsProbe } from '../jobs/processes.ts';
import type { Pane } from '../model/pane.ts';
import { Journal } from './journal.ts';
import { JournalFolder } from './journal-folder.ts';
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
  readonly #folder: JournalFolder | undefined;

  constructor(context: KeeperContext) {
    const { registry, now, after, log, parsedTo } = context;
    const owner = ownOwner();
    this.name = journalName(context.started, owner.pid);
    const state = stateDirectory(context.environ);
    const folder = state === undefined ? undefined : new JournalFolder(state, context.socketPath);
    this.#folder = folder;
    this.journal = new Journal({
      registry,
      path: folder && (() => join(folder.path, this.name)),
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
      folder,
      ownName: this.name,
      owner,
    });
  }

  /** The sessions of another server live on in this one: once they are in this journal that one's is not needed. */
  inherit(name: string | undefined): void {
    if (name === undefined || !isJournalName(name) || name === this.name || this.#folder === undefined) return;
    const path = join(this.#folder.path, name);
    void this.journal.flush({ all: true }).then(() => rm(path, { recursive: true, force: true }));
  }
}
