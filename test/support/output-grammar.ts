/**
 * Everything that a client may ever write to the user's terminal, as one strict grammar. What does not match is a leak.
 */
const SEQUENCES = [
  // Text: no C0, DEL, C1, bidi controls.
  '[^\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]',
  '\\r\\n?',
  '\\x07',
  // Cursor moves, erase, scroll region with insert and delete line, SGR.
  '\\x1b\\[(?:\\d+;\\d+)?H',
  '\\x1b\\[\\d*C',
  '\\x1b\\[2J',
  '\\x1b\\[K',
  '\\x1b\\[(?:\\d+;\\d+)?r',
  '\\x1b\\[\\d+[ML]',
  '\\x1b\\[[\\d;:]*m',
  // DECSCUSR, modes, keypad, title stack.
  '\\x1b\\[[0-6] q',
  '\\x1b\\[\\?(?:1|7|25|1000|1000;1002;1003|1002|1003|1004|1006|1049|2004|2026|2031)[hl]',
  '\\x1b[=>]',
  '\\x1b\\[2[23];0;0t',
  // Title, link, cursor colour, clipboard; each ended by exactly one ST.
  '\\x1b\\]2;[^\\x00-\\x1f\\x7f-\\x9f]*\\x1b\\\\',
  '\\x1b\\]8;(?:id=mplex[0-9a-f]+)?;[\\x21-\\x7e]*\\x1b\\\\',
  '\\x1b\\]12;#[0-9a-fA-F]{6}\\x1b\\\\',
  '\\x1b\\]112\\x1b\\\\',
  '\\x1b\\]52;[cpqs0-7]*;[A-Za-z0-9+/=]*\\x1b\\\\',
  // Notices: OSC 9, 777, 99.
  '\\x1b\\]9;mplex: [^\\x00-\\x1f\\x7f-\\x9f]*\\x1b\\\\',
  '\\x1b\\]777;notify;[^\\x00-\\x1f\\x7f-\\x9f;]*;[^\\x00-\\x1f\\x7f-\\x9f;]*\\x1b\\\\',
  '\\x1b\\]99;i=mplex-[a-z0-9-]+:d=[01]:e=1:p=(?:title|body);[A-Za-z0-9+/=]*\\x1b\\\\',
  '\\x1b\\]99;i=mplex-[a-z0-9-]+:p=close;\\x1b\\\\',
  // Keyboard: a level of kitty's protocol, XTMODKEYS.
  '\\x1b\\[>(?:[1-9]|[12]\\d|3[01])u',
  '\\x1b\\[=(?:[1-9]|[12]\\d|3[01]);1u',
  '\\x1b\\[<u',
  '\\x1b\\[>4(?:;2)?m',
  // Queries at the start, and when the theme or the size of a cell may have changed.
  '\\x1b\\]1[01];\\?\\x1b\\\\',
  '\\x1b\\[1[46]t',
  '\\x1b\\[\\?996n',
  '\\x1b\\[\\?2031\\$p',
  '\\x1b\\[>q',
  '\\x1b\\[\\?2026\\$p',
  '\\x1b\\[\\?u',
  '\\x1b\\[c',
];
const GRAMMAR = new RegExp(`(?:${SEQUENCES.join('|')})`, 'uy');

/** The first piece of the output that is not in the grammar, as a JSON string; undefined if all of it is. */
export function firstLeak(output: string): string | undefined {
  GRAMMAR.lastIndex = 0;
  while (GRAMMAR.lastIndex < output.length) {
    const at = GRAMMAR.lastIndex;
    if (!GRAMMAR.test(output)) return JSON.stringify(output.slice(at, at + 40));
  }
  return undefined;
}
