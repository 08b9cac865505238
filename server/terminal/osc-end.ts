/**
 * What ends an OSC, BEL or ST: xterm's parser does not tell its handlers, and programs expect the answer to a question to
 * end as the question did (xterm's ctlseqs, OSC; tmux likewise). Therefore it is looked up in what is being parsed.
 */
/** BEL or ST. */
export type OscTerminator = '\x07' | '\x1b\\';

const BEL = 0x07;
/** CAN, SUB, ESC (of ESC \) and ST of C1 end a string, too. */
const OTHER_ENDS: readonly number[] = [0x18, 0x1a, 0x1b, 0x9c];

export class OscEnd {
  #codePoints: Uint32Array = new Uint32Array(0);
  #length = 0;
  /** How much of the piece is known to be before the end of the string. */
  #at = 0;

  /** The next `length` code points are parsed now. */
  begin(codePoints: Uint32Array, length: number): void {
    this.#codePoints = codePoints;
    this.#length = length;
    this.#at = 0;
  }

  /** An OSC goes on up to this place of the piece at least. */
  reached(at: number): void {
    this.#at = at;
  }

  /** What ends the OSC that is being handled, for the answer to it. */
  get terminator(): OscTerminator {
    for (let i = this.#at; i < this.#length; i++) {
      const code = this.#codePoints[i] ?? 0;
      if (code === BEL) return '\x07';
      if (OTHER_ENDS.includes(code)) break;
    }
    return '\x1b\\';
  }
}
