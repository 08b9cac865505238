/** scroll-pane: a pane's view is scrolled back while the pane stays live (live-scroll.ts). */
import { failed, OK } from '../command-queue.ts';
import type { Entry } from './context.ts';

/** Cursor keys that one call types at most into a program on the alternate screen. */
const KEYS_MAX = 100;

const scrollPane: Entry = {
  name: 'scroll-pane',
  own: true,
  args: { template: 'BDt:TU', min: 0, max: 1 },
  usage: '[-BDTU] [-t target-pane] [lines]',
  target: { flag: 't', kind: 'pane' },
  help: "Scroll a pane's view back (-U) or down (-D) by lines or a page, to the top (-T) or bottom (-B), without a mode",
  exec(context, args) {
    const { pane } = context.target;
    const given = args.strings(0)[0];
    const page = Math.max(1, pane.size.rows - 1);
    const parsed = given === undefined ? { ok: true as const, value: page } : lineCount(given);
    if (!parsed.ok) return failed(parsed.error);
    // A mode has a view of its own.
    if (pane.mode) return OK;
    const isUp = args.has('U') || args.has('T');
    if (!isUp && !args.has('D') && !args.has('B')) return failed('a direction is needed: -U, -D, -T or -B');
    if (pane.emulator.modes.alternateScreen) {
      // Nothing is above it: the program is told, as terminals tell it of the wheel (xterm's alternateScroll).
      const key = isUp ? 'Up' : 'Down';
      for (let i = 0; i < Math.min(parsed.value, KEYS_MAX); i++) context.services.sendKey(pane, key, context.client);
      return OK;
    }
    const { scroll } = pane;
    if (args.has('T')) scroll.offset = pane.emulator.historyLength;
    else if (args.has('B')) scroll.offset = 0;
    else scroll.offset += isUp ? parsed.value : -parsed.value;
    context.registry.markPane(pane);
    return OK;
  },
};

function lineCount(text: string) {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value > 0 ? { ok: true as const, value } : { ok: false as const, error: `number of lines invalid: ${text}` };
}

export const SCROLL_ENTRIES: readonly Entry[] = [scrollPane];
