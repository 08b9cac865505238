/**
 * How wide text is on a screen, and where one user-perceived character (grapheme cluster) ends.
 *
 * There is one answer in the whole program: the emulator prints with `charProperties`, dialogs and the client measure
 * with it. The tables are those of @xterm/addon-unicode-graphemes (Unicode 15 East Asian Width, UAX 29 clusters; VS16
 * makes its base two columns wide, a pair of regional indicators is two). What differs from the addon: format characters
 * that never show (bidi controls, zero width space, word joiner, byte order mark) take no column and are no part of a
 * cluster, and a mark without a base takes none either.
 */
import './unpooled-buffer.ts';
import addon from '@xterm/addon-unicode-graphemes';
import { isControl, isInvisibleFormat } from '../../protocol/clean-text.ts';
import { BUFFER_POOL_SIZE } from './unpooled-buffer.ts';

/** A cluster keeps at most this many code points; what follows is dropped ("e" and a million accents). */
export const CLUSTER_MAX = 32;

/** One user-perceived character and its columns: 0 (control, format character, lone mark), 1 or 2. */
export interface Grapheme {
  readonly text: string;
  readonly width: 0 | 1 | 2;
}

/**
 * State between two code points as xterm.js passes it: bit 0 "joins the preceding", bits 1-2 width of the cluster so far,
 * from bit 3 on the addon's break state. 0 is the start of text.
 */
export type JoinState = number;

interface WidthProvider {
  charProperties(codePoint: number, preceding: JoinState): JoinState;
  wcwidth(codePoint: number): 0 | 1 | 2;
}

Buffer.poolSize = BUFFER_POOL_SIZE;

let tables: WidthProvider | undefined;

const KIND_EXTEND = 2;
const KIND_ZWJ = 10;
/** The state after a printable ASCII character: kind "other", width 1. */
const AFTER_ASCII: JoinState = 1 << 1;

/** The addon hands its tables only to a terminal; this takes them without one. Unpacking takes milliseconds. */
function loadTables(): WidthProvider {
  // In a bundle the addon is evaluated here, by the first use: see unpooled-buffer.ts.
  Buffer.poolSize = 0;
  const found = new Map<string, WidthProvider>();
  const unicode = {
    activeVersion: '',
    versions: [],
    register(provider: { readonly version: string } & WidthProvider): void {
      found.set(provider.version, provider);
    },
  };
  // The addon's `activate` uses nothing of the terminal but `unicode`.
  const terminal = { unicode } as unknown as Parameters<
    InstanceType<typeof addon.UnicodeGraphemesAddon>['activate']
  >[0];
  new addon.UnicodeGraphemesAddon().activate(terminal);
  Buffer.poolSize = BUFFER_POOL_SIZE;
  const provider = found.get('15-graphemes');
  if (!provider) throw new Error('addon-unicode-graphemes no longer registers "15-graphemes"');
  if (provider.wcwidth(0x1f600) !== 2) throw new Error('addon-unicode-graphemes has read broken tables');
  return provider;
}

/** The state after `codePoint`, given the state before it (0 at the start of text and after a control). */
export function charProperties(codePoint: number, preceding: JoinState): JoinState {
  if (codePoint >= 0x20 && codePoint < 0x7f && preceding >> 3 === 0) return AFTER_ASCII;
  if (isInvisibleFormat(codePoint)) return preceding | 1;
  tables ??= loadTables();
  const state = tables.charProperties(codePoint, preceding);
  if (preceding === 0) {
    const kind = (state >> 3) & 0xf;
    if (kind === KIND_EXTEND || kind === KIND_ZWJ) return 1;
  }
  return state;
}

/** Whether the code point joins the cluster before it. */
export function joinsPreceding(state: JoinState): boolean {
  return (state & 1) !== 0;
}

/** Columns of the cluster that ends here. */
export function stateWidth(state: JoinState): 0 | 1 | 2 {
  const width = (state >> 1) & 3;
  return width >= 2 ? 2 : width === 1 ? 1 : 0;
}

/** Columns of one code point alone. */
export function codePointWidth(codePoint: number): 0 | 1 | 2 {
  if (isControl(codePoint)) return 0;
  return stateWidth(charProperties(codePoint, 0));
}

function isPlainAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** Calls `visit` for each cluster; `visit` returning false ends the walk. */
function walk(text: string, visit: (cluster: string, width: 0 | 1 | 2) => boolean): void {
  let cluster = '';
  let codePoints = 0;
  let state: JoinState = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (isInvisibleFormat(codePoint)) continue;
    const next = isControl(codePoint) ? 0 : charProperties(codePoint, state);
    if (cluster !== '' && joinsPreceding(next)) {
      if (++codePoints <= CLUSTER_MAX) cluster += character;
    } else {
      if (cluster !== '' && !visit(cluster, stateWidth(state))) return;
      cluster = character;
      codePoints = 1;
    }
    state = next;
  }
  if (cluster !== '') visit(cluster, stateWidth(state));
}

/** Splits text into grapheme clusters; invisible format characters are left out. */
export function graphemes(text: string): Grapheme[] {
  const result: Grapheme[] = [];
  walk(text, (cluster, width) => {
    result.push({ text: cluster, width });
    return true;
  });
  return result;
}

/** Columns that the text takes when drawn on one line. */
export function textWidth(text: string): number {
  if (isPlainAscii(text)) return text.length;
  let columns = 0;
  walk(text, (_cluster, width) => {
    columns += width;
    return true;
  });
  return columns;
}

/** The longest start of the text that takes at most `columns`; a wide character is never cut in half. */
export function truncateToWidth(text: string, columns: number): string {
  if (isPlainAscii(text)) return text.slice(0, Math.max(0, columns));
  let result = '';
  let used = 0;
  walk(text, (cluster, width) => {
    if (used + width > columns) return false;
    result += cluster;
    used += width;
    return true;
  });
  return result;
}

/** The text made exactly `columns` wide: cut, or filled with spaces on the right. */
export function padToWidth(text: string, columns: number): string {
  const cut = truncateToWidth(text, columns);
  return cut + ' '.repeat(Math.max(0, columns - textWidth(cut)));
}
