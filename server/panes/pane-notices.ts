/**
 * Notices of programs (OSC 9, 777, 99): each attached terminal is called once, as it can be (option pane-notify), with the
 * name of the pane in front; the window is marked as by a bell. A terminal is not called for the pane that its person is
 * looking at, and not at all more often than a person could read.
 */
import { cleanText } from '../../protocol/clean-text.ts';
import { NOTICE_KINDS } from '../../protocol/message.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Registry } from '../model/registry.ts';

/** Notices of one pane that are told in NOTICE_SPAN_MS; the rest are counted and told as one. */
export const NOTICES_MAX = 5;
export const NOTICE_SPAN_MS = 10_000;
/** Code points of a place, a title, a body. */
const PLACE_MAX = 60;
const TITLE_MAX = 100;
const BODY_MAX = 300;

export interface PaneNoticesContext {
  readonly registry: Registry;
  readonly after: (delayMs: number, run: () => void) => () => void;
  /** Marks the pane's window as a bell does. */
  readonly mark: (pane: Pane) => void;
}

/** As the program gave it: foreign text. */
export interface PaneNotice {
  readonly title: string;
  readonly body: string;
}

/** What a pane said lately. */
interface Recent {
  told: number;
  untold: number;
}

export class PaneNotices {
  readonly #context: PaneNoticesContext;
  readonly #recent = new WeakMap<Pane, Recent>();

  constructor(context: PaneNoticesContext) {
    this.#context = context;
  }

  /** A program in the pane has something to tell. Both texts may be anything. */
  notify(pane: Pane, notice: PaneNotice): void {
    this.#context.mark(pane);
    const recent = this.#recent.get(pane) ?? this.#begin(pane);
    if (recent.told < NOTICES_MAX) {
      recent.told += 1;
      this.#tell(pane, notice);
    } else recent.untold += 1;
  }

  #begin(pane: Pane): Recent {
    const recent: Recent = { told: 0, untold: 0 };
    this.#recent.set(pane, recent);
    this.#context.after(NOTICE_SPAN_MS, () => {
      this.#recent.delete(pane);
      if (recent.untold === 0 || !this.#context.registry.panes.has(pane.id)) return;
      this.#begin(pane).told = 1;
      this.#tell(pane, { title: '', body: `${recent.untold} more` });
    });
    return recent;
  }

  #tell(pane: Pane, notice: PaneNotice): void {
    for (const client of this.#context.registry.attachedClients()) {
      const choice = client.session?.options.choice('pane-notify');
      const how = NOTICE_KINDS.find((kind) => kind === choice);
      if (how === undefined || client.control || isLookingAt(client, pane)) continue;
      const title = [placeOf(client, pane), cleanText(notice.title, { max: TITLE_MAX })];
      client.send({
        kind: 'pane-notice',
        pane: pane.id,
        how,
        title: title.filter((part) => part !== '').join(': '),
        body: cleanText(notice.body, { max: BODY_MAX }),
      });
    }
  }
}

/** Whether the person has the pane before them, by the terminal's own word (DECSET 1004). */
function isLookingAt({ hasFocus, session }: ClientSession, pane: Pane): boolean {
  return hasFocus === true && session !== undefined && !session.isEmpty && session.current.window.active === pane;
}

/** `session:2.1 name`, as the client's person would look for it. */
function placeOf({ session }: ClientSession, { window, place }: Pane): string {
  const links = [...window.winlinks];
  const link = links.find((each) => each.session === session) ?? links[0];
  if (!link) return cleanText(window.name, { max: PLACE_MAX });
  // A popup's pane has no place.
  const pane = window.panes.length > 1 && place >= 0 ? `.${window.options.number('pane-base-index') + place}` : '';
  return cleanText(`${link.session.name}:${link.index}${pane} ${window.name}`, { max: PLACE_MAX });
}
