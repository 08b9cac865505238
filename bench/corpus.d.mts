export const KINDS: readonly string[];
/** A small generator with a fixed seed. */
export function randomOf(seed: number): (below: number) => number;
export function textOf(kind: string, bytes: number): Buffer;
/** Path of a file with BENCH_MB megabytes of a kind. */
export function corpus(directory: string, kind: string): string;
