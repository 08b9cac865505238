/**
 * The command language: text or argv to commands with arguments (tmux(1), COMMAND PARSING AND EXECUTION).
 *
 *     lines      = (statement newline)*
 *     statement  = nothing | "%hidden" NAME=value | if-block | sequence
 *     sequence   = item (";" item?)*           item = command | if-inline
 *     command    = NAME=value | NAME=value? word argument*
 *     argument   = word | NAME=value | "{" statement (newline statement)* "}"
 *     if-block   = "%if" format newline lines ("%elif" format newline lines)* ("%else" newline lines)? "%endif"
 *     if-inline  = the same with sequences in the place of newline and lines
 *
 * Assignments and conditions take effect while parsing, so that a later `$NAME` or `%if` sees them. What a command does
 * with its arguments is not known here; command.ts has that.
 */
import { Lexer, type Token } from './lexer.ts';
import { SyntaxFailure } from './word-reader.ts';

export type Argument = string | readonly ParsedCommand[];

export interface ParsedCommand {
  readonly name: string;
  /** Words with quotes and escapes done; a block in braces is a list of commands. */
  readonly args: readonly Argument[];
  /** The file it came from, for messages. */
  readonly file: string | undefined;
  /** The line on which it begins, 1-based; undefined for argv. */
  readonly line: number | undefined;
  /** The same object for commands joined by `;`: an error in one stops the rest of them. */
  readonly group: object;
}

/** A variable set while parsing; hidden ones do not reach programs (`%hidden`). */
export interface Assignment {
  readonly name: string;
  readonly value: string;
  readonly hidden: boolean;
}

export interface ParseOptions {
  /** The global environment's value of a variable. */
  readonly environ: (name: string) => string | undefined;
  /** Expands the format after %if and %elif. */
  readonly expandFormat: (format: string) => string;
  /** The user's home directory, for `~` where HOME is not set. */
  readonly home: string | undefined;
  /** The home directory of another user, for `~user`. */
  readonly homeOf?: (user: string) => string | undefined;
  /** Called when an assignment takes effect, before anything after it is parsed or expanded. */
  readonly assign?: (assignment: Assignment) => void;
  readonly file?: string;
  /** All commands form one sequence even over several lines, as those of a string argument do. */
  readonly oneGroup?: boolean;
}

export type ParseResult =
  | { readonly ok: true; readonly commands: readonly ParsedCommand[]; readonly assignments: readonly Assignment[] }
  /** `assignments` took effect before the error, as in tmux. */
  | {
      readonly ok: false;
      readonly error: string;
      readonly line: number;
      readonly assignments: readonly Assignment[];
    };

/** Blocks and conditions may be nested this deep. */
const DEPTH_MAX = 200;

/** Parses text. Nothing is run; the first error ends it (`syntax error`, `invalid octal escape`, …). */
export function parseCommands(text: string, options: ParseOptions): ParseResult {
  const parser = new Parser(text, options);
  try {
    const commands = parser.parse();
    return { ok: true, commands, assignments: parser.assignments };
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error;
    return { ok: false, error: error.message, line: error.line, assignments: parser.assignments };
  }
}

/**
 * Splits argv into commands: an argument that ends in `;` ends the command, `\;` at an end stands for `;`. Words are
 * taken as they are. Also for the arguments of bind-key, which may hold blocks.
 */
export function parseArgv(argv: readonly Argument[]): ParseResult {
  const commands: ParsedCommand[] = [];
  const group = {};
  let words: Argument[] = [];
  const finish = () => {
    const [name, ...args] = words;
    if (typeof name === 'string') commands.push({ name, args, file: undefined, line: undefined, group });
    words = [];
  };
  for (const word of argv) {
    if (typeof word !== 'string' || !word.endsWith(';')) words.push(word);
    else if (word.endsWith('\\;')) words.push(`${word.slice(0, -2)};`);
    else {
      if (word !== ';') words.push(word.slice(0, -1));
      finish();
    }
  }
  finish();
  return { ok: true, commands, assignments: [] };
}

class Parser {
  readonly assignments: Assignment[] = [];
  readonly #lexer: Lexer;
  readonly #options: ParseOptions;
  readonly #assigned = new Map<string, string>();
  #token: Token | undefined;
  #group: object = {};
  #depth = 0;

