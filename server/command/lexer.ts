/**
 * Characters of the command language to tokens (tmux(1), COMMAND PARSING AND EXECUTION; details as tmux 3.3a has them).
 *
 * A word ends at a blank, a newline, `;` or `}` outside quotes. `{` opens a block only where a word could begin. `#` begins
 * a comment only there too. `\`, `$` and a leading `~` work outside quotes and in double quotes. A quoted string may go
 * over lines: the newline stays, blanks that begin the next line do not. Backslash-newline vanishes everywhere. Lines are
 * counted as an editor counts them (tmux miscounts after quoted newlines and trailing comments).
 */
import { SyntaxFailure, type WordOptions, WordReader, type WordSource } from './word-reader.ts';

export type Token =
  | { readonly kind: 'newline' | 'semicolon' | 'open' | 'close' | 'end'; readonly line: number }
  /** `;;`, which ends the sequence as a newline does: commands on lines of their own print so within one line. */
  | { readonly kind: 'break'; readonly line: number }
  | { readonly kind: 'hidden' | 'if' | 'elif' | 'else' | 'endif'; readonly line: number }
  /** A word, quotes and escapes done; `NAME=value` where a word could begin; `#{…}` after %if or %elif. */
  | { readonly kind: 'word' | 'assignment' | 'format'; readonly line: number; readonly text: string };

const DIRECTIVES: Readonly<Record<string, 'hidden' | 'if' | 'elif' | 'else' | 'endif'>> = {
  '%hidden': 'hidden',
  '%if': 'if',
  '%elif': 'elif',
  '%else': 'else',
  '%endif': 'endif',
};

export class Lexer {
  readonly #text: string;
  readonly #options: WordOptions;
  #at = 0;
  #line = 1;
  /** End of the run of backslashes that was looked at last, and the place of its line continuation (or -1). */
  #runEnd = 0;
  #continuation = -1;
  #sawEnd = false;
  #expectsFormat = false;

  constructor(text: string, options: WordOptions) {
    this.#text = text.replaceAll('\r\n', '\n');
    this.#options = options;
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
