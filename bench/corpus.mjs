/** The text that is printed: four kinds of it, the same in every run. */
import { closeSync, existsSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const MEGABYTES = Number(process.env.BENCH_MB ?? 30);
export const KINDS = ['ascii', 'sgr', 'unicode', 'csi'];

/** A small generator with a fixed seed: every run prints the same. */
export function randomOf(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

const pick = (random, items) => items[random(items.length)];
const WORDS = ['日本語テキスト', 'Привет мир', '😀👍🏽', 'naïve café', '한국어', 'ελληνικά'];
const LINES = {
  ascii: (_, i) =>
    `2026-01-01T12:${String(i % 60).padStart(2, '0')}Z INFO worker[${i % 17}] id=${i.toString(16).padStart(8, '0')} path=/api/v1/items/${i % 977} status=200 took=${i % 233}ms ${'x'.repeat(i % 20)}\r\n`,
  sgr: (random) =>
    `${Array.from({ length: 20 }, () => `\x1b[${pick(random, [1, 0, 4, 7])};38;5;${random(256)};48;2;${random(256)};${random(256)};${random(256)}m${pick(random, 'abcdefgh').repeat(1 + random(5))}`).join('')}\x1b[0m\r\n`,
  unicode: (random) => `${Array.from({ length: 8 }, () => pick(random, WORDS)).join(' ')}\r\n`,
  csi: (random) =>
    Array.from(
      { length: 12 },
      () =>
        `\x1b[${1 + random(49)};${1 + random(189)}H\x1b[38;5;${random(256)}m${pick(random, ['status', 'load 0.42', '│', '▁▂▃▅'])}\x1b[K`,
    ).join(''),
};

/** So many bytes of a kind, or some more. */
export function textOf(kind, bytes) {
  const random = randomOf(kind.length * 7919);
  const parts = [];
  for (let size = 0, i = 0; size < bytes; ) {
    const line = Buffer.from(LINES[kind](random, i++));
    size += line.length;
    parts.push(line);
  }
  return Buffer.concat(parts);
}

/** A file with so much text of a kind, made once. */
export function corpus(directory, kind) {
  const path = join(directory, `${kind}.txt`);
  if (existsSync(path)) return path;
  mkdirSync(directory, { recursive: true });
  const file = openSync(path, 'w');
  const text = textOf(kind, Math.min(MEGABYTES, 5) * 1e6);
  for (let size = 0; size < MEGABYTES * 1e6; ) size += writeSync(file, text);
  closeSync(file);
  return path;
}
