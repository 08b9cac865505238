/**
 * Searches for a regular expression in time proportional to the text, whatever the expression: `(a+)+$` over a million lines
 * stops nobody. JavaScript's own engine goes back and tries again, and may do that for years.
 *
 * All ways through the expression are followed at once (Thompson's construction, after Pike's virtual machine): every
 * state of it keeps the leftmost start of a match that led there, and the longest match of the leftmost start wins, as
 * POSIX wants it. Whether there is a match at all is told faster by a table of sets of states that is made on the way (a
 * lazy DFA), which most lines of a history end with; so is where it is in a short text.
 *
 * The expression is a JavaScript one (flags s, u and perhaps i) without back references, of the kind that
 * posix-regex.ts makes.
 */

/** Where a match is, UTF-16 units. */
export interface MatchRange {
  readonly start: number;
  readonly end: number;
}

export interface LinearRegex {
  /** The leftmost match, the longest of those. */
  find(text: string): MatchRange | undefined;
}

/** What may stand between two characters; each is undefined at its end of the text. */
type Assertion = (before: number | undefined, next: number | undefined) => boolean;

/** An expression of no width, by its spelling. */
export type Assertions = Readonly<Record<string, Assertion>>;

type Node =
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'assert'; readonly holds: Assertion; readonly isEdge: boolean }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number };

type Instruction =
  | { readonly op: 'set'; readonly has: (codePoint: number) => boolean }
  | { readonly op: 'assert'; readonly holds: Assertion }
  | { readonly op: 'split'; readonly to: readonly number[] }
  | { readonly op: 'match' };

/** Instructions of one expression; `a{1000}{1000}` would be a million. */
const INSTRUCTIONS_MAX = 5000;
/** States of the table and characters beyond ASCII that a set remembers; beyond that all are forgotten. */
const TABLE_MAX = 1000;
const REMEMBERED_MAX = 4096;
const ASCII = 128;
/** In a text that is no longer the start of the match is found by trying each, UTF-16 units. */
const SHORT_MAX = 256;

/** Compiles an expression; undefined if it has back references or too many repetitions, or is none. */
export function compileLinear(source: string, flags: string, assertions: Assertions): LinearRegex | undefined {
  const node = new Parser(source, assertions).parse();
  const program = node && assemble(node, flags);
  if (!program) return undefined;
  if (!isTabular(node)) return { find: (text) => search(program, text) };
  const anywhere = new StateTable(program, { isAnchored: false });
  const anchored = new StateTable(program, { isAnchored: true });
  return {
    find: (text) => {
      if (!anywhere.hasMatch(text)) return undefined;
      return text.length <= SHORT_MAX ? searchShort(anchored, text) : search(program, text);
    },
  };
}

