/** What was worked out for a few chunks of a history while they are read: their rows unpacked, where their lines stand. */
import type { LoadedChunk, OpenChunk, SealedChunk } from './history-chunk.ts';
import { LineTable } from './wrap-layout.ts';

/** Chunks remembered; the one used longest ago goes. */
const CHUNKS_MAX = 4;

export class ChunkCache {
  readonly #loaded = new Map<SealedChunk, LoadedChunk>();
  readonly #tables = new Map<SealedChunk, LineTable>();
  #open: { readonly chunk: OpenChunk; readonly revision: number; readonly table: LineTable } | undefined;

  loaded(chunk: SealedChunk): LoadedChunk {
    return remember(this.#loaded, chunk, this.#loaded.get(chunk) ?? chunk.load());
  }

  table(chunk: SealedChunk, cols: number): LineTable {
    const known = this.#tables.get(chunk);
    return remember(this.#tables, chunk, known?.cols === cols ? known : new LineTable(chunk, cols));
  }

  tableOfOpen(chunk: OpenChunk, cols: number): LineTable {
    const known = this.#open;
    const { revision } = chunk;
    if (known?.chunk === chunk && known.revision === revision && known.table.cols === cols) return known.table;
    const table = new LineTable(chunk, cols);
    this.#open = { chunk, revision, table };
    return table;
  }

  forget(chunk: SealedChunk): void {
    this.#loaded.delete(chunk);
    this.#tables.delete(chunk);
  }

  clear(): void {
    this.#loaded.clear();
    this.#tables.clear();
    this.#open = undefined;
  }
}

function remember<T>(known: Map<SealedChunk, T>, chunk: SealedChunk, value: T): T {
  known.delete(chunk);
  known.set(chunk, value);
  if (known.size > CHUNKS_MAX) {
    for (const oldest of known.keys()) {
      known.delete(oldest);
      break;
    }
  }
  return value;
}
