/**
 * UTF-8 to code points, over chunks cut anywhere. xterm 6.0.0's own decoder loses a character whose second byte is 0x80 (all of
 * U+2000 to U+203F, so dashes and quotes) when a chunk ends behind that byte.
 *
 * What is not UTF-8 (overlong, surrogates, beyond U+10FFFF, stray or missing continuation bytes) gives nothing, as in
 * tmux 3.3a; so does the byte order mark.
 */
export class Utf8Decoder {
  /** Bits of the character that is not complete, and how many bytes it lacks. */
  #codePoint = 0;
  #lacking = 0;
  /** The smallest code point that its length may say. */
  #least = 0;

  /** No character is half read. */
  get isAtRest(): boolean {
    return this.#lacking === 0;
  }

  /** Writes the code points into `target`, which must be as long as `bytes` at least; returns how many. */
  decode(bytes: Uint8Array, target: Uint32Array): number {
    const length = bytes.length;
    let size = 0;
    let i = 0;
    while (i < length) {
      const byte = bytes[i] ?? 0;
      if (this.#lacking > 0) {
        if ((byte & 0xc0) !== 0x80) {
          this.#lacking = 0;
          continue;
        }
        i++;
        this.#codePoint = (this.#codePoint << 6) | (byte & 0x3f);
        if (--this.#lacking === 0 && isCharacter(this.#codePoint, this.#least)) target[size++] = this.#codePoint;
      } else if (byte < 0x80) {
        // Runs of ASCII are most of what there is.
        let ascii = byte;
        do {
          target[size++] = ascii;
          ascii = ++i < length ? (bytes[i] ?? 0x80) : 0x80;
        } while (ascii < 0x80);
      } else if (byte >= 0xe0 && byte < 0xf0 && i + 2 < length) {
        // The most frequent length, whole in this chunk.
        const second = bytes[i + 1] ?? 0;
        const third = bytes[i + 2] ?? 0;
        if ((second & 0xc0) === 0x80 && (third & 0xc0) === 0x80) {
          const codePoint = ((byte & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
          if (isCharacter(codePoint, 0x800)) target[size++] = codePoint;
          i += 3;
        } else i += (second & 0xc0) === 0x80 ? 2 : 1;
      } else {
        this.#start(byte);
        i++;
      }
    }
    return size;
  }

  #start(byte: number): void {
    if (byte >= 0xc2 && byte < 0xe0) this.#expect(1, byte & 0x1f, 0x80);
    else if (byte >= 0xe0 && byte < 0xf0) this.#expect(2, byte & 0x0f, 0x800);
    else if (byte >= 0xf0 && byte < 0xf5) this.#expect(3, byte & 0x07, 0x10000);
  }

  #expect(lacking: number, codePoint: number, least: number): void {
    this.#lacking = lacking;
    this.#codePoint = codePoint;
    this.#least = least;
  }
}

function isCharacter(codePoint: number, least: number): boolean {
  return (
    codePoint >= least && codePoint <= 0x10ffff && (codePoint < 0xd800 || (codePoint > 0xdfff && codePoint !== 0xfeff))
  );
}
