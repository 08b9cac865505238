import type { ModeMouse } from '../../model/pane-mode.ts';
import type { MouseState } from './context.ts';

/** A mouse event as pane modes take it. */
export function modeMouse({ x, y, event }: MouseState): ModeMouse {
  return { x, y, clientX: event.x, clientY: event.y };
}
