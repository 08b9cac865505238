import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputTrack } from '../../../server/survival/output-track.ts';

/** Feeds bytes in the given slices; every byte asks for a reply, a change and an announcement named by its offset. */
function feed(track: OutputTrack, slices: readonly number[]) {
  const seen = { replies: '', changes: [] as number[], announced: [] as number[] };
  let offset = track.parsedTo;
  for (const size of slices) {
    let bytes: Uint8Array = new Uint8Array(size);
    while (bytes.length > 0) {
      const part = track.cut(bytes);
      const effects = track.parse(part, (piece) => {
        for (let i = 0; i < piece.length; i++) {
          const at = offset + i;
          track.reply(`${at} `);
          track.change(() => seen.changes.push(at));
          track.announce(() => seen.announced.push(at));
        }
      });
      offset += part.length;
      seen.replies += effects.replies;
      for (const announce of effects.announcements) announce();
      bytes = bytes.subarray(part.length);
    }
  }
  return seen;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

describe('the track of output that is read again', () => {
  it('does what each byte may do, wherever the slices end', () => {
    const offset = fc.nat(60);
    fc.assert(
      fc.property(
        offset,
        offset,
        offset,
        fc.array(fc.nat(20), { maxLength: 8 }),
        (from, knownTo, handledTo, slices) => {
          const track = new OutputTrack({ from, knownTo, handledTo });
          const seen = feed(track, slices);
          const end = from + slices.reduce((sum, size) => sum + size, 0);
          const live = range(Math.max(from, knownTo, handledTo), end);
          expect(track.parsedTo).toBe(end);
          expect(seen.changes).toEqual(range(Math.max(from, knownTo), end));
          expect(seen.announced).toEqual(live);
          expect(seen.replies).toBe(live.map((at) => `${at} `).join(''));
        },
      ),
    );
  });

  it('tells at once what is asked for outside of a slice', () => {
    const track = new OutputTrack();
    let told = 0;
    track.announce(() => {
      told++;
    });
    expect(told).toBe(1);
  });
});
