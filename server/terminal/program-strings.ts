/**
 * What a program says in strings: OSC (title, links, colours, clipboard, notifications, prompt marks, directory) and ESC k.
 * Text is cleaned before anybody sees it. A handler that throws costs its one string.
 */
import { cleanText } from '../../protocol/clean-text.ts';
import { parseColorSpec, printColorSpec } from '../../protocol/color-spec.ts';
import { CLIPBOARD_MAX } from '../../protocol/message.ts';
import { paletteColor } from '../../protocol/sgr.ts';
import type { XtermCore } from './emulator-internals.ts';
import type { Hyperlinks } from './hyperlinks.ts';
import { KittyNotifications } from './kitty-notification.ts';
import type { OscEnd, OscTerminator } from './osc-end.ts';
import { markExtended } from './pen.ts';
import type { ProgramColors } from './program-colors.ts';
import type { PromptMarks } from './prompt-marks.ts';
import { LINK_MAX, STRING_MAX, StringCollector, TITLE_MAX } from './sequence-guard.ts';

const NOTIFICATION_MAX = 1000;
/** A piece of an OSC 99: 4096 bytes of text by its standard, and metadata. */
const NOTIFICATION_PIECE_MAX = 8192;

/** Told what the program said; every text is clean. All optional. */
export interface ProgramHandlers {
  readonly title?: (title: string) => void;
  readonly iconName?: (name: string) => void;
  /** ESC k. */
  readonly windowName?: (name: string) => void;
  /** OSC 7: the path if it was a file URI, else the text as it came. */
  readonly cwd?: (path: string) => void;
  /** OSC 52 write: `selection` is made of `c p q s 0-7`, '' if the program named none. The text is not cleaned. */
  readonly clipboard?: (selection: string, text: string) => void;
  /** Whether OSC 52 of the program is taken; told in DA1. */
  readonly takesClipboard?: () => boolean;
  /** OSC 52 `?`: the program asks for the clipboard. */
  readonly clipboardQuery?: (question: ClipboardQuestion) => void;
  /** OSC 9, 777, 99; as often as the program likes. */
  readonly notification?: (title: string, body: string) => void;
  /** OSC 22; '' resets. */
  readonly pointerShape?: (name: string) => void;
}

/** What an answer to OSC 52 needs. */
export interface ClipboardQuestion {
  /** As for writing. */
  readonly selection: string;
  readonly terminator: OscTerminator;
}

export interface ProgramStringsContext {
  readonly core: XtermCore;
  readonly handlers: ProgramHandlers;
  readonly promptMarks: PromptMarks;
  readonly links: Hyperlinks;
  readonly colors: ProgramColors;
  /** Colours of the person's terminal, to answer queries with; undefined ones are not answered. */
  readonly hostColors: () => { readonly foreground?: number | undefined; readonly background?: number | undefined };
  /** Answers end as their questions did. */
  readonly oscEnd: OscEnd;
  readonly reply: (bytes: string) => void;
  readonly setTitle: (title: string) => void;
  readonly colorsChanged: () => void;
  /** Runs a handler and survives what it throws. */
  readonly protect: (run: () => void) => void;
}

/** Installs the handlers on the parser; xterm's own for these strings are removed. */
export function installProgramStrings(context: ProgramStringsContext): void {
  const { handlers } = context;
  const clean = (text: string) => cleanText(text, { max: TITLE_MAX });
  const kitty = new KittyNotifications();
  const notifyOsc99 = (text: string): void => {
    const whole = kitty.take(text);
    // What has one part is a text to show, whichever part it is.
    if (whole) notify(context, whole.body === '' ? '' : whole.title, whole.body || whole.title);
  };
  const oscs: readonly (readonly [id: number, limit: number, run: (payload: string) => void])[] = [
    [0, TITLE_MAX, (text) => titleAndIcon(context, clean(text))],
    [1, TITLE_MAX, (text) => handlers.iconName?.(clean(text))],
    [2, TITLE_MAX, (text) => context.setTitle(clean(text))],
    [4, STRING_MAX, (text) => setPalette(context, text)],
    [7, TITLE_MAX, (text) => handlers.cwd?.(parseDirectory(text))],
    [8, LINK_MAX, (text) => setLink(context, text)],
    [9, STRING_MAX, (text) => notifyOsc9(context, text)],
    [10, STRING_MAX, (text) => setDefaultColor(context, 10, text)],
    [11, STRING_MAX, (text) => setDefaultColor(context, 11, text)],
    [12, STRING_MAX, (text) => setDefaultColor(context, 12, text)],
    [22, TITLE_MAX, (text) => handlers.pointerShape?.(/^[a-z-]{0,32}$/.test(text) ? text : '')],
    [52, STRING_MAX, (text) => handleClipboard(context, text)],
    [99, NOTIFICATION_PIECE_MAX, (text) => notifyOsc99(text)],
    [104, STRING_MAX, (text) => resetPalette(context, text)],
    [110, STRING_MAX, () => resetDefaultColor(context, 10)],
    [111, STRING_MAX, () => resetDefaultColor(context, 11)],
    [112, STRING_MAX, () => resetDefaultColor(context, 12)],
    [133, TITLE_MAX, (text) => context.promptMarks.take(text)],
    [777, STRING_MAX, (text) => notifyOsc777(context, text)],
  ];
  const parser = context.core._inputHandler._parser;
  for (const [id, limit, run] of oscs) {
    parser.clearOscHandler(id);
    const collector = new StringCollector(limit, (payload) => context.protect(() => run(payload)), {
      end: context.oscEnd,
    });
    parser.registerOscHandler(id, collector);
  }
  const name = new StringCollector(TITLE_MAX, (text) => context.protect(() => handlers.windowName?.(clean(text))));
  parser.registerDcsHandler({ final: 'k' }, name);
}

