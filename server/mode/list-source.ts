/** What a picker is made of: a source of items, what is done with them, and what both need of the server. */
import type { Row } from '../../protocol/cell.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { Key } from '../../protocol/key.ts';
import type { ParsedCommand } from '../command/parser.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Registry } from '../model/registry.ts';
import type { PromptState, Reopening } from '../model/reopening.ts';
import type { ListItem } from './list-rows.ts';

/** The list that is open, as its source sees it. */
export interface OpenList {
  readonly services: ListServices;
  /** The tagged items in the order of the list. */
  tagged(): readonly ListItem[];
  /** Opens an item's children, or closes them. */
  toggle(item: ListItem): void;
  /** The things listed have changed. */
  refresh(): void;
  leave(): void;
}

/** A question at the status line of a client. */
export interface ModePrompt {
  readonly label: string;
  readonly initial?: string;
  /** `confirm`: y answers with 'y'. */
  readonly kind: 'text' | 'confirm';
  /** Whose earlier lines are offered. */
  readonly history?: 'command' | 'search';
  /** How the next server asks again. */
  readonly reopening?: ((state: PromptState) => Reopening) | undefined;
  /** What the prompt was under an earlier server. */
  readonly reopened?: PromptState | undefined;
}

/** What pickers need of the server. */
export interface ListServices {
  readonly registry: Registry;
  after(delayMs: number, callback: () => void): () => void;
  prompt(client: ClientSession, prompt: ModePrompt, done: (answer: string) => void): void;
  /** A menu at a cell of the client's screen; `done` gets the chosen line's number. */
  menu(
    client: ClientSession,
    menu: { readonly title: string; readonly lines: readonly MenuLine[]; readonly x: number; readonly y: number },
    done: (index: number) => void,
  ): void;
  showMessage(client: ClientSession, text: string): void;
}

/** A command text with `%%` for what was chosen, or commands whose words have it. */
export type ListTemplate = string | readonly ParsedCommand[];

/** A line of a menu; undefined for a separator. */
export type MenuLine = { readonly name: string; readonly key: Key } | undefined;

/** How the list is to be made. */
export interface ListView {
  readonly sort: string;
  readonly isReversed: boolean;
  /** A format; undefined for all. */
  readonly filter: string | undefined;
}

/** What an action is done with. */
export interface ListCall {
  readonly list: OpenList;
  readonly client: ClientSession | undefined;
  readonly item: ListItem;
  /** The tagged items, or the current one if none is. */
  readonly targets: readonly ListItem[];
}

/** What a key of a picker does, and how its menu calls it. */
export interface ListAction {
  readonly key: Key;
  readonly help: string;
  /** Also in the menu of the right button. */
  readonly inMenu?: boolean;
  readonly run: (call: ListCall) => void;
}

export interface ListSource {
  /** As `#{pane_mode}` shows it. */
  readonly modeName: string;
  /** Sort orders, the first is the default; empty: always as listed. */
  readonly sorts: readonly string[];
  items(view: ListView): readonly ListItem[];
  readonly actions: readonly ListAction[];
  /** Enter, or an item's own key: true when the mode is to end. */
  choose(call: ListCall): boolean;
  /** Draws what an item is about into rows of a size. */
  preview(item: ListItem, rows: readonly Row[], state: { readonly scroll: number }): void;
  /** A click in the preview; true if it chose something and the mode is to end. */
  clickPreview?(call: ListCall, at: { readonly x: number; readonly y: number; readonly size: Size }): boolean;
  /** The key of a line, if the picker has its own (-K); undefined for the usual. */
  lineKey?(item: ListItem, at: number): Key | undefined;
}
