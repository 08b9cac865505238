/**
 * Regular expressions as programs for the machines of linear-regex.ts and regex-walk.ts: read (Parser), then assembled into
 * instructions as Thompson's construction has them.
 *
 * The expression is a JavaScript one (flags s, u and perhaps i) of the kind that posix-regex.ts makes.
 */

/** What may stand between two characters; each is undefined at its end of the text. */
type Assertion = (before: number | undefined, next: number | undefined) => boolean;

/** An expression of no width, by its spelling. */
export type Assertions = Readonly<Record<string, Assertion>>;

type Node =
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'assert'; readonly holds: Assertion; readonly isEdge: boolean }
  | { readonly kind: 'back'; readonly group: number }
  | { readonly kind: 'group'; readonly number: number; readonly part: Node }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number };

export type Instruction =
  | { readonly op: 'set'; readonly has: (codePoint: number) => boolean }
  | { readonly op: 'assert'; readonly holds: Assertion }
  /** Begin (2 n) or end (2 n + 1) of group n. */
  | { readonly op: 'save'; readonly slot: number }
  /** What the group holds. */
  | { readonly op: 'back'; readonly group: number }
  /** The first is preferred. */
  | { readonly op: 'split'; readonly to: readonly number[] }
  | { readonly op: 'match' };

/** Instructions of one expression; `a{1000}{1000}` would be a million. */
const INSTRUCTIONS_MAX = 5000;
/** Characters beyond ASCII that a set remembers; beyond that all are forgotten. */
const REMEMBERED_MAX = 4096;
export const ASCII = 128;

export interface RegexProgram {
  /** The first is where it begins. */
  readonly instructions: readonly Instruction[];
  /** Nothing but the ends of the text is asserted: then what follows does not depend on what stands around a place. */
  readonly isTabular: boolean;
  /** Groups that back references name, each once. */
  readonly references: readonly number[];
}

/** Compiles an expression; undefined if it has too many repetitions, or is none. */
export function compileProgram(source: string, flags: string, assertions: Assertions): RegexProgram | undefined {
  const node = new Parser(source, assertions).parse();
  const instructions = node && assemble(node, flags);
  if (!instructions) return undefined;
  const references = instructions.flatMap((each) => (each.op === 'back' ? [each.group] : []));
  return { instructions, isTabular: isTabular(node), references: [...new Set(references)] };
}

/** Reads the expression; undefined for what is not known here. */
class Parser {
  readonly #source: string;
  readonly #assertions: readonly (readonly [spelling: string, holds: Assertion])[];
  #at = 0;
  #groups = 0;

  constructor(source: string, assertions: Assertions) {
    this.#source = source;
    this.#assertions = Object.entries(assertions);
  }

  parse(): Node | undefined {
    const node = this.#alternatives();
    return this.#at === this.#source.length ? node : undefined;
  }

  #alternatives(): Node | undefined {
    const parts: Node[] = [];
    do {
      const part = this.#sequence();
      if (!part) return undefined;
      parts.push(part);
    } while (this.#take('|'));
    return { kind: 'any', parts };
  }

