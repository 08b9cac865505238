/**
 * Bounds what a hostile program can make the parser do. It stands inside the parser and not before it: the parser's own
 * state machine then decides what a sequence is, split at any byte and in both spellings of C1, and no second parser can
 * disagree with it.
 *
 * What is bounded where: counts of loops here and in line-operations.ts; code points of a cell in printer.ts; strings by
 * StringCollector; the number of parameters by xterm (32, and 32 subparameters); strings that never end by
 * `Emulator.expire`.
 */

import { stateWidth } from '../../src/overlay/text-width.ts';
import {
  ACTION_DCS_HOOK,
  ACTION_IGNORE,
  PARSER_DCS_PASSTHROUGH,
  PARSER_ESCAPE,
  PARSER_IGNORED_STRING,
  PARSER_NON_ASCII,
  type XtermCore,
  type XtermDcsHandler,
  type XtermOscHandler,
  type XtermParams,
} from './emulator-internals.ts';
import type { OscEnd } from './osc-end.ts';

/** Any OSC or DCS payload, code points; what is longer is swallowed whole. */
export const STRING_MAX = 1 << 20;
/** A title, an icon name, a path: code points. */
export const TITLE_MAX = 1024;
/** An OSC 8 payload: id and URI. */
export const LINK_MAX = 2048;
/** A string that got no byte for so long is given up, ms. */
export const STRING_IDLE_MS = 5000;

/** Limits the counts that xterm loops over, and swallows what must never have an effect. */
export function guardSequences(core: XtermCore): void {
  const input = core._inputHandler;
  const parser = input._parser;
  const limitToColumns = (params: XtermParams): boolean => {
    params.params[0] = Math.min(params.params[0] || 1, core._bufferService.cols);
    return false;
  };
  parser.registerCsiHandler({ final: 'I' }, limitToColumns);
  parser.registerCsiHandler({ final: 'Z' }, limitToColumns);
  parser.registerCsiHandler({ final: 'b' }, (params) => {
    const width = stateWidth(parser.precedingJoinState);
    const room = core._bufferService.cols - input._activeBuffer.x;
    if (width === 0 || room < width) return true;
    // As tmux: repeat to the end of the row at most.
    params.params[0] = Math.min(params.params[0] || 1, Math.floor(room / width));
    return false;
  });
  // Nothing of a string that nobody handles is kept.
  parser.setOscHandlerFallback(() => {});
  parser.setDcsHandlerFallback(() => {});
  parser.setErrorHandler((state) => state);
  // ESC k … ST (screen's and tmux's window name) is a string for us; xterm would print the name. It is parsed as the DCS
  // with final k and no parameters, which means nothing elsewhere.
  parser._transitions.add(0x6b, PARSER_ESCAPE, ACTION_DCS_HOOK, PARSER_DCS_PASSTHROUGH);
  // A non-ASCII character does not end an APC, PM or SOS string.
  parser._transitions.add(PARSER_NON_ASCII, PARSER_IGNORED_STRING, ACTION_IGNORE, PARSER_IGNORED_STRING);
}

/** Gathers the payload of an OSC or DCS up to a limit and hands it over at the end; longer ones are dropped. */
export class StringCollector implements XtermOscHandler, XtermDcsHandler {
  readonly #limit: number;
  readonly #done: (payload: string) => void;
  readonly #end: OscEnd | undefined;
  #parts: string[] = [];
  #length = 0;

  /** `end` is told how far an OSC goes. */
  constructor(limit: number, done: (payload: string) => void, { end }: { readonly end?: OscEnd } = {}) {
    this.#limit = limit;
    this.#done = done;
    this.#end = end;
  }

  start(): void {
    this.#parts = [];
    this.#length = 0;
  }

  hook(): void {
    this.start();
  }

  put(data: Uint32Array, start: number, end: number): void {
    this.#end?.reached(end);
    this.#length += end - start;
    if (this.#length > this.#limit) {
      this.#parts = [];
      return;
    }
    this.#parts.push(textOf(data, start, end));
    // Byte by byte delivery must not cost an array entry a byte.
    if (this.#parts.length > 64) this.#parts = [this.#parts.join('')];
  }

  end(success: boolean): boolean {
    const payload = success && this.#length <= this.#limit ? this.#parts.join('') : undefined;
    this.start();
    if (payload !== undefined) this.#done(payload);
    return true;
  }

  unhook(success: boolean): boolean {
    return this.end(success);
  }
}

function textOf(data: Uint32Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i += 4096) text += String.fromCodePoint(...data.subarray(i, Math.min(end, i + 4096)));
  return text;
}
