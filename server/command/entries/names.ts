import { cleanText } from '../../../protocol/clean-text.ts';

/** Longest name of a session or window and longest title that is kept, code points. */
export const NAME_MAX = 1024;

/** A name or title as it is stored: controls and invisible characters gone. */
export function cleanName(text: string): string {
  return cleanText(text, { max: NAME_MAX });
}

/** What tmux(1) makes of a session's name: `.` and `:` become `_`; '' is refused. */
export function checkSessionName(name: string): string | undefined {
  const clean = cleanName(name).replace(/[.:]/g, '_');
  return clean === '' ? undefined : clean;
}
