/**
 * The notation of the differential scripts. A file holds sections; each runs on fresh servers that have the session `one`
 * with a window `w` of 80x24 whose pane runs `cat`.
 *
 *   = TITLE                 a new section
 *   # …                     a remark
 *   COMMAND WORDS…          run on both; exit code, output, error output and the state afterwards must agree. Quotes and
 *                           backslashes as in sh; `{home}`, `{client}`, `{client2}` stand for the side's own values
 *   … <<< WORD              with WORD (and a newline) as standard input
 *   & COMMAND…              the same, but the script goes on at once; `%wait` waits for all such and compares
 *   ~ ID COMMAND…           its answer may differ, for the reason that docs/mplex.md gives under ID
 *   %attach COLSxROWS ARGV  a terminal on each
 *   %keys C-b c             keys on the last terminal
 *   %type TEXT           bytes on the last terminal; `\e` is Escape
 *   %until TARGET FORMAT VALUE   waits until the format has the value on both
 *   %env NAME=VALUE         for the calls that follow; `NAME=` takes it away
 *   %file NAME TEXT         writes `{home}/NAME`; `\n` is a newline
 *   %show NAME              compares the contents of `{home}/NAME`
 *   %seen TEXT              waits until the last terminals show the text
 *   %wait                   see `&`
 *   %screen                 the last terminals must come to show the same: cells with colours, cursor and title
 *   %screen own-cursor      the same, but the cursor may stand elsewhere (docs/mplex.md, own-cursor)
 *   %state off|on           whether the state is compared
 */
export type Step =
  | {
      readonly kind: 'call';
      readonly line: number;
      readonly argv: readonly string[];
      readonly stdin: string | undefined;
      readonly allowed: string | undefined;
      readonly isBackground: boolean;
    }
  | { readonly kind: 'directive'; readonly line: number; readonly name: string; readonly words: readonly string[] };

export interface Section {
  readonly title: string;
  readonly steps: readonly Step[];
}

export function parseScript(text: string): Section[] {
  const sections: { title: string; steps: Step[] }[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('= ')) {
      sections.push({ title: line.slice(2), steps: [] });
      continue;
    }
    const section = sections.at(-1);
    if (!section) throw new Error(`line ${index + 1}: no section yet`);
    section.steps.push(parseStep(line, index + 1));
  }
  return sections;
}

function parseStep(line: string, at: number): Step {
  if (line.startsWith('%')) {
    const [name = '', ...words] = splitWords(line.slice(1));
    return { kind: 'directive', line: at, name, words };
  }
  const allowed = /^~ (\S+) (.*)$/.exec(line);
  const isBackground = line.startsWith('& ');
  const words = splitWords(allowed?.[2] ?? (isBackground ? line.slice(2) : line));
  const mark = words.indexOf('<<<');
  return {
    kind: 'call',
    line: at,
    argv: mark < 0 ? words : words.slice(0, mark),
    stdin: mark < 0 ? undefined : `${words.slice(mark + 1).join(' ')}\n`,
    allowed: allowed?.[1],
    isBackground,
  };
}

/** Words as sh splits them: single and double quotes, backslashes. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (quote === "'") {
      if (character === "'") quote = '';
      else word += character;
    } else if (character === '\\' && (quote === '' || /["\\$]/.test(line[at + 1] ?? ''))) {
      word = (word ?? '') + (line[++at] ?? '');
    } else if (quote === '"') {
      if (character === '"') quote = '';
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== '') throw new Error(`unclosed quote: ${line}`);
  if (word !== undefined) words.push(word);
  return words;
}
