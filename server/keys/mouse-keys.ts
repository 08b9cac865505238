/**
 * Names mouse events as tmux(1) MOUSE SUPPORT does: `MouseDown1Pane`, `WheelUpStatus`, `DoubleClick1Pane`. A click that
 * could become a double click is told at once as MouseDown; DoubleClick follows when no third click comes in time.
 */
import type { InputEvent, Key, MouseButton } from '../../protocol/key.ts';
import type { Pane } from '../model/pane.ts';
import type { Winlink } from '../model/session.ts';

export type MouseEvent = Extract<InputEvent, { kind: 'mouse' }>;

/** Where on the client's screen the mouse is. */
export interface MousePlace {
  readonly area: 'Pane' | 'Border' | 'Status' | 'StatusLeft' | 'StatusRight' | 'StatusDefault';
  readonly pane: Pane | undefined;
  /** The window whose name in the status line it is. */
  readonly winlink: Winlink | undefined;
  /** Cell in the pane (area Pane) or of the status lines, on borders on the client's screen. */
  readonly x: number;
  readonly y: number;
}

/** Two clicks are a double click within this time. */
export const CLICK_MS = 300;
/** Timers count from the start of their turn of the event loop, which is before the click was seen. */
const TIMER_SLACK_MS = 100;

const NUMBERS: Partial<Record<MouseButton, string>> = {
  left: '1',
  middle: '2',
  right: '3',
  'button-8': '8',
  'button-9': '9',
  'button-10': '10',
  'button-11': '11',
};

export interface MousePress {
  readonly event: MouseEvent;
  readonly place: MousePlace;
}

interface Click {
  readonly button: MouseButton;
  readonly x: number;
  readonly y: number;
  readonly count: number;
  readonly time: number;
}

export class MouseKeys {
  #lastClick: Click | undefined;
  #pressed: MouseButton | undefined;
  #dragging = false;
  /** Where the held button went down; drags stay with it. */
  #press: MousePress | undefined;

  /** Where a drag began, for events that follow it out of the pane. */
  get press(): MousePress | undefined {
    return this.#press;
  }

  /** The key's name, or undefined when the event has none (a motion without a button outside of drags). */
  name(event: MouseEvent, place: MousePlace, now: number): Key | undefined {
    const base = this.#base(event, place, now);
    if (base === undefined) return undefined;
    const area = this.#dragging && this.#press ? this.#press.place.area : place.area;
    if (event.action === 'release') this.#released();
    return `${event.ctrl ? 'C-' : ''}${event.meta ? 'M-' : ''}${event.shift ? 'S-' : ''}${base}${area}`;
  }

  /** DoubleClick for a second click that no third one followed; call CLICK_MS after it with the event's place. */
  pendingDoubleClick(now: number): { readonly x: number; readonly y: number; readonly key: string } | undefined {
    const click = this.#lastClick;
    if (click?.count !== 2 || now - click.time < CLICK_MS - TIMER_SLACK_MS) return undefined;
    this.#lastClick = undefined;
    return { x: click.x, y: click.y, key: `DoubleClick${NUMBERS[click.button] ?? '1'}` };
  }

  #base(event: MouseEvent, place: MousePlace, now: number): string | undefined {
    if (event.button === 'wheel-up') return 'WheelUp';
    if (event.button === 'wheel-down') return 'WheelDown';
    if (event.action === 'motion') {
      if (event.button === 'none' || this.#pressed === undefined) return 'MouseMove';
      this.#dragging = true;
      this.#lastClick = undefined;
      return `MouseDrag${NUMBERS[this.#pressed] ?? '1'}`;
    }
    const number = NUMBERS[event.button === 'none' ? (this.#pressed ?? 'left') : event.button];
    if (number === undefined) return undefined;
    if (event.action === 'release') return this.#dragging ? `MouseDragEnd${number}` : `MouseUp${number}`;
    this.#pressed = event.button;
    this.#dragging = false;
    this.#press = { event, place };
    return `${this.#countClick(event, now)}${number}`;
  }

  #countClick(event: MouseEvent, now: number): string {
    const last = this.#lastClick;
    const again =
      last && last.button === event.button && last.x === event.x && last.y === event.y && now - last.time < CLICK_MS;
    const count = again ? last.count + 1 : 1;
    this.#lastClick = { button: event.button, x: event.x, y: event.y, count, time: now };
    if (count === 3) {
      this.#lastClick = undefined;
      return 'TripleClick';
    }
    return count === 2 ? 'SecondClick' : 'MouseDown';
  }

  #released(): void {
    this.#pressed = undefined;
    this.#dragging = false;
  }
}
