/**
 * Brings lost sessions back: after a start those of journals (option resurrect: by itself, or when the first client says so),
 * and after the loss of the pty host the programs of panes that are still there.
 */
import { createChoice, updateChoice } from '../../src/overlay/choice.ts';
import type { OverlayHost } from '../clients/overlay-host.ts';
import type { LostSession, LostSessions } from '../command/entries/context.ts';
import { ListOverlay } from '../command/entries/list-overlay.ts';
import { formatTime } from '../format/strftime.ts';
import type { Log } from '../log.ts';
import { type ClientSession, isTaken } from '../model/client-session.ts';
import type { Lifecycle } from '../model/lifecycle.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';
import type { Journal } from './journal.ts';
import type { JournalFolder } from './journal-folder.ts';
import { isLost, type JournalHead } from './journal-model.ts';
import type { JournalOwner } from './journal-owner.ts';
import { findJournals, journalNames, type KeptJournal, type KeptJournals, readFiles } from './kept-journals.ts';
import {
  noteLine,
  restoreProgram,
  restoreSessions,
  restoreText,
  type SessionsContext,
  startAgain,
} from './restore-sessions.ts';

/** Panes whose programs are lost within this are asked about together, ms. */
const LOST_TOGETHER_MS = 300;
/** Sessions that a question names. */
const NAMED_MAX = 8;

export interface ResurrectionContext extends Pick<SessionsContext, 'registry' | 'panes'> {
  readonly lifecycle: Lifecycle;
  readonly overlays: OverlayHost;
  /** This server's own. */
  readonly journal: Journal;
  /** Where the journals of servers of this socket are; undefined where there can be none. */
  readonly folder: JournalFolder | undefined;
  /** Name of this server's own journal. */
  readonly ownName: string;
  readonly owner: JournalOwner;
  readonly switchClient: (client: ClientSession, session: Session) => void;
  readonly showMessage: (client: ClientSession, text: string) => void;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
  readonly log: Log;
}

export class Resurrection implements LostSessions {
  readonly #context: ResurrectionContext;
  readonly #restoring: SessionsContext;
  /** What the first client is to be asked. */
  #question: ((client: ClientSession) => void) | undefined;
  /** What the first client is to be told. */
  #faults: string[] = [];
  readonly #lost = new Set<Pane>();
  #isLossTimerSet = false;

  constructor(context: ResurrectionContext) {
    this.#context = context;
    const { registry, panes } = context;
    this.#restoring = { registry, panes, say: (line) => this.#say(line) };
    registry.events.subscribe(({ name, pane }) => {
      if (name === 'pane-died' && pane?.lastExit && isLost(pane.lastExit)) this.#programLost(pane);
      if (name === 'pane-closed' && pane) this.#lost.delete(pane);
    });
  }

