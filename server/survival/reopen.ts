/** Opens modes and overlays of an earlier server again (server/model/reopening.ts). */
import { callerOf } from '../command/entries/caller.ts';
import { clientState } from '../command/entries/client-state.ts';
import type { ItemState, Services } from '../command/entries/context.ts';
import type { CommandLanguage } from '../command/entries/language.ts';
import type { ParseOptions } from '../command/parser.ts';
import type { CurrentState } from '../command/target.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Pane } from '../model/pane.ts';
import type { Reopening } from '../model/reopening.ts';
import { openSavedMode, type SavedMode } from './mode-state.ts';

export interface ReopenContext {
  readonly services: Services;
  readonly language: CommandLanguage;
  readonly parseOptions: () => ParseOptions;
}

export interface Reopener {
  /** `text` is that of view mode. Throws where the mode cannot be. */
  readonly openMode: (pane: Pane, saved: SavedMode, text: string) => void;
  /** `client` is the one that the overlay was on. Throws where it cannot be. */
  readonly openOverlay: (client: ClientSession, overlay: Reopening) => void;
}

export function createReopener(context: ReopenContext): Reopener {
  const reopenMode = (reopening: Reopening) => reopen(context, reopening, undefined);
  return {
    openMode: (pane, saved, text) =>
      openSavedMode({ services: context.services, pane, saved, text, reopen: reopenMode }),
    openOverlay: (client, overlay) => reopen(context, overlay, client),
  };
}

/** `client` is the one that an overlay was on; undefined for a mode. */
function reopen(context: ReopenContext, reopening: Reopening, client: ClientSession | undefined): void {
  if (reopening.kind === 'command') runAgain(context, reopening, client);
  else pressAgain(context, reopening, client);
}

function runAgain(
  { services, language, parseOptions }: ReopenContext,
  reopening: Extract<Reopening, { kind: 'command' }>,
  client: ClientSession | undefined,
): void {
  const parsed = language.parse(reopening.command, { ...parseOptions(), oneGroup: true });
  if (!parsed.ok) throw new Error(parsed.error);
  const state = client
    ? clientState(services, client, placeOf(services, reopening))
    : unseenState(services, placeOf(services, reopening));
  const queue = client ? services.queueOf(client) : services.newQueue();
  queue.append(parsed.commands.slice(0, 1), { ...state, reopened: reopening.state });
}

/** Where the command came from, the mouse included: `-t =` of a menu means what it was opened on. */
function placeOf(
  { registry }: Services,
  { session: id, window, pane: paneId }: Extract<Reopening, { kind: 'command' }>,
): CurrentState {
  const session = registry.sessions.get(id);
  const winlink = session?.at(window);
  const pane = registry.panes.get(paneId);
  if (!session || !winlink || !pane) throw new Error(`%${paneId} is gone`);
  return { session, winlink, pane, mousePane: pane, mouseWinlink: winlink };
}

/** A mode is nobody's: what its command has to say goes to the log of messages. */
function unseenState({ registry }: Services, current: CurrentState): ItemState {
  const error = (message: string) => registry.logMessage(`lost in the take-over: ${message}`);
  return {
    caller: callerOf('client', { error }),
    client: undefined,
    current,
    mouse: undefined,
    isHook: false,
    variables: undefined,
  };
}

function pressAgain(
  { services }: ReopenContext,
  { pane, key, state }: Extract<Reopening, { kind: 'key' }>,
  client: ClientSession | undefined,
): void {
  const mode = services.registry.panes.get(pane)?.mode;
  if (!client || !mode?.promptAgain || state.kind !== 'prompt') throw new Error(`%${pane} is in no mode that asks`);
  mode.promptAgain(key, client, state);
}
