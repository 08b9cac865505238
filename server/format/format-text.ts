/**
 * What modifiers do to a text that may hold `#[...]` styles: trimming and measuring count only what will be drawn
 * (`##` is one `#`), and styles stay whole.
 */
import { graphemes, textWidth } from '../../src/overlay/text-width.ts';
import { skipFormat } from './format-parser.ts';

/** One step through a drawn text. `text` of a hash run is one escaped `#` a column. */
type Token =
  | { readonly kind: 'style'; readonly text: string }
  | { readonly kind: 'hashes'; readonly columns: number; readonly lone: boolean }
  | { readonly kind: 'grapheme'; readonly text: string; readonly width: number };

/** Takes a text apart. What follows an unclosed `#[` is left out, as are control characters. */
function* drawnTokens(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    if (text[at] !== '#') {
      const hash = text.indexOf('#', at);
      const run = text.slice(at, hash < 0 ? text.length : hash);
      at += run.length;
      for (const { text: grapheme, width } of graphemes(run)) {
        if (width > 0 && !isControl(grapheme)) yield { kind: 'grapheme', text: grapheme, width };
      }
      continue;
    }
    let count = 1;
    while (text[at + count] === '#') count++;
    const isStyle = text[at + count] === '[' && count % 2 === 1;
    const columns = text[at + count] === '[' ? Math.trunc(count / 2) : Math.ceil(count / 2);
    if (columns > 0) yield { kind: 'hashes', columns, lone: count === 1 };
    at += count;
    if (!isStyle) continue;
    const end = skipFormat(text, at + 1, ']');
    if (end < 0) return;
    yield { kind: 'style', text: `#${text.slice(at, end + 1)}` };
    at = end + 1;
  }
}

function isControl(text: string): boolean {
  const code = text.codePointAt(0) ?? 0;
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/** Columns that a text takes when it is drawn. */
export function drawnWidth(text: string): number {
  let width = 0;
  for (const token of drawnTokens(text)) {
    if (token.kind === 'hashes') width += token.columns;
    else if (token.kind === 'grapheme') width += token.width;
  }
  return width;
}

/** The first `columns` columns. */
export function trimToStart(text: string, columns: number): string {
  let out = '';
  let width = 0;
  for (const token of drawnTokens(text)) {
    if (width >= columns) break;
    if (token.kind === 'style') out += token.text;
    else if (token.kind === 'hashes') {
      const kept = Math.min(token.columns, columns - width);
      out += token.lone ? '#' : '##'.repeat(kept);
      width += kept;
    } else {
      if (width + token.width <= columns) out += token.text;
      width += token.width;
    }
  }
  return out;
}

/** The last `columns` columns; styles before them stay. */
export function trimToEnd(text: string, columns: number): string {
  const total = drawnWidth(text);
  if (total <= columns) return text;
  const skip = total - columns;
  let out = '';
  let width = 0;
  for (const token of drawnTokens(text)) {
    if (token.kind === 'style') out += token.text;
    else if (token.kind === 'hashes') {
      const kept = Math.max(0, Math.min(token.columns, width + token.columns - skip));
      if (kept > 0) out += token.lone ? '#' : '##'.repeat(kept);
      width += token.columns;
    } else {
      if (width >= skip) out += token.text;
      width += token.width;
    }
  }
  return out;
}

/** The most columns that a text is padded to. */
const PAD_MAX = 10_000;

/** Pads with spaces to a width in columns: at the end, or at the start if the width is negative. Styles count as text. */
export function padFormat(text: string, columns: number): string {
  const missing = Math.min(Math.abs(columns), PAD_MAX) - textWidth(text);
  if (missing <= 0) return text;
  return columns > 0 ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
}

/** basename(3). */
export function baseName(path: string): string {
  if (path === '') return '.';
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

/** dirname(3). */
export function directoryName(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return path === '' ? '.' : '/';
  const slash = trimmed.lastIndexOf('/');
  if (slash < 0) return '.';
  return trimmed.slice(0, slash).replace(/\/+$/, '') || '/';
}

/** Escapes what sh(1) would not take literally. */
export function quoteForShell(text: string): string {
  return text.replace(/[|&;<>()$`\\"'*?[# =%]/g, '\\$&');
}

/** Doubles each `#`, so that drawing the text shows it as it is. */
export function quoteForStyle(text: string): string {
  return text.replaceAll('#', '##');
}
