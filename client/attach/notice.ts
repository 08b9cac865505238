/**
 * Notices of the outer terminal's desktop: OSC 9 (iTerm2), OSC 777 (urxvt) and OSC 99 (kitty's desktop notifications).
 * Only terminals that are known to show one are sent one; text of programs is cleaned and bounded.
 */
import { cleanText } from '../../protocol/clean-text.ts';
import type { NoticeKind, TerminalCapabilities } from '../../protocol/message.ts';

export type NoticeWay = 'bell' | 'osc9' | 'osc777' | 'osc99';

/** Ways by a word of the terminal's name or TERM; the best first. */
const TERMINALS: readonly (readonly [pattern: RegExp, ways: readonly NoticeWay[]])[] = [
  [/kitty/i, ['osc99', 'osc9']],
  [/ghostty|wezterm/i, ['osc777', 'osc9']],
  [/foot/i, ['osc99', 'osc777', 'osc9']],
  [/iterm|windows.?terminal|rio\b/i, ['osc9']],
  [/rxvt|contour|vte|gnome/i, ['osc777']],
  // It calls its own person in turn.
  [/^mplex\b/i, ['osc777', 'osc99', 'osc9']],
];

/** The way to call: the one wanted if the terminal has it, with `auto` its best; else the bell. */
export function noticeWay(how: NoticeKind, { name, term }: Pick<TerminalCapabilities, 'name' | 'term'>): NoticeWay {
  const ways = TERMINALS.find(([pattern]) => pattern.test(`${name} ${term}`))?.[1] ?? [];
  if (how === 'auto') return ways[0] ?? 'bell';
  return ways.find((way) => way === how) ?? 'bell';
}

const TITLE_MAX = 80;
const BODY_MAX = 200;

export interface Notice {
  /** Names it for its end, and for one that replaces it; of `[a-z0-9-]`. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** The sequence that shows a notice. */
export function noticeText(way: Exclude<NoticeWay, 'bell'>, notice: Notice): string {
  const title = cleanText(notice.title, { max: TITLE_MAX });
  const body = cleanText(notice.body, { max: BODY_MAX });
  switch (way) {
    case 'osc9':
      // A number and a semicolon at the start would be another command there (ConEmu's progress).
      return `\x1b]9;mplex: ${[title, body].filter((part) => part !== '').join(': ')}\x1b\\`;
    case 'osc777':
      return `\x1b]777;notify;${title.replaceAll(';', ',')};${body.replaceAll(';', ',')}\x1b\\`;
    case 'osc99':
      return (
        `\x1b]99;i=${idOf(notice.id)}:d=0:e=1:p=title;${encode(title)}\x1b\\` +
        `\x1b]99;i=${idOf(notice.id)}:d=1:e=1:p=body;${encode(body)}\x1b\\`
      );
  }
}

/** Closes a notice of OSC 99; the other ways cannot take one back. */
export function noticeEndText(id: string): string {
  return `\x1b]99;i=${idOf(id)}:p=close;\x1b\\`;
}

function idOf(id: string): string {
  return `mplex-${id}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
