/**
 * How a mode or an overlay comes back in the next server, as plain data: what opened it is done again, and what it had
 * become is put into it. What opened it is a command, or a key pressed in a mode that is open already.
 */
import type { Key } from '../../protocol/key.ts';
import type { FilterListState } from '../../src/overlay/filter-list.ts';

export type Reopening =
  | {
      readonly kind: 'command';
      /** One command, as it is typed. */
      readonly command: string;
      /** What the command was about: ids of session and pane, index of the window. */
      readonly session: number;
      readonly window: number;
      readonly pane: number;
      readonly state: ReopenedState;
    }
  | { readonly kind: 'key'; readonly pane: number; readonly key: Key; readonly state: ReopenedState };

export type ReopenedState = ClockState | PromptState | MenuState | FilterState | ListState;

/** There is nothing to a clock. */
export interface ClockState {
  readonly kind: 'clock';
}

/** A prompt with what was typed. */
export interface PromptState {
  readonly kind: 'prompt';
  readonly questions: readonly PromptQuestion[];
  /** Of the questions before the one that is asked. */
  readonly answers: readonly string[];
  readonly text: string;
  /** Index into the text. */
  readonly cursor: number;
  /** With status-keys vi: keys are commands. */
  readonly isViCommand: boolean;
  /** The text that the answers go into, expanded; null for one that the command has. */
  readonly template: string | null;
}

/** One question of a prompt. */
export interface PromptQuestion {
  readonly label: string;
  readonly initial: string;
}

/** A menu whose formats are expanded. */
export interface MenuState {
  readonly kind: 'menu';
  readonly title: string;
  /** null for a separator. */
  readonly lines: readonly (MenuCommand | null)[];
  readonly x: number;
  readonly y: number;
  readonly highlight: number;
  readonly top: number;
}

/** An item of a menu with the command that it runs. */
export interface MenuCommand {
  readonly name: string;
  readonly keyName: string;
  readonly command: string;
}

/** A list that is narrowed by typing. */
export interface FilterState extends FilterListState {
  readonly kind: 'filter';
}

/** A picker. Items are named by their ids. */
export interface ListState {
  readonly kind: 'list';
  readonly current: string | null;
  /** The item that it began at. */
  readonly start: string | null;
  /** Lines above the first that is in view. */
  readonly top: number;
  readonly tags: readonly string[];
  /** Items that were opened or closed. */
  readonly opened: readonly (readonly [id: string, isOpen: boolean])[];
  readonly sort: string | null;
  readonly isReversed: boolean;
  readonly filter: string | null;
  readonly search: string;
  readonly showsPreview: boolean;
  readonly previewScroll: number;
  /** It has zoomed the pane for as long as it lasts. */
  readonly didZoom: boolean;
}
