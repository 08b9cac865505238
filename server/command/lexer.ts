/**
 * Characters of the command language to tokens (tmux(1), COMMAND PARSING AND EXECUTION; details as tmux 3.3a has them).
 *
 * A word ends at a blank, a newline, `;` or `}` outside quotes. `{` opens a block only where a word could begin. `#` begins
 * a comment only there too. `\`, `$` and a leading `~` work outside quotes and in double quotes. A quoted string may go
 * over lines: the newline stays, blanks that begin the next line do not. Backslash-newline vanishes everywhere. Lines are
 * counted as an editor counts them (tmux miscounts after quoted newlines and trailing comments).
 */

export type Token =
  | { readonly kind: 'newline' | 'semicolon' | 'open' | 'close' | 'end'; readonly line: number }
  /** `;;`, which ends the sequence as a newline does: commands on lines of their own print so within one line. */
  | { readonly kind: 'break'; readonly line: number }
  | { readonly kind: 'hidden' | 'if' | 'elif' | 'else' | 'endif'; readonly line: number }
  /** A word, quotes and escapes done; `NAME=value` where a word could begin; `#{…}` after %if or %elif. */
  | { readonly kind: 'word' | 'assignment' | 'format'; readonly line: number; readonly text: string };

export interface LexerOptions {
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

const DIRECTIVES: Readonly<Record<string, 'hidden' | 'if' | 'elif' | 'else' | 'endif'>> = {
  '%hidden': 'hidden',
  '%if': 'if',
  '%elif': 'elif',
  '%else': 'else',
  '%endif': 'endif',
};

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

export class Lexer {
  readonly #text: string;
  readonly #options: LexerOptions;
  #at = 0;
  #line = 1;
  /** End of the run of backslashes that was looked at last, and the place of its line continuation (or -1). */
  #runEnd = 0;
  #continuation = -1;
  #sawEnd = false;
  #expectsFormat = false;

  constructor(text: string, options: LexerOptions) {
    this.#text = text.replaceAll('\r\n', '\n');
    this.#options = options;
  }

  /** The line that is being read, 1-based. */
  get line(): number {
    return this.#line;
  }

  /** The next token; the text ends with a newline token, whether it has one or not, and then `end` for ever. */
  next(): Token {
    const expectsFormat = this.#expectsFormat;
    this.#expectsFormat = false;
    for (;;) {
      const line = this.#line;
      const char = this.#peek();
      if (char === undefined) {
        const kind = this.#sawEnd ? 'end' : 'newline';
        this.#sawEnd = true;
        return { kind, line };
      }
      if (char === '%') return this.#directive();
      if (char === '#') {
        this.#take();
        if (expectsFormat && this.#peek() === '{') return { kind: 'format', line, text: this.#format() };
        while (this.#peek() !== undefined && this.#peek() !== '\n') this.#take();
        continue;
      }
      const symbol = SYMBOLS[char];
      if (symbol === undefined && char !== ' ' && char !== '\t') return this.#word();
      this.#take();
      if (symbol === undefined) continue;
      if (symbol !== 'semicolon' || this.#peek() !== ';') return { kind: symbol, line };
      this.#take();
      return { kind: 'break', line };
    }
  }

  /** The character that comes next, line continuations left out; undefined at the end. */
  #peek(): string | undefined {
    for (;;) {
      if (this.#text[this.#at] === '\\' && this.#at >= this.#runEnd) this.#measureRun();
      if (this.#at !== this.#continuation) return this.#text[this.#at];
      this.#at += 2;
      this.#line++;
    }
  }

  #take(): string | undefined {
    const char = this.#peek();
    if (char === undefined) return undefined;
    this.#at++;
    if (char === '\n') this.#line++;
    return char;
  }

  /** An odd run of backslashes before a newline ends with a continuation. */
  #measureRun(): void {
    let end = this.#at;
    while (this.#text[end] === '\\') end++;
    this.#runEnd = end;
    this.#continuation = (end - this.#at) % 2 === 1 && this.#text[end] === '\n' ? end - 1 : -1;
  }

  #failure(message = 'syntax error'): SyntaxFailure {
    return new SyntaxFailure(message, this.#line);
  }

  /** `%if` and its like; `%` alone and `%1` are words. */
  #directive(): Token {
    const line = this.#line;
    let text = '';
    for (;;) {
      const char = this.#peek();
      if (char === undefined || char === ' ' || char === '\t' || char === '\n') break;
      text += char;
      this.#take();
    }
    if (/^[%0-9]*$/.test(text)) return { kind: 'word', line, text };
    const kind = Object.hasOwn(DIRECTIVES, text) ? DIRECTIVES[text] : undefined;
    if (kind === undefined) throw this.#failure();
    this.#expectsFormat = true;
    return { kind, line };
  }

  /** `#{…}` up to its own closing brace (`#}` and `##` stand for themselves), the first `#` taken already. */
  #format(): string {
    let text = '#';
    let depth = 0;
    for (let afterHash = true; ; ) {
      const char = this.#peek();
      if (char === undefined || char === '\n') throw this.#failure();
      this.#take();
      text += char;
      if (afterHash) {
        if (char === '{') depth++;
        afterHash = false;
      } else if (char === '#') afterHash = true;
      else if (char === '}' && --depth === 0) return text;
    }
  }

  #word(): Token {
    const line = this.#line;
    const text = new WordReader(this.#source()).read();
    const kind = /^[A-Za-z_][A-Za-z0-9_]*=/.test(text) ? 'assignment' : 'word';
    return { kind, line, text };
  }

  #source(): WordSource {
    return {
      peek: () => this.#peek(),
      take: () => this.#take(),
      fail: (message) => this.#failure(message),
      options: this.#options,
    };
  }
}

const SYMBOLS: Readonly<Record<string, 'newline' | 'semicolon' | 'open' | 'close'>> = {
  '\n': 'newline',
  ';': 'semicolon',
  '{': 'open',
  '}': 'close',
};

interface WordSource {
  readonly peek: () => string | undefined;
  readonly take: () => string | undefined;
  /** The error for what is being read. */
  readonly fail: (message?: string) => SyntaxFailure;
  readonly options: LexerOptions;
}

type Quote = 'none' | 'double' | 'single';

/** Reads one word. */
class WordReader {
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
    if (braced && take() !== '}') throw fail('invalid environment variable');
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
