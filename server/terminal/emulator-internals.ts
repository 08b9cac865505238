/**
 * The parts of @xterm/headless 6.0.0 below its public API that the emulator uses, typed once, here. The public API has no
 * rows as memory, no dirty rows, no parser state, no links and no way to parse without a timer.
 *
 * `internalsOf` checks at start that each part is where it is expected; the canary test in
 * test/server/terminal/emulator-internals.test.ts says what changed when xterm is upgraded.
 */
import type { Terminal } from '@xterm/headless';

/** Underline style and colour and the link of a cell. Immutable once a cell refers to it: clone, then change. */
export interface XtermExtended {
  /** Bits 0-25 underline colour as in a cell's word, 26-28 underline style; 29-31 unused here. */
  _ext: number;
  /** 0 for none. */
  urlId: number;
  clone(): XtermExtended;
}

/** The pen. */
export interface XtermAttributes {
  fg: number;
  bg: number;
  extended: XtermExtended;
}

/** What prints in place of an ASCII character; undefined for ASCII itself. */
export type XtermCharset = Readonly<Record<string, string>>;

export interface XtermLine {
  /** 3 words a cell; may have more cells than the terminal has columns. */
  _data: Uint32Array;
  _combined: Record<number, string>;
  _extendedAttrs: Record<number, XtermExtended | undefined>;
  length: number;
  /** This line goes on the one before it (no line feed in between). */
  isWrapped: boolean;
  insertCells(position: number, count: number, fill: unknown): void;
}

export interface XtermLines {
  readonly length: number;
  maxLength: number;
  readonly isFull: boolean;
  get(index: number): XtermLine | undefined;
  set(index: number, line: XtermLine | undefined): void;
  push(line: XtermLine): void;
  pop(): XtermLine | undefined;
  recycle(): XtermLine;
  trimStart(count: number): void;
}

export interface XtermBuffer {
  lines: XtermLines;
  /** Index of the first line of the screen; what is above is history. */
  ybase: number;
  ydisp: number;
  x: number;
  y: number;
  scrollTop: number;
  scrollBottom: number;
  savedX: number;
  /** Absolute: counted from the first line of history. */
  savedY: number;
  savedCurAttrData: XtermAttributes;
  savedCharset: XtermCharset | undefined;
  /** Columns of the tab stops. */
  tabs: Record<number, boolean>;
  getBlankLine(attributes: XtermAttributes, isWrapped?: boolean): XtermLine;
  getNullCell(attributes?: XtermAttributes): unknown;
  clearMarkers(y: number): void;
}

export interface XtermParams {
  readonly params: Int32Array;
  readonly length: number;
  hasSubParams(index: number): boolean;
  getSubParams(index: number): Int32Array | null;
}

export interface XtermOscHandler {
  start(): void;
  put(data: Uint32Array, start: number, end: number): void;
  end(success: boolean): boolean;
}

export interface XtermDcsHandler {
  hook(params: XtermParams): void;
  put(data: Uint32Array, start: number, end: number): void;
  unhook(success: boolean): boolean;
}

export interface XtermFunctionId {
  readonly prefix?: string;
  readonly intermediates?: string;
  readonly final: string;
}

/** Parser states and actions by number (xterm's ParserState and ParserAction). */
export const PARSER_GROUND = 0;
export const PARSER_ESCAPE = 1;
/** This state and all above it are inside a string: SOS, PM, APC, OSC, DCS. */
export const PARSER_IGNORED_STRING = 7;
export const PARSER_OSC_STRING = 8;
export const PARSER_DCS_PASSTHROUGH = 13;
export const ACTION_IGNORE = 0;
export const ACTION_DCS_HOOK = 12;
/** Stands for every code point from U+00A0 on in the parser's table. */
export const PARSER_NON_ASCII = 0xa0;

export interface XtermParser {
  readonly currentState: number;
  /** One table for all parsers of the process. */
  readonly _transitions: { add(code: number, state: number, action: number, next: number): void };
  precedingJoinState: number;
  parse(data: Uint32Array, length: number): unknown;
  reset(): void;
  setPrintHandler(handler: (data: Uint32Array, start: number, end: number) => void): void;
  setExecuteHandler(code: string, handler: () => boolean): void;
  registerCsiHandler(id: XtermFunctionId, handler: (params: XtermParams) => boolean): void;
  registerEscHandler(id: XtermFunctionId, handler: () => boolean): void;
  clearOscHandler(id: number): void;
  registerOscHandler(id: number, handler: XtermOscHandler): void;
  setOscHandlerFallback(handler: () => void): void;
  clearDcsHandler(id: XtermFunctionId): void;
  registerDcsHandler(id: XtermFunctionId, handler: XtermDcsHandler): void;
  setDcsHandlerFallback(handler: () => void): void;
  setErrorHandler(handler: (state: unknown) => unknown): void;
}

export interface XtermDirtyRows {
  /** First and last row of the screen that changed since `clearRange`; may reach past the screen. */
  readonly start: number;
  readonly end: number;
  clearRange(): void;
  markDirty(y: number): void;
  markRangeDirty(from: number, to: number): void;
  markAllDirty(): void;
}

