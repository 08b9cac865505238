import { cleanText } from '../../../protocol/clean-text.ts';

/** Longest name of a session or window and longest title that is kept, code points. */
export const NAME_MAX = 1024;

/** A name or title as it is stored: invisible characters gone, controls and backslashes as vis(3) writes them. */
export function cleanName(text: string): string {
  return cleanText(visible(text), { max: NAME_MAX });
}

/** The name that a window is made with (new-window -n): tmux leaves backslashes alone there, not in rename-window. */
export function givenName(text: string): string {
  return cleanText(visible(text, /[\u0000-\u001f\u007f]/g), { max: NAME_MAX });
}

/** A pane's title (select-pane -T); undefined for one with controls, which changes nothing, as in tmux. */
export function paneTitle(text: string): string | undefined {
  return /[\u0000-\u001f\u007f]/.test(text) ? undefined : cleanText(text, { max: NAME_MAX });
}

const C_STYLE: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** VIS_OCTAL | VIS_CSTYLE | VIS_TAB | VIS_NL of vis(3). */
function visible(text: string, shown = /[\u0000-\u001f\u007f\\]/g): string {
  return text.replace(shown, (character) => {
    return C_STYLE[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
}

/** What tmux(1) makes of a session's name: `.` and `:` become `_`; '' is refused. */
export function checkSessionName(name: string): string | undefined {
  const clean = cleanName(name.replace(/[.:]/g, '_'));
  return clean === '' ? undefined : clean;
}
