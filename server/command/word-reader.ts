/** One word of the command language: quotes, escapes, `$NAME` and `~` (see lexer.ts for what ends a word). */

/** What words are filled from. */
export interface WordOptions {
  /** The global environment's value of a variable. */
  readonly environ: (name: string) => string | undefined;
  /** The home directory for `~user`; for `~` (no user) where HOME is not set. */
  readonly home: (user: string | undefined) => string | undefined;
}

/** What is wrong with the text and where; thrown by the lexer and parser and caught by `parseCommands`. */
export class SyntaxFailure extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Longest name of an environment variable or user, characters. */
const NAME_MAX = 1022;

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  s: ' ',
  t: '\t',
  v: '\v',
};

/** Where a reader gets its characters: line continuations are left out already. */
export interface WordSource {
  readonly peek: () => string | undefined;
  readonly take: () => string | undefined;
  /** The error for what is being read. */
  readonly fail: (message?: string) => SyntaxFailure;
  readonly options: WordOptions;
}

type Quote = 'none' | 'double' | 'single';

/** Reads one word, quotes, escapes, variables and home directories done. */
export class WordReader {
  readonly #source: WordSource;
  readonly #text = new ByteText();
  #quote: Quote = 'none';
  /** The quoting in which the last character was added: `~` expands where it is the first in its own. */
  #lastQuote: Quote | undefined;

  constructor(source: WordSource) {
    this.#source = source;
  }

  read(): string {
    const { peek, take } = this.#source;
    for (;;) {
      const char = peek();
      if (char === undefined || (this.#quote === 'none' && ' \t\n;}'.includes(char))) return this.#text.toString();
      take();
      if (char === '\n') this.#newline();
      else if (!this.#changeQuote(char)) this.#add(char);
    }
  }

  #changeQuote(char: string): boolean {
    const quote: Quote | undefined = char === '"' ? 'double' : char === "'" ? 'single' : undefined;
    if (quote === undefined || (this.#quote !== 'none' && this.#quote !== quote)) return false;
    this.#quote = this.#quote === 'none' ? quote : 'none';
    return true;
  }

  #add(char: string): void {
    if (this.#quote === 'single') this.#text.append(char);
    else if (char === '\\') this.#escape();
    else if (char === '$') this.#variable();
    else if (char === '~' && this.#lastQuote !== this.#quote) this.#home();
    else this.#text.append(char);
    this.#lastQuote = this.#quote;
  }

  /** A newline in quotes: blanks that follow go, and comments on lines of their own. */
  #newline(): void {
    const { peek, take } = this.#source;
    this.#text.append('\n');
    while (peek() === ' ' || peek() === '\t') take();
    if (peek() !== '#') return;
    take();
    const next = peek();
    if (next !== undefined && ',#{}:'.includes(next)) {
      this.#text.append('#');
      return;
    }
    while (peek() !== undefined && peek() !== '\n') take();
  }

  #escape(): void {
    const { peek, take, fail } = this.#source;
    const char = take();
    if (char === undefined) throw fail();
    if (char >= '4' && char <= '7') throw fail('invalid octal escape');
    if (char >= '0' && char <= '3') {
      let digits = char;
      while (digits.length < 3) {
        const digit = peek();
        if (digit === undefined || digit < '0' || digit > '7') throw fail('invalid octal escape');
        digits += digit;
        take();
      }
      this.#text.appendByte(Number.parseInt(digits, 8));
    } else if (char === 'u') this.#unicode('u', 4);
    else if (char === 'U') this.#unicode('U', 8);
    else this.#text.append(SIMPLE_ESCAPES[char] ?? char);
  }

  #unicode(letter: string, length: number): void {
    const { peek, take, fail } = this.#source;
    let digits = '';
    while (digits.length < length) {
      const digit = peek();
      if (digit === undefined || digit === '\n') throw fail();
      if (!/^[0-9a-fA-F]$/.test(digit)) throw fail(`invalid \\${letter} argument`);
      digits += digit;
      take();
    }
    const code = Number.parseInt(digits, 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw fail(`invalid \\${letter} argument`);
    this.#text.append(String.fromCodePoint(code));
  }

  /** `$NAME` or `${NAME}`; a `$` before anything else stays. */
  #variable(): void {
    const { peek, take, fail, options } = this.#source;
    const braced = peek() === '{';
    if (braced) take();
    else if (!/^[A-Za-z_]$/.test(peek() ?? '')) {
      this.#text.append('$');
      return;
    }
    let name = '';
    while (/^[A-Za-z0-9_]$/.test(peek() ?? '')) {
      name += take();
      if (name.length > NAME_MAX) throw fail('environment variable is too long');
    }
    // Looked at before it is taken: a newline would count.
    if (braced && peek() !== '}') throw fail('invalid environment variable');
    if (braced) take();
    if (name !== '') this.#text.append(options.environ(name) ?? '');
  }

  /** `~` or `~user`. */
  #home(): void {
    const { peek, take, fail, options } = this.#source;
    let user = '';
    for (let char = peek(); char !== undefined && !'/ \t\n"\''.includes(char); char = peek()) {
      user += take();
      if (user.length > NAME_MAX) throw fail('user name is too long');
    }
    const home = user === '' ? options.environ('HOME') || options.home(undefined) : options.home(user);
    if (home === undefined) throw fail();
    this.#text.append(home);
  }
}

/** Text to which bytes may be added (`\303\251`); bytes that are not UTF-8 become the characters of those numbers. */
class ByteText {
  #text = '';
  #bytes: number[] = [];

  append(text: string): void {
    this.#flush();
    this.#text += text;
  }

  appendByte(byte: number): void {
    this.#bytes.push(byte);
  }

  /** The text up to its first NUL: it may be handed to programs as an argument. */
  toString(): string {
    this.#flush();
    const end = this.#text.indexOf('\0');
    return end < 0 ? this.#text : this.#text.slice(0, end);
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Buffer.from(this.#bytes);
    const decoded = bytes.toString('utf8');
    this.#text += decoded.includes('\ufffd') ? bytes.toString('latin1') : decoded;
    this.#bytes = [];
  }
}
