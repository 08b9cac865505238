/**
 * The modes a program set on its terminal: those that xterm keeps are read from it, the others are tracked by handlers that
 * watch and pass on.
 */
import type { CursorShape } from '../../protocol/frame.ts';
import type { XtermCore, XtermParams } from './emulator-internals.ts';
import { KeyboardStack, type SavedKeyboard } from './keyboard-stack.ts';

export type PaneMouseTracking = 'off' | 'x10' | 'click' | 'drag' | 'motion';
export type PaneMouseEncoding = 'default' | 'utf8' | 'sgr' | 'urxvt' | 'sgr-pixels';

/** The modes that matter outside the emulator: to encode input, to draw, and for format variables. */
export interface PaneModes {
  /** DECCKM (1). */
  readonly appCursor: boolean;
  /** DECKPAM. */
  readonly appKeypad: boolean;
  /** 2004. */
  readonly bracketedPaste: boolean;
  /** 1004. */
  readonly focusEvents: boolean;
  /** 9, 1000, 1002, 1003. */
  readonly mouseTracking: PaneMouseTracking;
  /** 1005, 1006, 1015, 1016. */
  readonly mouseEncoding: PaneMouseEncoding;
  readonly alternateScreen: boolean;
  /** 1007. */
  readonly alternateScroll: boolean;
  /** 2026: painting waits. */
  readonly synchronizedOutput: boolean;
  /** IRM (4). */
  readonly insert: boolean;
  /** DECAWM (7). */
  readonly wrap: boolean;
  /** DECOM (6). */
  readonly origin: boolean;
  /** XTMODKEYS resource 4 (`CSI > 4 ; n m`). */
  readonly modifyOtherKeys: 0 | 1 | 2;
  /** The kitty keyboard protocol's flags of the screen that is shown (KEY_FLAGS). */
  readonly keyFlags: number;
  /** 2031: told when the person's terminal turns dark or light. */
  readonly themeReports: boolean;
}

/** DECSET 2026 ends by itself after so long, ms. */
export const SYNC_MAX_MS = 1000;

/** What is tracked beside xterm, to be kept and set again. */
export interface TrackedModes {
  readonly encoding: PaneMouseEncoding;
  readonly alternateScroll: boolean;
  readonly cursorBlink: boolean;
  readonly modifyOtherKeys: 0 | 1 | 2;
  /** Absent in what earlier versions kept. */
  readonly themeReports?: boolean;
  readonly keyboard?: { readonly main: SavedKeyboard; readonly alternate: SavedKeyboard };
}

const ENCODING_MODES: Readonly<Record<number, PaneMouseEncoding>> = {
  1005: 'utf8',
  1006: 'sgr',
  1015: 'urxvt',
  1016: 'sgr-pixels',
};

/** DECRPM values. */
const UNKNOWN = 0;
const SET = 1;
const RESET = 2;

export class TerminalModes {
  readonly #core: XtermCore;
  readonly #now: () => number;
  #encoding: PaneMouseEncoding = 'default';
  #alternateScroll = false;
  #cursorBlink = false;
  #modifyOtherKeys: 0 | 1 | 2 = 0;
  #themeReports = false;
  readonly #mainKeyboard = new KeyboardStack();
  readonly #alternateKeyboard = new KeyboardStack();
  /** When 2026 was set, ms. */
  #syncSince = 0;
  /** The modes as they are at the time of reading. */
  readonly inForce: PaneModes;