  constructor(text: string, options: ParseOptions) {
    this.#options = options;
    this.#lexer = new Lexer(text, {
      environ: (name) => this.#assigned.get(name) ?? options.environ(name),
      home: (user) => (user === undefined ? options.home : options.homeOf?.(user)),
    });
  }

  parse(): ParsedCommand[] {
    const commands: ParsedCommand[] = [];
    while (this.#peek().kind !== 'end') {
      this.#statement(commands, true);
      this.#expect('newline');
    }
    return commands;
  }

  #peek(): Token {
    this.#token ??= this.#lexer.next();
    return this.#token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#token = undefined;
    return token;
  }

  #accept(kind: Token['kind']): boolean {
    if (this.#peek().kind !== kind) return false;
    this.#take();
    return true;
  }

  #expect(kind: Token['kind']): void {
    if (!this.#accept(kind)) this.#fail();
  }

  #fail(message = 'syntax error'): never {
    throw new SyntaxFailure(message, this.#peek().line);
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > DEPTH_MAX) this.#fail('nested too deep');
    const result = read();
    this.#depth--;
    return result;
  }

  /** One statement into `commands`; what a false condition hides (`live` false) is read for its errors only. */
  #statement(commands: ParsedCommand[], live: boolean): void {
    this.#newGroup();
    switch (this.#peek().kind) {
      case 'newline':
      case 'close':
      case 'end':
        return;
      case 'hidden':
        this.#take();
        this.#assignment(live, true);
        return;
      case 'if': {
        const condition = this.#condition(live);
        const isBlock = this.#peek().kind === 'newline';
        this.#nested(() => this.#branches(commands, live, { condition, isBlock }));
        if (!isBlock) this.#moreItems(commands, live);
        return;
      }
      default:
        this.#sequence(commands, live);
    }
  }

  #newGroup(): void {
    if (!this.#options.oneGroup) this.#group = {};
  }

  #sequence(commands: ParsedCommand[], live: boolean): void {
    this.#item(commands, live);
    this.#moreItems(commands, live);
  }

  #moreItems(commands: ParsedCommand[], live: boolean): void {
    for (;;) {
      if (this.#accept('break')) this.#newGroup();
      else if (!this.#accept('semicolon')) return;
      const { kind } = this.#peek();
      if (kind === 'if' || kind === 'word' || kind === 'assignment') this.#item(commands, live);
    }
  }

  #item(commands: ParsedCommand[], live: boolean): void {
    if (this.#peek().kind === 'if') {
      const condition = this.#condition(live);
      this.#nested(() => this.#branches(commands, live, { condition, isBlock: false }));
    } else this.#command(commands, live);
  }

  #assignment(live: boolean, hidden: boolean): void {
    const token = this.#peek();
    if (token.kind !== 'assignment') this.#fail();
    this.#take();
    if (!live) return;
    const at = token.text.indexOf('=');
    const assignment = { name: token.text.slice(0, at), value: token.text.slice(at + 1), hidden };
    this.#assigned.set(assignment.name, assignment.value);
    this.assignments.push(assignment);
    this.#options.assign?.(assignment);
  }

  #command(commands: ParsedCommand[], live: boolean): void {
    const hasAssignment = this.#peek().kind === 'assignment';
    if (hasAssignment) this.#assignment(live, false);
    const token = this.#peek();
    if (token.kind !== 'word') {
      if (hasAssignment && token.kind !== 'assignment' && token.kind !== 'open') return;
      this.#fail();
    }
    this.#take();
    const group = this.#group;
    const args = this.#arguments(live);
    this.#group = group;
    if (live) commands.push({ name: token.text, args, file: this.#options.file, line: token.line, group });
  }

  #arguments(live: boolean): Argument[] {
    const args: Argument[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'word' || token.kind === 'assignment') {
        args.push(token.text);
        this.#take();
      } else if (token.kind === 'open') {
        this.#take();
        args.push(this.#nested(() => this.#block(live)));
      } else return args;
    }
  }

  #block(live: boolean): ParsedCommand[] {
    const commands: ParsedCommand[] = [];
    for (;;) {
      this.#statement(commands, live);
      if (this.#accept('close')) return commands;
      this.#expect('newline');
    }
  }

  /** `%if` or `%elif` with its format: whether it holds. */
  #condition(live: boolean): boolean {
    this.#take();
    const token = this.#peek();
    if (token.kind !== 'format' && token.kind !== 'word') this.#fail();
    this.#take();
    if (!live) return false;
    const value = this.#options.expandFormat(token.text);
    return value !== '' && value !== '0';
  }

  /** What follows `%if format`, to its %endif; the first branch whose condition holds counts. */
  #branches(
    commands: ParsedCommand[],
    live: boolean,
    { condition, isBlock }: { condition: boolean; isBlock: boolean },
  ): void {
    const branch = (holds: boolean) => {
      if (isBlock) this.#lines(commands, live && holds);
      else this.#sequence(commands, live && holds);
    };
    let done = condition;
    branch(condition);
    while (this.#peek().kind === 'elif') {
      const holds = this.#condition(live && !done);
      branch(holds);
      done ||= holds;
    }
    if (this.#accept('else')) branch(!done);
    this.#expect('endif');
  }

  #lines(commands: ParsedCommand[], live: boolean): void {
    this.#expect('newline');
    do {
      this.#statement(commands, live);
      this.#expect('newline');
    } while (!['elif', 'else', 'endif'].includes(this.#peek().kind));
  }
}
