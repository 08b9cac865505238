/**
 * Clients that show the same window in the same way are drawn once: the first to be drawn leaves behind the step that it
 * took from one frame to the next, and a client that stands at that step's start takes it over, damage and all. Clients
 * come together when their frames turn out to be the same, and part by being drawn by themselves.
 */
import { type Damage, sameCursor, sameModes } from '../../protocol/damage.ts';
import type { Frame } from '../../protocol/frame.ts';
import { sameSize } from '../../protocol/geometry.ts';
import { sameRow } from '../../protocol/scroll.ts';
import type { Pane } from '../model/pane.ts';
import { type DrawnWindow, isSameDrawing } from './drawn-panes.ts';
import type { FramePair } from './frame-pair.ts';
import type { StoredFrame } from './row-store.ts';

/** Of a client's picture, what another may share. */
export interface SharedScene {
  /** What was drawn last; another client's, if that is the same. */
  drawn: DrawnWindow | undefined;
  /** Whether drawing output now would lead to this frame and this drawing. */
  wouldDraw(frame: Frame, drawn: DrawnWindow, isHeld: (pane: Pane) => boolean): boolean;
}

/** A client that is drawn. */
export interface Viewer {
  readonly frames: FramePair;
  readonly scene: SharedScene;
  /** Something else than output has changed: all is to be drawn. */
  isStale: boolean;
}

interface Step {
  readonly drawnFrom: DrawnWindow;
  readonly drawnTo: DrawnWindow;
  readonly to: StoredFrame;
  /** Whose step it is: while that client shows the step's end, nothing of it is drawn over. */
  readonly frames: FramePair;
  readonly damage: Damage | undefined;
}

export class SharedFrames {
  /** The last step from each frame. */
  readonly #steps = new WeakMap<Frame, Step>();

  /** Output was drawn for a client that showed `from`. */
  note(from: Frame, drawnFrom: DrawnWindow | undefined, { frames, scene }: Viewer, damage: Damage | undefined): void {
    if (!drawnFrom || !scene.drawn) return;
    this.#steps.set(from, { drawnFrom, drawnTo: scene.drawn, to: frames.shown, frames, damage });
  }

  /** Takes the step of another client from the frame that this one shows; undefined if there is none that is right. */
  follow(viewer: Viewer, isHeld: (pane: Pane) => boolean): { readonly damage: Damage | undefined } | undefined {
    const { frames, scene } = viewer;
    const step = this.#steps.get(frames.shown);
    if (!step || viewer.isStale || scene.drawn !== step.drawnFrom || step.frames.shown !== step.to) return undefined;
    if (!scene.wouldDraw(step.to, step.drawnTo, isHeld)) return undefined;
    frames.share(step.to);
    scene.drawn = step.drawnTo;
    return step;
  }

  /** Joins a client that has been drawn to another that shows the same, if there is one. */
  join(viewer: Viewer, others: Iterable<Viewer>): void {
    const { frames, scene } = viewer;
    if (!scene.drawn) return;
    for (const other of others) {
      if (other === viewer || other.isStale || !other.scene.drawn) continue;
      if (other.frames.shown === frames.shown && other.scene.drawn === scene.drawn) return;
      if (!isSameDrawing(other.scene.drawn, scene.drawn) || !sameFrame(other.frames.shown, frames.shown)) continue;
      frames.share(other.frames.shown);
      scene.drawn = other.scene.drawn;
      return;
    }
  }
}

function sameFrame(a: Frame, b: Frame): boolean {
  if (!sameSize(a.size, b.size) || a.title !== b.title) return false;
  if (!sameCursor(a.cursor, b.cursor) || !sameModes(a.modes, b.modes)) return false;
  // Where clients differ, it is mostly in the status line.
  for (let y = a.rows.length - 1; y >= 0; y--) {
    const [row, other] = [a.rows[y], b.rows[y]];
    if (!row || !other || !sameRow(row, other)) return false;
  }
  return true;
}
