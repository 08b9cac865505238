/** Controls with an effect beyond the screen: bell, RIS, and the window operations, of which only the harmless are known. */
import type { XtermCore } from './emulator-internals.ts';
import type { CellPixels } from './replies.ts';

/** Titles that XTPUSHTITLE (CSI 22 t) keeps. */
const TITLE_STACK_MAX = 10;

export interface ControlsContext {
  readonly core: XtermCore;
  readonly bell: () => void;
  readonly reset: () => void;
  readonly size: () => { readonly cols: number; readonly rows: number };
  readonly cellPixels: () => CellPixels;
  readonly reply: (bytes: string) => void;
  readonly title: () => string;
  /** Titles put away by CSI 22 t, the last on top. */
  readonly titles: string[];
  readonly setTitle: (title: string) => void;
  /** Runs a handler of the owner's and survives what it throws. */
  readonly protect: (run: () => void) => void;
}

/** Installs the handlers on the parser. */
export function installControls(context: ControlsContext): void {
  const parser = context.core._inputHandler._parser;
  parser.setExecuteHandler('\x07', () => {
    context.protect(context.bell);
    return true;
  });
  parser.registerEscHandler({ final: 'c' }, () => {
    parser.reset();
    context.reset();
    return true;
  });
  const { titles } = context;
  // Only the size is told and only titles are stacked; nothing is resized, moved or read out.
  parser.registerCsiHandler({ final: 't' }, ({ params }) => {
    const what = params[0];
    const size = sizeReport(context, what);
    if (size !== undefined) context.protect(() => context.reply(size));
    else if (what === 22) {
      if (titles.length < TITLE_STACK_MAX) titles.push(context.title());
    } else if (what === 23) {
      const title = titles.pop();
      if (title !== undefined) context.protect(() => context.setTitle(title));
    }
    return true;
  });
}

function sizeReport({ size, cellPixels }: ControlsContext, what: number | undefined): string | undefined {
  const { cols, rows } = size();
  const { width, height } = cellPixels();
  if (what === 14) return `\x1b[4;${rows * height};${cols * width}t`;
  if (what === 16) return `\x1b[6;${height};${width}t`;
  return what === 18 ? `\x1b[8;${rows};${cols}t` : undefined;
}

/** Lets through one event an interval: bells and notifications of a pane come in storms. */
export class RateLimit {
  readonly #now: () => number;
  readonly #intervalMs: number;
  #last = Number.NEGATIVE_INFINITY;

  constructor(now: () => number, intervalMs: number) {
    this.#now = now;
    this.#intervalMs = intervalMs;
  }

  /** Whether this event may pass. */
  take(): boolean {
    const now = this.#now();
    if (now - this.#last < this.#intervalMs) return false;
    this.#last = now;
    return true;
  }
}