  /** A server has started without the state of another. With `resurrect on`, resolves when the sessions are back. */
  async begin(): Promise<void> {
    const { folder, ownName } = this.#context;
    if (folder === undefined || this.#policy === 'off' || !folder.mayHoldJournals()) return;
    const names = await journalNames(folder.path);
    if (names.every((name) => name === ownName)) return;
    const looking = this.#look();
    if (this.#policy === 'on') await looking;
  }

  /** A client attached: it is asked and told what waits for the first one. */
  clientArrived(client: ClientSession): void {
    if (client.readOnly || client.control || client.transport === undefined) return;
    const faults = this.#faults;
    this.#faults = [];
    if (faults.length > 0) this.#context.showMessage(client, faults.join(' · '));
    const ask = this.#question;
    if (!ask || isTaken(client)) return;
    this.#question = undefined;
    ask(client);
  }

  /** What a pane shows whose program was lost with the pty host; undefined where such panes are closed. */
  lostLine(pane: Pane): string | undefined {
    if (this.#policy === 'off') return undefined;
    const { program } = this.#context.journal.factsOf(pane);
    const what = program === '' ? 'shell' : program;
    return noteLine([`${what} was lost with the pty host ${timeText(this.#context.registry.seconds())}`]);
  }

  async list(): Promise<readonly LostSession[]> {
    const { journals } = await this.#find();
    return journals.flatMap(({ head, isElsewhere }) =>
      head.sessions.map((session) => ({
        name: session.name,
        windows: session.winlinks.length,
        time: head.time,
        isElsewhere,
        programs: programsOf(head, session.winlinks),
      })),
    );
  }

  async bringBack(names: readonly string[]): Promise<readonly Session[] | string> {
    const { journals } = await this.#find();
    const kept = journals.find((one) => holds(one, names));
    if (!kept) return names.length === 0 ? 'no lost sessions' : `no lost session: ${missing(journals, names)}`;
    return this.#restore(kept, names);
  }

  async forget(): Promise<number> {
    const { journals } = await this.#find();
    const gone = journals.filter(({ isElsewhere }) => !isElsewhere);
    for (const { directory } of gone) await directory.remove();
    return gone.reduce((count, { head }) => count + head.sessions.length, 0);
  }

  async ask(client: ClientSession): Promise<boolean> {
    const { journals } = await this.#find();
    const [newest] = journals;
    if (!newest || isTaken(client)) return false;
    this.#askAbout(newest, client);
    return true;
  }

  get #policy(): string {
    return this.#context.registry.serverOptions.choice('resurrect');
  }

  async #find(): Promise<KeptJournals> {
    const { folder, owner, ownName } = this.#context;
    if (folder === undefined) return { journals: [], faults: [] };
    return findJournals(folder.path, { own: owner, except: ownName });
  }

  async #look(): Promise<void> {
    try {
      const { journals, faults } = await this.#find();
      for (const fault of faults) this.#tell(fault);
      const newest = journals.find(({ isElsewhere }) => !isElsewhere);
      if (!newest || newest.head.sessions.length === 0) return;
      if (this.#policy === 'on') await this.#restore(newest, []);
      else this.#question = (client) => this.#askAbout(newest, client);
    } catch (error) {
      this.#context.log.error('journals', error);
      this.#tell(`lost sessions cannot be brought back: ${error instanceof Error ? error.message : error}`);
    } finally {
      this.#tellWhoIsThere();
    }
  }

  /** `instead`: a session that will be closed, whose name is free. */
  async #restore(kept: KeptJournal, names: readonly string[], instead?: Session): Promise<readonly Session[]> {
    const { journal, nextTurn } = this.#context;
    const blobs = await readFiles(kept, (line) => this.#tell(line));
    const { sessions, panes } = restoreSessions(this.#restoring, { head: kept.head, names, instead });
    const note = `kept ${timeText(kept.head.time)}`;
    for (const restored of panes) {
      // Much text takes its time: others have their turns in between.
      await new Promise<void>((resolve) => nextTurn(resolve));
      if (this.#context.registry.panes.get(restored.pane.id) !== restored.pane) continue;
      restoreText(this.#restoring, restored, blobs);
      restoreProgram(this.#restoring, restored, note);
    }
    this.#say(`came back, ${note}: ${sessions.map(({ name }) => name).join(', ')}`);
    void this.#retire(kept, names, journal.flush({ all: true }));
    return sessions;
  }

  /** What came back is taken out of its journal once it is in ours. */
  async #retire(kept: KeptJournal, names: readonly string[], written: Promise<void>): Promise<void> {
    await written;
    try {
      const rest = names.length === 0 ? [] : kept.head.sessions.filter(({ name }) => !names.includes(name));
      if (rest.length === 0) await kept.directory.remove();
      else {
        const head: JournalHead = { ...kept.head, serial: kept.head.serial + 1, sessions: rest };
        const named = new Set(head.files.map(([, file]) => file));
        await kept.directory.commit({ head: Buffer.from(JSON.stringify(head)), files: new Map(), named });
      }
    } catch (error) {
      this.#context.log.error('journal', error);
    }
  }

  /** What waits for the first client is for one that is there already. */
  #tellWhoIsThere(): void {
    const [client] = this.#context.registry.attachedClients();
    if (client) this.clientArrived(client);
  }

  #askAbout(kept: KeptJournal, client: ClientSession): void {
    const { head } = kept;
    const lines = head.sessions.slice(0, NAMED_MAX).map(({ name, winlinks }) => {
      const programs = programsOf(head, winlinks).join(', ');
      return `${name}: ${windowsText(winlinks.length)}${programs === '' ? '' : ` (${programs})`}`;
    });
    if (head.sessions.length > NAMED_MAX) lines.push(`and ${head.sessions.length - NAMED_MAX} more`);
    this.#choose(client, {
      title: 'Bring lost sessions back?',
      body: `Kept ${timeText(head.time)}:\n${lines.join('\n')}`,
      options: [
        ['Bring them back', () => void this.#answerYes(kept, client)],
        ['Not now', () => {}],
        ['Forget them', () => void kept.directory.remove().catch((error: unknown) => this.#tell(String(error)))],
      ],
    });
  }

  async #answerYes(kept: KeptJournal, client: ClientSession): Promise<void> {
    const { registry, lifecycle, switchClient, log } = this.#context;
    try {
      const fresh = untouched(client, registry);
      const sessions = await this.#restore(kept, [], fresh);
      const last = sessions.at(-1);
      if (!last || !registry.clients.has(client)) return;
      switchClient(client, last);
      if (fresh && registry.sessions.has(fresh.id)) lifecycle.closeSession(fresh);
    } catch (error) {
      log.error('journal', error);
      this.#tell(`lost sessions cannot be brought back: ${error instanceof Error ? error.message : error}`);
    }
  }

  #programLost(pane: Pane): void {
    this.#lost.add(pane);
    if (this.#isLossTimerSet) return;
    this.#isLossTimerSet = true;
    this.#context.after(LOST_TOGETHER_MS, () => {
      this.#isLossTimerSet = false;
      if (this.#policy === 'on') this.#startLost();
      else if (this.#policy === 'ask') {
        this.#question = (client) => this.#askAboutLost(client);
        this.#tellWhoIsThere();
      }
    });
  }

  /** Panes whose programs were lost and that run nothing else since. */
  #lostPanes(): readonly Pane[] {
    return [...this.#lost].filter(({ state }) => state.kind === 'dead' && isLost(state));
  }

  #askAboutLost(client: ClientSession): void {
    const panes = this.#lostPanes();
    const names = panes.map((pane) => this.#context.journal.factsOf(pane).program).filter((name) => name !== '');
    const programs = names.length === 0 ? '' : ` (${[...new Set(names)].slice(0, NAMED_MAX).join(', ')})`;
    const gone = panes.length === 1 ? 'The program of 1 pane is' : `The programs of ${panes.length} panes are`;
    this.#choose(client, {
      title: 'The pty host died',
      body: `${gone} gone${programs}; the text is still there.`,
      options: [
        [panes.length === 1 ? 'Start a shell in its place' : 'Start shells in their places', () => this.#startLost()],
        ['Leave it so', () => {}],
      ],
    });
  }

