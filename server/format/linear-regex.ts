/**
 * Searches for a regular expression in time proportional to the text, whatever the expression: `(a+)+$` over a million lines
 * stops nobody. JavaScript's own engine goes back and tries again, and may do that for years.
 *
 * All ways through the expression are followed at once (Thompson's construction, after Pike's virtual machine): every
 * state of it keeps the leftmost start of a match that led there, and the longest match of the leftmost start wins, as
 * POSIX wants it. Whether there is a match at all is told faster by a table of sets of states that is made on the way (a
 * lazy DFA), which most lines of a history end with; so is where it is in a short text.
 *
 * Back references are not for it: regex-walk.ts.
 */
import { ASCII, type Instruction, type RegexProgram } from './regex-program.ts';

/** Where a match is, UTF-16 units. */
export interface MatchRange {
  readonly start: number;
  readonly end: number;
}

export interface LinearRegex {
  /** The leftmost match, the longest of those. */
  find(text: string): MatchRange | undefined;
}

/** States of the table, and of each the characters beyond ASCII that it remembers; beyond that all states are forgotten. */
const TABLE_MAX = 1000;
const REMEMBERED_MAX = 4096;
/** In a text that is no longer the start of the match is found by trying each, UTF-16 units. */
const SHORT_MAX = 256;

/** The search for a program without back references. */
export function linearRegex({ instructions, isTabular }: RegexProgram): LinearRegex {
  if (!isTabular) return { find: (text) => search(instructions, text) };
  const anywhere = new StateTable(instructions, { isAnchored: false });
  const anchored = new StateTable(instructions, { isAnchored: true });
  return {
    find: (text) => {
      if (!anywhere.hasMatch(text)) return undefined;
      return text.length <= SHORT_MAX ? searchShort(anchored, text) : search(instructions, text);
    },
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
      case 'save':
        waiting.push(place + 1);
        break;
      case 'split':
        for (const to of instruction.to) waiting.push(to);
        break;
      case 'back':
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
