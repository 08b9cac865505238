/**
 * Goes one way through a regular expression after the other, what is preferred first, and never the same way twice: for the
 * groups of a match whose place is known, and for expressions with back references.
 *
 * Without back references what follows depends on the instruction and the place in the text alone, so it takes time in
 * proportion to both. With them it depends on what those groups hold too; the ways may be very many, so the steps are limited.
 */
import type { Instruction, RegexProgram } from './regex-program.ts';

/** Begin and end of group n at 2 n and 2 n + 1, in UTF-16 units; 0 is the whole match. */
export type Slots = readonly (number | undefined)[];

/** Steps in one text for an expression with back references; beyond them nothing more is found. */
const STEPS_MAX = 100_000;

/** The groups of a match from `start` to `end` of a program without back references; undefined if there is none. */
export function groupsOfMatch(
  program: RegexProgram,
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): Slots | undefined {
  const width = end - start + 1;
  const seen = new Uint8Array((program.instructions.length * width + 7) >> 3);
  const enter = (place: number, at: number) => {
    const index = place * width + at - start;
    const [byte, bit] = [seen[index >> 3] ?? 0, 1 << (index & 7)];
    seen[index >> 3] = byte | bit;
    return (byte & bit) === 0;
  };
  const walk = new Walk(program.instructions, text, { enter, limit: end, sameText: (a, b) => a === b });
  return walk.from(start, { end });
}

/** The leftmost match of a program with back references, the longest of those. */
export function findByWalking(program: RegexProgram, text: string, { ignoreCase = false } = {}): Slots | undefined {
  const fold = (part: string) => (ignoreCase ? part.toLowerCase() : part);
  const sameText = (a: string, b: string) => fold(a) === fold(b);
  let steps = 0;
  for (let start = 0; start <= text.length && steps < STEPS_MAX; start++) {
    const seen = new Set<string>();
    const enter = (place: number, at: number, slots: Slots) => {
      const held = program.references.map((group) => `${slots[2 * group]}-${slots[2 * group + 1]}`);
      const name = `${place} ${at} ${held.join()}`;
      if (++steps > STEPS_MAX || seen.has(name)) return false;
      seen.add(name);
      return true;
    };
    const walk = new Walk(program.instructions, text, { enter, limit: text.length, sameText });
    const slots = walk.from(start, {});
    if (slots) return slots;
    if ((text.codePointAt(start) ?? 0) > 0xffff) start++;
  }
  return undefined;
}

/** A way that is still to be tried, or what a group held before the way that was tried. */
type Later =
  | { readonly kind: 'way'; readonly place: number; readonly at: number }
  | { readonly kind: 'restore'; readonly slot: number; readonly value: number | undefined };

interface WalkOptions {
  /** Whether to go on at an instruction and a place in the text. */
  readonly enter: (place: number, at: number, slots: Slots) => boolean;
  /** Nothing is matched beyond. */
  readonly limit: number;
  readonly sameText: (a: string, b: string) => boolean;
}

class Walk {
  readonly #instructions: readonly Instruction[];
  readonly #text: string;
  readonly #options: WalkOptions;
  readonly #slots: (number | undefined)[] = [];
  readonly #later: Later[] = [];

  constructor(instructions: readonly Instruction[], text: string, options: WalkOptions) {
    this.#instructions = instructions;
    this.#text = text;
    this.#options = options;
  }

  /** The first way to `end`, or where that is not given the first of those that go farthest. */
  from(start: number, { end }: { readonly end?: number }): Slots | undefined {
    let best: Slots | undefined;
    let farthest = -1;
    this.#later.push({ kind: 'way', place: 0, at: start });
    for (let later = this.#later.pop(); later; later = this.#later.pop()) {
      if (later.kind === 'restore') {
        this.#slots[later.slot] = later.value;
        continue;
      }
      const reached = this.#follow(later.place, later.at);
      if (reached === undefined || reached <= farthest || (end !== undefined && reached !== end)) continue;
      farthest = reached;
      best = [start, reached, ...this.#slots.slice(2)];
      if (reached === (end ?? this.#text.length)) break;
    }
    return best;
  }

  /** Where the way matches, if it does; what it passes by is tried later. */
  #follow(place: number, at: number): number | undefined {
    while (this.#options.enter(place, at, this.#slots)) {
      const instruction = this.#instructions[place++];
      switch (instruction?.op) {
        case 'set': {
          const next = at < this.#options.limit ? this.#text.codePointAt(at) : undefined;
          if (next === undefined || !instruction.has(next)) return undefined;
          at += next > 0xffff ? 2 : 1;
          break;
        }
        case 'assert':
          if (!instruction.holds(this.#before(at), this.#text.codePointAt(at))) return undefined;
          break;
        case 'save':
          this.#later.push({ kind: 'restore', slot: instruction.slot, value: this.#slots[instruction.slot] });
          this.#slots[instruction.slot] = at;
          break;
        case 'back': {
          const length = this.#repeated(instruction.group, at);
          if (length === undefined) return undefined;
          at += length;
          break;
        }
        case 'split': {
          const [first, ...others] = instruction.to;
          if (first === undefined) return undefined;
          for (const other of others.reverse()) this.#later.push({ kind: 'way', place: other, at });
          place = first;
          break;
        }
        default:
          return at;
      }
    }
    return undefined;
  }

  /** The length of what a group holds if that stands at a place too. */
  #repeated(group: number, at: number): number | undefined {
    const [start, end] = [this.#slots[2 * group], this.#slots[2 * group + 1]];
    if (start === undefined || end === undefined || end < start) return undefined;
    const length = end - start;
    return this.#options.sameText(this.#text.slice(start, end), this.#text.slice(at, at + length)) ? length : undefined;
  }

  #before(at: number): number | undefined {
    if (at === 0) return undefined;
    const isPair = at > 1 && (this.#text.codePointAt(at - 2) ?? 0) > 0xffff;
    return this.#text.codePointAt(isPair ? at - 2 : at - 1);
  }
}