  #startLost(): void {
    const { journal } = this.#context;
    for (const pane of this.#lostPanes()) {
      const [winlink] = pane.window.winlinks;
      if (!winlink) continue;
      const note = `started again ${timeText(this.#context.registry.seconds())}`;
      // What ran is told by the line above.
      const saved = { ...journal.factsOf(pane), program: '' };
      startAgain(this.#restoring, { pane, session: winlink.session, saved }, note);
    }
    this.#lost.clear();
  }

  #choose(
    client: ClientSession,
    question: {
      readonly title: string;
      readonly body: string;
      readonly options: readonly (readonly [text: string, run: () => void])[];
    },
  ): void {
    const { overlays, registry } = this.#context;
    const { title, body, options } = question;
    const overlay = new ListOverlay(overlays, client, {
      purpose: 'resurrect',
      model: createChoice({ title, body, options: options.map(([text]) => text) }),
      update: updateChoice,
      tracking: 'drag',
      done: (chosen) => {
        registry.markClient(client);
        options[chosen ?? -1]?.[1]();
      },
    });
    overlays.open(client, overlay);
    registry.markClient(client);
  }

  #say(line: string): void {
    this.#context.registry.logMessage(line);
    this.#context.log.info(line);
  }

  /** Like `say`, and the first client sees it. */
  #tell(line: string): void {
    this.#say(line);
    this.#faults.push(line);
  }
}

/** The session that a bare start has just made for the client, in which nothing can have happened. */
function untouched({ session }: ClientSession, registry: Registry): Session | undefined {
  if (!session || registry.sessions.size !== 1 || session.winlinks.length !== 1) return undefined;
  const { panes } = session.current.window;
  const [pane] = panes;
  const isFresh = panes.length === 1 && pane?.command.argv.length === 0 && pane.emulator.historyLength === 0;
  return isFresh ? session : undefined;
}

function holds({ head }: KeptJournal, names: readonly string[]): boolean {
  if (names.length === 0) return head.sessions.length > 0;
  return names.every((name) => head.sessions.some((session) => session.name === name));
}

function missing(journals: readonly KeptJournal[], names: readonly string[]): string {
  const known = new Set(journals.flatMap(({ head }) => head.sessions.map(({ name }) => name)));
  return names.find((name) => !known.has(name)) ?? names.join(', ');
}

/** Names of the programs that ran in the windows. */
function programsOf(head: JournalHead, winlinks: readonly { readonly window: number }[]): readonly string[] {
  const windows = new Set(winlinks.map(({ window }) => window));
  const panes = new Set(head.windows.filter(({ id }) => windows.has(id)).flatMap((window) => window.panes));
  const names = head.panes.filter(({ id, program }) => panes.has(id) && program !== '').map(({ program }) => program);
  return [...new Set(names)].slice(0, NAMED_MAX);
}

function windowsText(count: number): string {
  return count === 1 ? '1 window' : `${count} windows`;
}

/** Local time, as `2026-11-29 23:05:09`. */
function timeText(seconds: number): string {
  return formatTime('%F %T', new Date(seconds * 1000));
}
