/**
 * Panes' screens as blobs with the pty host, and back.
 *
 *   pane/N/screen    u8 version, varint offset in the output, varint history lines dropped so far, title, u8 cut string, the
 *                    ids of the history's full chunks, block of the screen with the rest of the history (emulator-state.ts)
 *   pane/N/h/ID      a full chunk of the history
 *
 * A full chunk never changes, whatever the width of the pane, so it is written once, and once more when it has been
 * deflated. A screen is stored when its pane has been quiet for a moment, or when much output has come since or some of it
 * long ago; the host keeps the output from there on. What changes a screen beside output (a new size, clear-history) makes
 * it be stored again at once.
 */
import { MplexError } from '../../protocol/errors.ts';
import type { Pane } from '../model/pane.ts';
import { ByteReader, ByteWriter } from '../terminal/byte-stream.ts';
import { type CutString, checkVersion, type HistoryPart, type PackedTerminal } from '../terminal/emulator-state.ts';

/** A pane is stored when its output has stopped for so long, ms. */
export const QUIET_MS = 250;
/** A pane is stored when so many bytes of output are not, at the next moment when no sequence is half read. */
const UNSTORED_MAX = 6 << 20;
/**
 * A pane that is never quiet is stored so long after the first output that is not, ms: each read of the host costs some
 * hundred bytes beside those that were printed, so that a clock or a spinner would take more than a flood.
 */
const UNSTORED_MS = 10_000;
/** A pane is stored in the middle of a sequence when so many bytes more are not; what the host keeps is bounded. */
const UNSTORED_MORE = 1 << 20;
const VERSION = 2;
const CUTS: readonly (CutString | undefined)[] = [undefined, 'osc', 'other'];

/** Blobs of the host; changes take effect with the owner's commit. */
export interface BlobSink {
  stage(key: string, bytes: Uint8Array): void;
  drop(key: string): void;
}

export interface ScreenStoreContext {
  readonly sink: BlobSink;
  /** ms, monotonic. */
  readonly now: () => number;
  /** Offset after the last byte of the pane's output that is on its screen. */
  readonly parsedTo: (pane: Pane) => number;
  /** Bytes of output after which a pane is stored though it is not quiet; UNSTORED_MAX if absent. */
  readonly unstoredMax?: number;
  /** Time after which a pane is stored though it is not quiet, ms; UNSTORED_MS if absent. */
  readonly unstoredMs?: number;
  /** Bytes of history that are stored of a pane, the newest; all if absent. */
  readonly historyMax?: (pane: Pane) => number;
}

interface Stored {
  readonly offset: number;
  readonly revision: number;
  /** Chunks of the history that are stored, and bytes of each. */
  readonly chunks: ReadonlyMap<number, number>;
}

/** Output that is not stored: when the first and the last came. */
interface Unstored {
  readonly since: number;
  last: number;
}

/** A stored screen, read. */
export interface StoredScreen {
  readonly offset: number;
  readonly terminal: PackedTerminal;
}

export class ScreenStore {
  readonly #context: ScreenStoreContext;
  readonly #stored = new Map<Pane, Stored>();
  readonly #outputs = new Map<Pane, Unstored>();

  constructor(context: ScreenStoreContext) {
    this.#context = context;
  }