  constructor(core: XtermCore, now: () => number) {
    this.#core = core;
    this.#now = now;
    const parser = core._inputHandler._parser;
    parser.registerCsiHandler({ prefix: '?', final: 'h' }, (params) => this.#watch(params, true));
    parser.registerCsiHandler({ prefix: '?', final: 'l' }, (params) => this.#watch(params, false));
    parser.registerCsiHandler({ prefix: '>', final: 'm' }, (params) => this.#setKeyModifiers(params));
    parser.registerCsiHandler({ prefix: '>', final: 'n' }, (params) => {
      if (params.params[0] === 4) this.#modifyOtherKeys = 0;
      return true;
    });
    parser.registerCsiHandler({ intermediates: '!', final: 'p' }, () => {
      this.#resetKeyboards();
      return false;
    });
    this.#watchKeyboard();
    this.inForce = this.#view(core);
  }

  /** One object for ever: a key that asks for one mode reads that one alone. */
  #view({ coreService }: XtermCore): PaneModes {
    const own = () => this;
    return {
      get appCursor() {
        return coreService.decPrivateModes.applicationCursorKeys;
      },
      get appKeypad() {
        return coreService.decPrivateModes.applicationKeypad;
      },
      get bracketedPaste() {
        return coreService.decPrivateModes.bracketedPasteMode;
      },
      get focusEvents() {
        return coreService.decPrivateModes.sendFocus;
      },
      get mouseTracking() {
        return own().#mouseTracking;
      },
      get mouseEncoding() {
        return own().#encoding;
      },
      get alternateScreen() {
        return own().#isAlternate;
      },
      get alternateScroll() {
        return own().#alternateScroll;
      },
      get synchronizedOutput() {
        return coreService.decPrivateModes.synchronizedOutput;
      },
      get insert() {
        return coreService.modes.insertMode;
      },
      get wrap() {
        return coreService.decPrivateModes.wraparound;
      },
      get origin() {
        return coreService.decPrivateModes.origin;
      },
      get modifyOtherKeys() {
        return own().#modifyOtherKeys;
      },
      get keyFlags() {
        return own().keyFlags;
      },
      get themeReports() {
        return own().#themeReports;
      },
    };
  }

  get tracked(): TrackedModes {
    return {
      encoding: this.#encoding,
      alternateScroll: this.#alternateScroll,
      cursorBlink: this.#cursorBlink,
      modifyOtherKeys: this.#modifyOtherKeys,
      themeReports: this.#themeReports,
      keyboard: { main: this.#mainKeyboard.saved, alternate: this.#alternateKeyboard.saved },
    };
  }

  /** Sets what `tracked` gave; a synchronised update has its whole time again. */
  restore(tracked: TrackedModes): void {
    this.#encoding = tracked.encoding;
    this.#alternateScroll = tracked.alternateScroll;
    this.#cursorBlink = tracked.cursorBlink;
    this.#modifyOtherKeys = tracked.modifyOtherKeys;
    this.#themeReports = tracked.themeReports ?? false;
    this.#mainKeyboard.restore(tracked.keyboard?.main ?? []);
    this.#alternateKeyboard.restore(tracked.keyboard?.alternate ?? []);
    this.#syncSince = this.#now();
  }

  /** Forgets what is tracked here (RIS). */
  reset(): void {
    this.#encoding = 'default';
    this.#alternateScroll = false;
    this.#cursorBlink = false;
    this.#modifyOtherKeys = 0;
    this.#themeReports = false;
    this.#resetKeyboards();
  }

  #resetKeyboards(): void {
    this.#mainKeyboard.reset();
    this.#alternateKeyboard.reset();
  }

  /** The kitty keyboard protocol's flags in force (KEY_FLAGS). */
  get keyFlags(): number {
    return this.#keyboard.flags;
  }

  /** XTMODKEYS resource 4. */
  get modifyOtherKeys(): 0 | 1 | 2 {
    return this.#modifyOtherKeys;
  }

  get cursorStyle(): { readonly shape: CursorShape; readonly blink: boolean } {
    const { cursorStyle, cursorBlink } = this.#core.coreService.decPrivateModes;
    return { shape: cursorStyle ?? 'default', blink: cursorBlink ?? this.#cursorBlink };
  }

  /** ms until a synchronised update is given up, undefined if there is none. */
  syncExpiry(): number | undefined {
    if (!this.#core.coreService.decPrivateModes.synchronizedOutput) return undefined;
    return Math.max(0, this.#syncSince + SYNC_MAX_MS - this.#now());
  }

  /** Ends a synchronised update that took too long. */
  expire(): void {
    if (this.syncExpiry() === 0) this.#core.coreService.decPrivateModes.synchronizedOutput = false;
  }

  /** DECRPM value of an ANSI mode. */
  ansiState(mode: number): number {
    return mode === 4 ? asState(this.#core.coreService.modes.insertMode) : UNKNOWN;
  }

  /** DECRPM value of a private mode. */
  privateState(mode: number): number {
    const encoding = ENCODING_MODES[mode];
    if (encoding) return asState(this.#encoding === encoding);
    const value = this.#privateModes()[mode];
    return value === undefined ? UNKNOWN : asState(value);
  }

  #privateModes(): Readonly<Record<number, boolean>> {
    const { decPrivateModes: modes, isCursorHidden } = this.#core.coreService;
    const tracking = this.#mouseTracking;
    return {
      1: modes.applicationCursorKeys,
      6: modes.origin,
      7: modes.wraparound,
      9: tracking === 'x10',
      12: this.#cursorBlink,
      25: !isCursorHidden,
      47: this.#isAlternate,
      66: modes.applicationKeypad,
      1000: tracking === 'click',
      1002: tracking === 'drag',
      1003: tracking === 'motion',
      1004: modes.sendFocus,
      1007: this.#alternateScroll,
      1047: this.#isAlternate,
      1049: this.#isAlternate,
      2004: modes.bracketedPasteMode,
      2026: modes.synchronizedOutput,
      2031: this.#themeReports,
    };
  }

  get #isAlternate(): boolean {
    const { active, alt } = this.#core._bufferService.buffers;
    return active === alt;
  }

  get #mouseTracking(): PaneMouseTracking {
    const names = { NONE: 'off', X10: 'x10', VT200: 'click', DRAG: 'drag', ANY: 'motion' } as const;
    return names[this.#core.coreMouseService.activeProtocol];
  }

  #watch(params: XtermParams, isSet: boolean): boolean {
    for (let i = 0; i < params.length; i++) {
      const mode = params.params[i] ?? 0;
      const encoding = ENCODING_MODES[mode];
      if (encoding) this.#encoding = isSet ? encoding : 'default';
      else if (mode === 1007) this.#alternateScroll = isSet;
      else if (mode === 2031) this.#themeReports = isSet;
      else if (mode === 12) this.#cursorBlink = isSet;
      else if (mode === 2026 && isSet && this.syncExpiry() === undefined) this.#syncSince = this.#now();
    }
    return false;
  }

  get #keyboard(): KeyboardStack {
    return this.#isAlternate ? this.#alternateKeyboard : this.#mainKeyboard;
  }

  /** The kitty keyboard protocol but for its question, which replies.ts answers. */
  #watchKeyboard(): void {
    const parser = this.#core._inputHandler._parser;
    const watch = (prefix: string, run: (first: number, second: number) => void) =>
      parser.registerCsiHandler({ prefix, final: 'u' }, ({ params, length }) => {
        run(params[0] ?? 0, length > 1 ? (params[1] ?? 0) : 0);
        return true;
      });
    watch('>', (flags) => this.#keyboard.push(flags));
    watch('<', (count) => this.#keyboard.pop(count));
    watch('=', (flags, mode) => this.#keyboard.set(flags, mode));
  }

  #setKeyModifiers({ params, length }: XtermParams): boolean {
    if (params[0] !== 4) return true;
    const value = length > 1 ? params[1] : 0;
    this.#modifyOtherKeys = value === 1 || value === 2 ? value : 0;
    return true;
  }
}

function asState(value: boolean): number {
  return value ? SET : RESET;
}