export interface XtermInputHandler {
  readonly _parser: XtermParser;
  readonly _activeBuffer: XtermBuffer;
  readonly _curAttrData: XtermAttributes;
  readonly _dirtyRowTracker: XtermDirtyRows;
  _eraseAttrData(): XtermAttributes;
  _restrictCursor(): void;
  /** Moves by columns and rows. */
  _moveCursor(x: number, y: number): void;
  lineFeed(): boolean;
}

export interface XtermPrivateModes {
  applicationCursorKeys: boolean;
  applicationKeypad: boolean;
  bracketedPasteMode: boolean;
  cursorBlink: boolean | undefined;
  cursorStyle: 'block' | 'underline' | 'bar' | undefined;
  origin: boolean;
  sendFocus: boolean;
  synchronizedOutput: boolean;
  wraparound: boolean;
}

export interface XtermCore {
  readonly _inputHandler: XtermInputHandler;
  readonly _bufferService: {
    readonly cols: number;
    readonly rows: number;
    readonly buffers: {
      readonly active: XtermBuffer;
      readonly normal: XtermBuffer;
      readonly alt: XtermBuffer;
      activateAltBuffer(fill?: XtermAttributes): void;
    };
    scroll(eraseAttributes: XtermAttributes, isWrapped?: boolean): void;
  };
  readonly _charsetService: {
    charset: XtermCharset | undefined;
    glevel: number;
    _charsets: (XtermCharset | undefined)[];
  };
  readonly coreService: {
    readonly modes: { insertMode: boolean };
    readonly decPrivateModes: XtermPrivateModes;
    isCursorHidden: boolean;
  };
  readonly coreMouseService: {
    activeProtocol: 'NONE' | 'X10' | 'VT200' | 'DRAG' | 'ANY';
    activeEncoding: 'DEFAULT' | 'SGR' | 'SGR_PIXELS';
  };
  readonly unicodeService: {
    register(provider: {
      readonly version: string;
      charProperties(codePoint: number, preceding: number): number;
      wcwidth(codePoint: number): 0 | 1 | 2;
    }): void;
    activeVersion: string;
  };
}

/** Paths that must exist, with their type. */
const EXPECTED: readonly (readonly [path: string, type: string])[] = [
  ['_inputHandler._parser.currentState', 'number'],
  ['_inputHandler._parser.precedingJoinState', 'number'],
  ['_inputHandler._parser.parse', 'function'],
  ['_inputHandler._parser.reset', 'function'],
  ['_inputHandler._parser._transitions.add', 'function'],
  ['_inputHandler._parser.setPrintHandler', 'function'],
  ['_inputHandler._parser.setExecuteHandler', 'function'],
  ['_inputHandler._parser.registerCsiHandler', 'function'],
  ['_inputHandler._parser.registerEscHandler', 'function'],
  ['_inputHandler._parser.registerOscHandler', 'function'],
  ['_inputHandler._parser.registerDcsHandler', 'function'],
  ['_inputHandler._parser.setOscHandlerFallback', 'function'],
  ['_inputHandler._parser.setDcsHandlerFallback', 'function'],
  ['_inputHandler._activeBuffer.lines.recycle', 'function'],
  ['_inputHandler._activeBuffer.ybase', 'number'],
  ['_inputHandler._activeBuffer.scrollBottom', 'number'],
  ['_inputHandler._activeBuffer.savedY', 'number'],
  ['_inputHandler._activeBuffer.savedCurAttrData.fg', 'number'],
  ['_inputHandler._activeBuffer.tabs', 'object'],
  ['_bufferService.buffers.activateAltBuffer', 'function'],
  ['_charsetService._charsets', 'object'],
  ['_charsetService.glevel', 'number'],
  ['_inputHandler._activeBuffer.getBlankLine', 'function'],
  ['_inputHandler._curAttrData.fg', 'number'],
  ['_inputHandler._curAttrData.extended._ext', 'number'],
  ['_inputHandler._curAttrData.extended.urlId', 'number'],
  ['_inputHandler._dirtyRowTracker.start', 'number'],
  ['_inputHandler._dirtyRowTracker.clearRange', 'function'],
  ['_inputHandler._eraseAttrData', 'function'],
  ['_inputHandler._moveCursor', 'function'],
  ['_inputHandler.lineFeed', 'function'],
  ['_bufferService.scroll', 'function'],
  ['_bufferService.buffers.normal.lines.maxLength', 'number'],
  ['_charsetService', 'object'],
  ['coreService.modes.insertMode', 'boolean'],
  ['coreService.decPrivateModes.wraparound', 'boolean'],
  ['coreService.isCursorHidden', 'boolean'],
  ['coreMouseService.activeProtocol', 'string'],
  ['unicodeService.register', 'function'],
];

/** The inside of a terminal; throws with the name of the first part that is not as expected. */
export function internalsOf(terminal: Terminal): XtermCore {
  // `_core` is private in the typings; what is below it is checked here.
  const core = (terminal as unknown as { readonly _core: XtermCore })._core;
  for (const [path, type] of EXPECTED) {
    let value: unknown = core;
    for (const name of path.split('.')) {
      value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
    }
    if (typeof value !== type)
      throw new Error(`@xterm/headless changed: _core.${path} is ${typeof value}, not ${type}`);
  }
  const line = core._inputHandler._activeBuffer.lines.get(0);
  if (!(line?._data instanceof Uint32Array) || line._data.length !== 3 * core._bufferService.cols) {
    throw new Error('@xterm/headless changed: a buffer line is no longer 3 words a cell in _data');
  }
  return core;
}
