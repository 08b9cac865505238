import type { ModeMouse } from '../../model/pane-mode.ts';
import type { MouseState } from './context.ts';

/** A mouse event as pane modes take it; a drag is taken where it began. */
export function modeMouse({ x, y, event, from }: MouseState): ModeMouse {
  return from ?? { x, y, clientX: event.x, clientY: event.y };
}
