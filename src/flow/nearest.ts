/** Guesses what was meant by a misspelt word. */

/** Longer words are not compared. */
const WORD_MAX = 64;

/** The candidate that the word is most likely a slip of; undefined if none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > WORD_MAX) return undefined;
  const plain = simplify(word);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (candidate.length > WORD_MAX) continue;
    const distance = editDistance(plain, simplify(candidate));
    const limit = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (distance > limit || distance >= bestDistance || distance >= candidate.length) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Case, dashes and underscores are slips of their own. */
function simplify(word: string): string {
  return word.toLowerCase().replaceAll(/[-_\s]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
