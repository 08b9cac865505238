/** search-panes, mplex's own: looks for a text in all that the panes of a session remember, and offers what it finds. */
import { blankRow } from '../../../protocol/cell.ts';
import type { FilterItem } from '../../../src/overlay/filter-list.ts';
import { openCopyMode } from '../../mode/copy-mode.ts';
import type { SearchPattern } from '../../mode/copy-search.ts';
import type { ClientSession } from '../../model/client-session.ts';
import type { Pane } from '../../model/pane.ts';
import type { FilterState, PromptState } from '../../model/reopening.ts';
import type { Session, Winlink } from '../../model/session.ts';
import { lineText } from '../../terminal/capture.ts';
import { viewOf } from '../../terminal/history.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { isTakenFor } from './caller.ts';
import type { CommandContext, Entry, Services } from './context.ts';
import { createFilterOverlay } from './list-overlay.ts';
import { messageStyle, PromptOverlay } from './prompt-overlay.ts';

/** Lines offered at most, the newest of each pane first. */
const HITS_MAX = 500;
/** Time spent before others have a turn, ms. */
const SLICE_MS = 10;
/** Lines between two looks at the clock. */
const LINES_A_LOOK = 64;

interface Hit {
  readonly winlink: Winlink;
  readonly pane: Pane;
  /** Lines from its own to the end of what the pane remembers. */
  readonly fromEnd: number;
  readonly x: number;
  readonly text: string;
}

const searchPanes: Entry = {
  name: 'search-panes',
  own: true,
  args: { template: 't:', min: 0, max: 1 },
  usage: '[-t target-session] [text]',
  target: { flag: 't', kind: 'session' },
  help: 'Look for a text in the screens and histories of all panes of a session',
  async exec(context, args) {
    const { client } = context;
    if (!client) return failed('no current client');
    if (isTakenFor(context, client)) return OK;
    const text = args.string(0) ?? (await ask(context, client));
    if (text === undefined || text === '') return OK;
    const { session } = context.target;
    const hits = await findAll(context.services, session, text);
    if (hits.length === 0) return failed(`no pane has: ${text}`);
    if (isTakenFor(context, client) || !context.registry.clients.has(client)) return OK;
    return offer(context, client, { session, text, hits });
  },
};

function ask(context: CommandContext, client: ClientSession): Promise<string | undefined> {
  return new Promise((resolve) => {
    const overlay = new PromptOverlay(context.services, client, {
      purpose: 'command-prompt',
      mode: 'text',
      questions: [{ label: '(search panes) ', initial: '' }],
      type: 'search',
      style: messageStyle(context, client),
      done: (answers) => resolve(answers?.[0]),
      reopening: (state: PromptState) => context.reopening(state),
      reopened: context.reopened?.kind === 'prompt' ? context.reopened : undefined,
    });
    context.services.overlays.open(client, overlay);
  });
}

/** Lines with the text; small letters stand for large ones too. */
async function findAll(services: Services, session: Session, text: string): Promise<Hit[]> {
  const hits: Hit[] = [];
  let end = services.now() + SLICE_MS;
  for (const winlink of session.winlinks) {
    for (const pane of [...winlink.window.panes]) {
      let looked = 0;
      for (const hit of hitsOf(winlink, pane, text)) {
        if (hit) hits.push(hit);
        if (hits.length >= HITS_MAX) return hits;
        if (++looked % LINES_A_LOOK !== 0 || services.now() < end) continue;
        await new Promise<void>((resume) => services.after(0, resume));
        end = services.now() + SLICE_MS;
      }
    }
  }
  return hits;
}

/** One step a line, the newest first: what was found on it, if anything. A wrapped line counts as one. */
function* hitsOf(winlink: Winlink, pane: Pane, text: string): Generator<Hit | undefined> {
  const view = viewOf(pane.emulator);
  const row = blankRow(view.cols);
  const isExact = /\p{Lu}/u.test(text);
  const wanted = isExact ? text : text.toLowerCase();
  let whole = '';
  for (let index = view.length - 1; index >= 0; index--) {
    view.row(index, row);
    whole = lineText(row) + whole;
    if (index > 0 && view.isWrapped(index)) {
      yield undefined;
      continue;
    }
    const line = whole;
    whole = '';
    const at = (isExact ? line : line.toLowerCase()).indexOf(wanted);
    if (at < 0) yield undefined;
    else {
      const rows = Math.floor(at / view.cols);
      yield {
        winlink,
        pane,
        fromEnd: view.length - index - rows,
        x: at - rows * view.cols,
        text: line.trimEnd(),
      };
    }
  }
}

function offer(
  context: CommandContext,
  client: ClientSession,
  { session, text, hits }: { readonly session: Session; readonly text: string; readonly hits: readonly Hit[] },
): Promise<CommandResult> {
  const items: FilterItem[] = hits.map((hit, id) => ({
    id,
    text: hit.text.trimStart(),
    detail: `${hit.winlink.index}.${hit.pane.place} ${hit.winlink.window.name}`,
    words: '',
  }));
  const { overlays } = context.services;
  return new Promise((resolve) => {
    const done = (id: number | undefined) => {
      const hit = hits[id ?? -1];
      if (hit) {
        const same = hits.filter((other) => other.pane === hit.pane && other.text === hit.text);
        show(context, client, { session, text, hit, ordinal: same.indexOf(hit) });
      }
      context.registry.markClient(client);
      resolve(OK);
    };
    const title = `${text} in ${session.name}${hits.length >= HITS_MAX ? ', the newest' : ''}`;
    const reopened = context.reopened?.kind === 'filter' ? { reopened: context.reopened } : {};
    const reopening = (state: FilterState) => context.reopening(state, ['-t', `$${session.id}`, '--', text]);
    const request = { purpose: 'search-panes', title, items, done, reopening, ...reopened };
    overlays.open(client, createFilterOverlay(overlays, client, request));
    context.registry.markClient(client);
  });
}

/** Goes to the pane, in copy mode, the cursor on what was found. `ordinal` counts equal lines, the newest is 0. */
function show(
  context: CommandContext,
  client: ClientSession,
  { session, text, hit, ordinal }: { session: Session; text: string; hit: Hit; ordinal: number },
): void {
  const { services, registry } = context;
  const { pane, winlink } = hit;
  if (!registry.panes.has(pane.id) || session.at(winlink.index) !== winlink) return;
  services.switchClient(client, session);
  services.lifecycle.selectWindow(winlink);
  if (winlink.window.zoomed !== pane) winlink.window.unzoom();
  services.lifecycle.selectPane(pane);
  const { state } = openCopyMode({ services, pane });
  const pattern: SearchPattern = { text, isRegex: false };
  state.searchFor(pattern, -1);
  // The window may have another width from the moment it is shown, and its lines other places.
  const equal = [...hitsOf(winlink, pane, text)].filter((other) => other?.text === hit.text);
  const { x, fromEnd } = equal[ordinal] ?? equal[0] ?? hit;
  state.cursor.goTo({ x, line: Math.max(0, state.cursor.grid.length - fromEnd) });
  registry.markPane(pane);
}

export const PANE_SEARCH_ENTRIES: readonly Entry[] = [searchPanes];