/** Reads the expression; undefined for what is not known here. */
class Parser {
  readonly #source: string;
  readonly #assertions: readonly (readonly [spelling: string, holds: Assertion])[];
  #at = 0;

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
    if (this.#take('(?:') || this.#take('(')) {
      if (this.#source[this.#at] === '?') return undefined;
      const inner = this.#alternatives();
      return this.#take(')') ? inner : undefined;
    }
    const found = /\\[pP]\{[^}]*\}|\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\[^1-9]|\[(?:\\.|[^\]\\])*\]|[^\\[]/suy;
    found.lastIndex = this.#at;
    const [source] = found.exec(this.#source) ?? [];
    if (source === undefined) return undefined;
    this.#at += source.length;
    return { kind: 'set', source };
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
  const program: Instruction[] = [];
  const sets = new Map<string, (codePoint: number) => boolean>();
  const setOf = (source: string) => {
    const set = sets.get(source) ?? characterSet(source, flags);
    sets.set(source, set);
    return set;
  };
  const emit = (each: Node): boolean => {
    if (program.length > INSTRUCTIONS_MAX) return false;
    switch (each.kind) {
      case 'set':
        program.push({ op: 'set', has: setOf(each.source) });
        return true;
      case 'assert':
        program.push({ op: 'assert', holds: each.holds });
        return true;
      case 'all':
        return each.parts.every(emit);
      case 'any':
        return emitAny(each.parts);
      case 'repeat':
        return emitRepeat(each);
    }
  };
  const emitAny = (parts: readonly Node[]): boolean => {
    const [only] = parts;
    if (only && parts.length === 1) return emit(only);
    const starts: number[] = [];
    const ends: number[] = [];
    program.push({ op: 'split', to: starts });
    for (const part of parts) {
      starts.push(program.length);
      if (!emit(part)) return false;
      ends.push(program.length);
      program.push({ op: 'split', to: [] });
    }
    for (const end of ends) program[end] = { op: 'split', to: [program.length] };
    return true;
  };
  const emitRepeat = ({ part, least, most }: Extract<Node, { kind: 'repeat' }>): boolean => {
    for (let i = 0; i < least; i++) if (!emit(part)) return false;
    if (most === Number.POSITIVE_INFINITY) {
      const split = program.length;
      program.push({ op: 'split', to: [] });
      if (!emit(part)) return false;
      program.push({ op: 'split', to: [split] });
      program[split] = { op: 'split', to: [split + 1, program.length] };
      return true;
    }
    const splits: number[] = [];
    for (let i = least; i < most; i++) {
      splits.push(program.length);
      program.push({ op: 'split', to: [] });
      if (!emit(part)) return false;
    }
    for (const split of splits) program[split] = { op: 'split', to: [split + 1, program.length] };
    return true;
  };
  if (!emit(node)) return undefined;
  program.push({ op: 'match' });
  return program;
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

/** Places in the program with the leftmost start that led there, in the order of the starts. */
class Threads {
  readonly places: number[] = [];
  readonly starts: number[] = [];
  readonly #seen: Uint32Array;
  #round = 1;

  constructor(size: number) {
    this.#seen = new Uint32Array(size);
  }

  clear(): void {
    this.places.length = 0;
    this.starts.length = 0;
    this.#round++;
  }

  /** Whether a place is new. */
  enter(place: number): boolean {
    if (this.#seen[place] === this.#round) return false;
    this.#seen[place] = this.#round;
    return true;
  }
}

/** Adds a place and those that are reached from it without a character; true if the end is among them. */
function follow(
  program: readonly Instruction[],
  threads: Threads,
  at: { readonly place: number; readonly start: number },
  around: { readonly before: number | undefined; readonly next: number | undefined },
): boolean {
  const waiting = [at.place];
  let isMatch = false;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const instruction = program[place];
    if (!instruction || !threads.enter(place)) continue;
    switch (instruction.op) {
      case 'set':
        threads.places.push(place);
        threads.starts.push(at.start);
        break;
      case 'assert':
        if (instruction.holds(around.before, around.next)) waiting.push(place + 1);
        break;
      case 'split':
        for (const to of instruction.to) waiting.push(to);
        break;
      case 'match':
        isMatch = true;
        break;
    }
  }
  return isMatch;
}

function search(program: readonly Instruction[], text: string): MatchRange | undefined {
  let now = new Threads(program.length);
  let then = new Threads(program.length);
  let best: MatchRange | undefined;
  let before: number | undefined;
  for (let at = 0; ; ) {
    const next = text.codePointAt(at);
    if (!best && follow(program, now, { place: 0, start: at }, { before, next })) best = { start: at, end: at };
    if (next === undefined || (best && now.places.length === 0)) return best;
    const after = at + (next > 0xffff ? 2 : 1);
    const around = { before: next, next: text.codePointAt(after) };
    then.clear();
    for (const [i, place] of now.places.entries()) {
      const start = now.starts[i] ?? 0;
      // What begins later has lost.
      if (best && start > best.start) break;
      const instruction = program[place];
      if (instruction?.op !== 'set' || !instruction.has(next)) continue;
      if (follow(program, then, { place: place + 1, start }, around)) best = { start, end: after };
    }
    [now, then] = [then, now];
    before = next;
    at = after;
  }
}

/** For a text that has a match. */
function searchShort(anchored: StateTable, text: string): MatchRange | undefined {
  for (let start = 0; start <= text.length; start++) {
    const end = anchored.matchAt(text, start);
    if (end !== undefined) return { start, end };
    if ((text.codePointAt(start) ?? 0) > 0xffff) start++;
  }
  return undefined;
}

/** Whether nothing but the ends of the text is asserted: then a state does not depend on what stands around it. */
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
      return isTabular(node.part);
  }
}