  #sequence(): Node | undefined {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      let part = this.#atom();
      for (let range = this.#repetition(); range && part; range = this.#repetition()) {
        part = { kind: 'repeat', part, ...range };
      }
      if (!part) return undefined;
      parts.push(part);
    }
    return { kind: 'all', parts };
  }

  #atom(): Node | undefined {
    const assertion = this.#assertions.find(([spelling]) => this.#take(spelling));
    if (assertion) return { kind: 'assert', holds: assertion[1], isEdge: '^$'.includes(assertion[0]) };
    if (this.#take('(?:')) {
      const inner = this.#alternatives();
      return this.#take(')') ? inner : undefined;
    }
    if (this.#take('(')) return this.#group();
    const group = /\\([1-9])/y;
    group.lastIndex = this.#at;
    const [reference, number] = group.exec(this.#source) ?? [];
    if (reference !== undefined) {
      this.#at += reference.length;
      return { kind: 'back', group: Number(number) };
    }
    const found = /\\[pP]\{[^}]*\}|\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\[^1-9]|\[(?:\\.|[^\]\\])*\]|[^\\[]/suy;
    found.lastIndex = this.#at;
    const [source] = found.exec(this.#source) ?? [];
    if (source === undefined) return undefined;
    this.#at += source.length;
    return { kind: 'set', source };
  }

  #group(): Node | undefined {
    if (this.#source[this.#at] === '?') return undefined;
    const number = ++this.#groups;
    const part = this.#alternatives();
    return part && this.#take(')') ? { kind: 'group', number, part } : undefined;
  }

  #repetition(): { readonly least: number; readonly most: number } | undefined {
    if (this.#take('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#take('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#take('?')) return { least: 0, most: 1 };
    const found = /\{(\d+)(,?)(\d*)\}/y;
    found.lastIndex = this.#at;
    const [whole, least = '', comma, most = ''] = found.exec(this.#source) ?? [];
    if (whole === undefined) return undefined;
    this.#at += whole.length;
    const end = most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return { least: Number(least), most: comma === '' ? Number(least) : end };
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

/** The instructions, the first is where it begins; undefined if they are too many. */
function assemble(node: Node, flags: string): Instruction[] | undefined {
  const assembler = new Assembler(flags);
  if (!assembler.emit(node)) return undefined;
  return [...assembler.program, { op: 'match' }];
}

/** Puts instructions together; each `emit` is false if they are too many. */
class Assembler {
  readonly program: Instruction[] = [];
  readonly #flags: string;
  readonly #sets = new Map<string, (codePoint: number) => boolean>();

  constructor(flags: string) {
    this.#flags = flags;
  }

  emit(node: Node): boolean {
    if (this.program.length > INSTRUCTIONS_MAX) return false;
    switch (node.kind) {
      case 'set':
        this.program.push({ op: 'set', has: this.#setOf(node.source) });
        return true;
      case 'assert':
        this.program.push({ op: 'assert', holds: node.holds });
        return true;
      case 'back':
        this.program.push({ op: 'back', group: node.group });
        return true;
      case 'group':
        return this.#emitGroup(node);
      case 'all':
        return node.parts.every((part) => this.emit(part));
      case 'any':
        return this.#emitAny(node.parts);
      case 'repeat':
        return this.#emitRepeat(node);
    }
  }

  #emitGroup({ number, part }: Extract<Node, { kind: 'group' }>): boolean {
    this.program.push({ op: 'save', slot: 2 * number });
    if (!this.emit(part)) return false;
    this.program.push({ op: 'save', slot: 2 * number + 1 });
    return true;
  }

  #emitAny(parts: readonly Node[]): boolean {
    const [only] = parts;
    if (only && parts.length === 1) return this.emit(only);
    const starts: number[] = [];
    const ends: number[] = [];
    this.program.push({ op: 'split', to: starts });
    for (const part of parts) {
      starts.push(this.program.length);
      if (!this.emit(part)) return false;
      ends.push(this.#reserve());
    }
    for (const end of ends) this.#split(end, [this.program.length]);
    return true;
  }

  #emitRepeat({ part, least, most }: Extract<Node, { kind: 'repeat' }>): boolean {
    for (let i = 0; i < least; i++) if (!this.emit(part)) return false;
    if (most === Number.POSITIVE_INFINITY) {
      const split = this.#reserve();
      if (!this.emit(part)) return false;
      this.program.push({ op: 'split', to: [split] });
      this.#split(split, [split + 1, this.program.length]);
      return true;
    }
    const splits: number[] = [];
    for (let i = least; i < most; i++) {
      splits.push(this.#reserve());
      if (!this.emit(part)) return false;
    }
    for (const split of splits) this.#split(split, [split + 1, this.program.length]);
    return true;
  }

  /** The place of a split whose ways are not known yet. */
  #reserve(): number {
    return this.program.push({ op: 'split', to: [] }) - 1;
  }

  #split(place: number, to: readonly number[]): void {
    this.program[place] = { op: 'split', to };
  }

  #setOf(source: string): (codePoint: number) => boolean {
    const set = this.#sets.get(source) ?? characterSet(source, this.#flags);
    this.#sets.set(source, set);
    return set;
  }
}

/** Whether a character is one of a set, as JavaScript's engine says; it is asked once for each character. */
function characterSet(source: string, flags: string): (codePoint: number) => boolean {
  const expression = new RegExp(`^(?:${source})$`, flags);
  const has = (codePoint: number) => expression.test(String.fromCodePoint(codePoint));
  const ascii = Uint8Array.from({ length: ASCII }, (_, codePoint) => (has(codePoint) ? 1 : 0));
  const others = new Map<number, boolean>();
  return (codePoint) => {
    if (codePoint < ASCII) return ascii[codePoint] === 1;
    const known = others.get(codePoint);
    if (known !== undefined) return known;
    if (others.size >= REMEMBERED_MAX) others.clear();
    const isIn = has(codePoint);
    others.set(codePoint, isIn);
    return isIn;
  };
}

function isTabular(node: Node): boolean {
  switch (node.kind) {
    case 'set':
      return true;
    case 'assert':
      return node.isEdge;
    case 'all':
    case 'any':
      return node.parts.every(isTabular);
    case 'repeat':
    case 'group':
      return isTabular(node.part);
    case 'back':
      return false;
  }
}