function titleAndIcon(context: ProgramStringsContext, text: string): void {
  context.setTitle(text);
  context.handlers.iconName?.(text);
}

/** The path of `file://host/path`, percent-decoded; other text as it is. */
function parseDirectory(text: string): string {
  const path = /^file:\/\/[^/]*(\/.*)$/.exec(text)?.[1];
  if (path === undefined) return cleanText(text, { max: TITLE_MAX });
  try {
    return cleanText(decodeURIComponent(path), { max: TITLE_MAX });
  } catch {
    return cleanText(path, { max: TITLE_MAX });
  }
}

function setLink({ core, links }: ProgramStringsContext, payload: string): void {
  const semicolon = payload.indexOf(';');
  if (semicolon === -1) return;
  const uri = payload.slice(semicolon + 1);
  const id = /(?:^|:)id=([^:]*)/.exec(payload.slice(0, semicolon))?.[1] ?? '';
  const pen = core._inputHandler._curAttrData;
  // Cells share the object: a changed one is a new one.
  pen.extended = pen.extended.clone();
  pen.extended.urlId = uri === '' ? 0 : links.register(id, uri);
  markExtended(pen);
}

function setPalette(context: ProgramStringsContext, payload: string): void {
  const fields = payload.split(';', 512);
  let changed = false;
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const index = paletteIndex(fields[i]);
    const spec = fields[i + 1];
    if (index === undefined || spec === undefined) continue;
    if (spec === '?') {
      const color = context.colors.palette.get(index) ?? (index >= 16 ? paletteColor(index) : undefined);
      if (color !== undefined) tellColor(context, `4;${index}`, color);
      continue;
    }
    const color = parseColorSpec(spec);
    if (color === undefined) continue;
    context.colors.palette.set(index, color);
    changed = true;
  }
  if (changed) context.colorsChanged();
}

function tellColor({ reply, oscEnd }: ProgramStringsContext, what: string, color: number): void {
  reply(`\x1b]${what};${printColorSpec(color)}${oscEnd.terminator}`);
}

function resetPalette(context: ProgramStringsContext, payload: string): void {
  if (payload === '') context.colors.palette.clear();
  for (const field of payload.split(';', 512)) {
    const index = paletteIndex(field);
    if (index !== undefined) context.colors.palette.delete(index);
  }
  context.colorsChanged();
}

function paletteIndex(field: string | undefined): number | undefined {
  if (field === undefined || !/^\d{1,3}$/.test(field)) return undefined;
  const index = Number(field);
  return index < 256 ? index : undefined;
}

const DEFAULT_COLORS = { 10: 'foreground', 11: 'background', 12: 'cursor' } as const;

/** OSC 10, 11, 12; several specifications set this colour and the ones after it, as xterm. */
function setDefaultColor(context: ProgramStringsContext, first: 10 | 11 | 12, payload: string): void {
  let code: number = first;
  let changed = false;
  for (const spec of payload.split(';', 3)) {
    if (code !== 10 && code !== 11 && code !== 12) break;
    const name = DEFAULT_COLORS[code];
    if (spec === '?') {
      const color = context.colors[name] ?? (name === 'cursor' ? undefined : context.hostColors()[name]);
      if (color !== undefined) tellColor(context, `${code}`, color);
    } else {
      const color = parseColorSpec(spec);
      if (color !== undefined) {
        context.colors[name] = color;
        changed = true;
      }
    }
    code++;
  }
  if (changed) context.colorsChanged();
}

function resetDefaultColor(context: ProgramStringsContext, code: 10 | 11 | 12): void {
  context.colors[DEFAULT_COLORS[code]] = undefined;
  context.colorsChanged();
}

/** `Pc;Pd`; `?` for the text asks for it. */
function handleClipboard({ handlers, oscEnd }: ProgramStringsContext, payload: string): void {
  const asked = /^([cpqs0-7]{0,12});\?$/.exec(payload)?.[1];
  if (asked !== undefined) {
    handlers.clipboardQuery?.({ selection: asked, terminator: oscEnd.terminator });
    return;
  }
  const match = /^([cpqs0-7]{0,12});([A-Za-z0-9+/]*={0,2})$/.exec(payload);
  const encoded = match?.[2];
  if (!match || encoded === undefined || encoded.length > (CLIPBOARD_MAX * 4) / 3 + 4) return;
  if (encoded.length % 4 === 1) return;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > CLIPBOARD_MAX) return;
  handlers.clipboard?.(match[1] ?? '', bytes.toString('utf8'));
}

function notify(context: ProgramStringsContext, title: string, body: string): void {
  const clean = (text: string) => cleanText(text, { max: NOTIFICATION_MAX });
  context.handlers.notification?.(clean(title), clean(body));
}

function notifyOsc9(context: ProgramStringsContext, payload: string): void {
  // ConEmu's subcommands (9;1 to 9;12) are no notifications; 9;4 is progress.
  if (!/^\d{1,2}(;|$)/.test(payload)) notify(context, '', payload);
}

/** rxvt's `777;notify;title;body`. */
function notifyOsc777(context: ProgramStringsContext, payload: string): void {
  const [command, title = '', ...body] = payload.split(';');
  if (command === 'notify') notify(context, title, body.join(';'));
}