interface TableState {
  readonly places: readonly number[];
  /** A match ends here, or does if the text ends. */
  readonly isMatch: boolean;
  readonly isMatchAtEnd: boolean;
  readonly ascii: (TableState | undefined)[];
  readonly others: Map<number, TableState>;
}

/** Any character: which one does not matter where only the ends of the text are asserted. */
const SOME = 0x20;

class StateTable {
  readonly #program: readonly Instruction[];
  readonly #threads: Threads;
  readonly #isAnchored: boolean;
  #states = new Map<string, TableState>();
  /** Before any character, and behind some. */
  #first: TableState | undefined;
  #inside: TableState | undefined;

  constructor(program: readonly Instruction[], { isAnchored }: { readonly isAnchored: boolean }) {
    this.#program = program;
    this.#threads = new Threads(program.length);
    this.#isAnchored = isAnchored;
  }

  /** Whether there is a match anywhere; of a table that is not anchored. */
  hasMatch(text: string): boolean {
    this.#first ??= this.#stateOf([0], undefined);
    let state = this.#first;
    for (let at = 0; at < text.length; at++) {
      if (state.isMatch) return true;
      const code = text.codePointAt(at) ?? 0;
      if (code > 0xffff) at++;
      state = (code < ASCII ? state.ascii[code] : state.others.get(code)) ?? this.#step(state, code);
    }
    return state.isMatch || state.isMatchAtEnd;
  }

  /** The end of the longest match that begins at a place; of a table that is anchored. */
  matchAt(text: string, start: number): number | undefined {
    this.#first ??= this.#stateOf([0], undefined);
    this.#inside ??= this.#stateOf([0], SOME);
    let state = start === 0 ? this.#first : this.#inside;
    let end: number | undefined;
    for (let at = start; at < text.length && (state.isMatch || state.places.length > 0); at++) {
      if (state.isMatch) end = at;
      const code = text.codePointAt(at) ?? 0;
      if (code > 0xffff) at++;
      state = (code < ASCII ? state.ascii[code] : state.others.get(code)) ?? this.#step(state, code);
      if (at + 1 === text.length && (state.isMatch || state.isMatchAtEnd)) return text.length;
    }
    return start === text.length && (state.isMatch || state.isMatchAtEnd) ? start : end;
  }

  #step(from: TableState, code: number): TableState {
    const reached = from.places.flatMap((place) => {
      const instruction = this.#program[place];
      return instruction?.op === 'set' && instruction.has(code) ? [place + 1] : [];
    });
    const state = this.#stateOf(reached, SOME);
    if (code < ASCII) from.ascii[code] = state;
    else if (from.others.size < REMEMBERED_MAX) from.others.set(code, state);
    return state;
  }

  /** The state of places that were reached; if it is not anchored, a match may begin at each character. */
  #stateOf(reached: readonly number[], before: number | undefined): TableState {
    const isMatchAtEnd = this.#follow(reached, { before, next: undefined });
    const isMatch = this.#follow(reached, { before, next: SOME });
    const places = [...this.#threads.places].sort((a, b) => a - b);
    const name = `${isMatch ? 1 : 0}${isMatchAtEnd ? 1 : 0}${before === undefined ? 1 : 0}:${places.join()}`;
    const known = this.#states.get(name);
    if (known) return known;
    if (this.#states.size >= TABLE_MAX) {
      this.#states = new Map();
      this.#first = undefined;
      this.#inside = undefined;
    }
    const state: TableState = {
      places,
      isMatch,
      isMatchAtEnd,
      ascii: new Array<TableState | undefined>(ASCII).fill(undefined),
      others: new Map(),
    };
    this.#states.set(name, state);
    return state;
  }

  #follow(reached: readonly number[], around: { before: number | undefined; next: number | undefined }): boolean {
    this.#threads.clear();
    let isMatch = false;
    for (const place of this.#isAnchored ? reached : [...reached, 0]) {
      if (follow(this.#program, this.#threads, { place, start: 0 }, around)) isMatch = true;
    }
    return isMatch;
  }
}
