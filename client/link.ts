/** OSC 8 hyperlinks as the outer terminal gets them: few schemes, plain characters, ids of our own making. */
import type { Link } from '../protocol/cell.ts';

/** Schemes that a click may open. `javascript:` and whatever else a program invents stays text. */
const URI = /^(?:https?|ftp|file|mailto|ssh|gemini|gopher|git|news):[\x21-\x7e]+$/i;
/** Bytes; terminals cut at about this (VTE 2083). */
const URI_MAX = 2048;

/** Ends a link; nothing if none is open. */
export const LINK_END = '\x1b]8;;\x1b\\';

/** The sequence that starts a link, '' for one that is not passed on. Equal links get equal ids. */
export function linkStart(link: Link): string {
  if (link.uri.length > URI_MAX || !URI.test(link.uri)) return '';
  return `\x1b]8;id=mplex${hashText(`${link.id}\0${link.uri}`).toString(16)};${link.uri}\x1b\\`;
}

/** FNV-1a, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