  /** The pane printed something. Whether it has to be stored now. */
  parsed(pane: Pane): boolean {
    const now = this.#context.now();
    const output = this.#outputs.get(pane);
    if (output) output.last = now;
    else this.#outputs.set(pane, { since: now, last: now });
    return (this.#isFull(pane) || this.#isLate(output)) && this.#mayStore(pane);
  }

  /** Whether panes have output that is to be stored once they are quiet. */
  get isWaiting(): boolean {
    return this.#outputs.size > 0;
  }

  /** Whether a pane with output has been quiet for long enough. */
  hasQuiet(): boolean {
    for (const pane of this.#outputs.keys()) if (this.#isDue(pane, false) && this.#mayStore(pane)) return true;
    return false;
  }

  /** Whether the pane changed by something else than its output since it was stored. */
  hasOtherChange(pane: Pane): boolean {
    return this.#stored.get(pane)?.revision !== pane.emulator.revision;
  }

  /** Stages every pane that is due (`all`: every one that changed); gives them with the offset that is stored now. */
  stage(panes: Iterable<Pane>, { all }: { readonly all: boolean }): [pane: Pane, offset: number][] {
    const staged: [Pane, number][] = [];
    for (const pane of panes) {
      if (!this.#isDue(pane, all) || !this.#mayStore(pane)) continue;
      staged.push([pane, this.#stage(pane)]);
    }
    return staged;
  }

  /** The pane is gone. */
  forget(pane: Pane): void {
    this.#outputs.delete(pane);
    this.#stored.delete(pane);
    // Also what an earlier server has stored.
    this.#context.sink.drop(`pane/${pane.id}`);
  }

  #unstored(pane: Pane): number {
    return this.#context.parsedTo(pane) - (this.#stored.get(pane)?.offset ?? 0);
  }

  #isDue(pane: Pane, all: boolean): boolean {
    const stored = this.#stored.get(pane);
    if (!stored || stored.revision !== pane.emulator.revision) return true;
    const output = this.#outputs.get(pane);
    if (!output) return false;
    return all || this.#context.now() - output.last >= QUIET_MS || this.#isFull(pane) || this.#isLate(output);
  }

  #isLate(output: Unstored | undefined): boolean {
    const { now, unstoredMs = UNSTORED_MS } = this.#context;
    return output !== undefined && now() - output.since >= unstoredMs;
  }

  #isFull(pane: Pane): boolean {
    return this.#unstored(pane) >= (this.#context.unstoredMax ?? UNSTORED_MAX);
  }

  #mayStore(pane: Pane): boolean {
    return (
      pane.emulator.isAtRest || this.#unstored(pane) >= (this.#context.unstoredMax ?? UNSTORED_MAX) + UNSTORED_MORE
    );
  }

  #stage(pane: Pane): number {
    const { emulator } = pane;
    const offset = this.#context.parsedTo(pane);
    const screen = emulator.packScreen();
    const chunks = this.#stageHistory(pane);
    const writer = new ByteWriter();
    writer.u8(VERSION);
    writer.varint(offset);
    writer.varint(emulator.historyTrimmed);
    writer.text(emulator.title);
    writer.u8(Math.max(0, CUTS.indexOf(emulator.openString)));
    writer.varint(chunks.size);
    for (const id of chunks.keys()) writer.varint(id);
    writer.block(screen);
    this.#context.sink.stage(`pane/${pane.id}/screen`, writer.finish());
    this.#stored.set(pane, { offset, revision: emulator.revision, chunks });
    this.#outputs.delete(pane);
    return offset;
  }

  /**
   * Stages the chunks that are new, and those that are smaller by now (deflated), and drops those that are gone; gives what
   * the history has now, with the bytes of each.
   */
  #stageHistory(pane: Pane): ReadonlyMap<number, number> {
    const { sink, historyMax } = this.#context;
    const before = this.#stored.get(pane)?.chunks ?? new Map<number, number>();
    // Of an earlier server there may be others.
    if (!this.#stored.has(pane)) sink.drop(`pane/${pane.id}/h`);
    const now = new Map<number, number>();
    const chunks = pane.emulator.historyChunks;
    for (const { id, byteLength, pack } of historyMax ? newest(chunks, historyMax(pane)) : chunks) {
      now.set(id, byteLength);
      if (before.get(id) !== byteLength) sink.stage(`pane/${pane.id}/h/${id}`, pack());
    }
    for (const id of before.keys()) if (!now.has(id)) sink.drop(`pane/${pane.id}/h/${id}`);
    return now;
  }
}

/** The newest chunks that fit into so many bytes, oldest first. */
function newest(chunks: readonly HistoryPart[], bytes: number): readonly HistoryPart[] {
  let left = bytes;
  let first = chunks.length;
  while (first > 0 && left >= (chunks[first - 1]?.byteLength ?? 0)) left -= chunks[--first]?.byteLength ?? 0;
  return chunks.slice(first);
}

/** The stored screen of a pane; undefined if none is. Throws MplexError `protocol` for bytes of another version. */
export function readScreen(blobs: ReadonlyMap<string, Buffer>, pane: number): StoredScreen | undefined {
  const bytes = blobs.get(`pane/${pane}/screen`);
  if (!bytes) return undefined;
  const reader = new ByteReader(bytes);
  const version = reader.u8();
  if (version !== VERSION) throw new MplexError('protocol', `stored screen of version ${version}, not ${VERSION}`);
  const offset = reader.varint();
  const trimmed = reader.varint();
  const title = reader.text();
  const cutString = CUTS[reader.u8()];
  const history: Buffer[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const chunk = blobs.get(`pane/${pane}/h/${reader.varint()}`);
    if (chunk) history.push(chunk);
  }
  const screen = reader.block();
  for (const part of [screen, ...history]) checkVersion(part);
  return { offset, terminal: { history, screen, title, trimmed, cutString } };
}
