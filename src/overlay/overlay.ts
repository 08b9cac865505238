/**
 * An overlay is a value (the model), a pure `update` and a pure `view`. The server keeps the model and updates it; the
 * client draws it over the frame. Nothing here knows of sockets, sessions or timers.
 */
import type { Cursor } from '../../protocol/frame.ts';
import type { Rect } from '../../protocol/geometry.ts';
import type { Canvas } from './canvas.ts';
import type { ChoiceModel } from './choice.ts';
import type { FilterListModel } from './filter-list.ts';
import type { MplexFlowScreen } from './flow-screen.ts';
import type { KeyHintsModel } from './key-hints.ts';
import type { MenuModel } from './menu.ts';
import type { MessageModel } from './message-box.ts';
import type { PaneNumberModel } from './pane-number.ts';
import type { PromptModel } from './prompt.ts';

/** Every kind of overlay. A new one is a file with model, update and view, and a row in composite.ts. */
export type OverlayModel =
  | ChoiceModel
  | FilterListModel
  | KeyHintsModel
  | MenuModel
  | MessageModel
  | PaneNumberModel
  | PromptModel
  | MplexFlowScreen;

/** What an update leads to. */
export type OverlayOutcome =
  | { readonly kind: 'open' }
  /** An incremental prompt's text has changed (command-prompt -i). */
  | { readonly kind: 'change'; readonly value: string }
  /**
   * Enter: the option's index, the text, or null for an acknowledged message. `unusedKey` ended a numeric prompt and is
   * still to be used as if it had been typed afterwards (command-prompt -N).
   */
  | { readonly kind: 'accept'; readonly value: number | string | null; readonly unusedKey?: string }
  | { readonly kind: 'dismiss'; readonly by: 'escape' | 'interrupt' };

export interface OverlayUpdate<M> {
  readonly model: M;
  readonly outcome: OverlayOutcome;
}

/**
 * What a view draws: cells of a rectangle of the client's screen, and where the cursor stands (screen cells); undefined
 * leaves it to what lies below, as keys do.
 */
export interface OverlayView {
  readonly rect: Rect;
  readonly canvas: Canvas;
  readonly cursor: Cursor | undefined;
  /** Whether a cell of the canvas is drawn; without it all are. What is under the others stays. */
  readonly isSolid?: (x: number, y: number) => boolean;
}
