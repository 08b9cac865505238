/**
 * Panes' screens as blobs with the pty host, and back.
 *
 *   pane/N/screen    u8 version, varint offset in the output, varint history lines dropped so far, varint history lines, title,
 *                    u8 cut string, block of the newest history lines, block of the screen (emulator-state.ts)
 *   pane/N/h/K       varint first line, varint lines, rows: the history in segments; segment K ends before line (K + 1) *
 *                    SEGMENT_LINES, counted from the first line that the pane ever had
 *
 * Lines of the history never change, so a segment is written once. A screen is stored when its pane has been quiet for a
 * moment or much output has come since; the host keeps the output from there on. What changes a screen beside output
 * (a new size, clear-history) makes all of it be stored again at once, history included.
 */
import type { Pane } from '../model/pane.ts';
import { ByteReader, ByteWriter } from '../terminal/byte-stream.ts';
import type { CutString, PackedTerminal } from '../terminal/emulator.ts';

/** A pane is stored when its output has stopped for so long, ms. */
export const QUIET_MS = 250;
/** A pane is stored when so many bytes of output are not, at the next moment when no sequence is half read. */
export const UNSTORED_MAX = 4 << 20;
/** A pane is stored in the middle of a sequence when so many bytes are not; what the host keeps is bounded. */
const UNSTORED_LIMIT = 6 << 20;
const SEGMENT_LINES = 128;
const VERSION = 1;
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
}

interface Stored {
  readonly offset: number;
  readonly revision: number;
  /** Segments that are stored, by number. */
  readonly firstSegment: number;
  /** The line after the last stored segment. */
  readonly segmentsTo: number;
}

/** A stored screen, read. */
export interface StoredScreen {
  readonly offset: number;
  readonly terminal: PackedTerminal;
}

export class ScreenStore {
  readonly #context: ScreenStoreContext;
  readonly #stored = new Map<Pane, Stored>();
  /** Panes with output that is not stored, and when the last came. */
  readonly #outputs = new Map<Pane, number>();

  constructor(context: ScreenStoreContext) {
    this.#context = context;
  }

  /** The pane printed something. Whether it has to be stored now. */
  parsed(pane: Pane): boolean {
    this.#outputs.set(pane, this.#context.now());
    return this.#unstored(pane) >= UNSTORED_MAX && this.#mayStore(pane);
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
    if (this.#stored.delete(pane)) this.#context.sink.drop(`pane/${pane.id}`);
  }

  #unstored(pane: Pane): number {
    return this.#context.parsedTo(pane) - (this.#stored.get(pane)?.offset ?? 0);
  }

  #isDue(pane: Pane, all: boolean): boolean {
    const stored = this.#stored.get(pane);
    if (!stored || stored.revision !== pane.emulator.revision) return true;
    const last = this.#outputs.get(pane);
    if (last === undefined) return false;
    return all || this.#context.now() - last >= QUIET_MS || this.#unstored(pane) >= UNSTORED_MAX;
  }

  #mayStore(pane: Pane): boolean {
    return pane.emulator.isAtRest || this.#unstored(pane) >= UNSTORED_LIMIT;
  }

  #stage(pane: Pane): number {
    const { emulator } = pane;
    const offset = this.#context.parsedTo(pane);
    const start = emulator.historyTrimmed;
    const end = start + emulator.historyLength;
    const segments = this.#stageHistory(pane, start, end);
    const writer = new ByteWriter();
    writer.u8(VERSION);
    writer.varint(offset);
    writer.varint(start);
    writer.varint(end - start);
    writer.text(emulator.title);
    writer.u8(Math.max(0, CUTS.indexOf(emulator.openString)));
    writer.block(emulator.packHistory(segments.segmentsTo - start, end - segments.segmentsTo));
    writer.block(emulator.packScreen());
    this.#context.sink.stage(`pane/${pane.id}/screen`, writer.finish());
    this.#stored.set(pane, { offset, revision: emulator.revision, ...segments });
    this.#outputs.delete(pane);
    return offset;
  }

  /** Brings the stored segments to the lines from `start` up to the last whole segment before `end`. */
  #stageHistory(pane: Pane, start: number, end: number): Pick<Stored, 'firstSegment' | 'segmentsTo'> {
    const { sink } = this.#context;
    const key = `pane/${pane.id}/h`;
    const before = this.#stored.get(pane);
    const keeps = before !== undefined && before.revision === pane.emulator.revision && before.segmentsTo <= end;
    if (!keeps) sink.drop(key);
    const firstSegment = Math.floor(start / SEGMENT_LINES);
    const lastBefore = keeps ? Math.floor(before.segmentsTo / SEGMENT_LINES) : 0;
    const gone = keeps ? Math.min(firstSegment, lastBefore) : 0;
    for (let index = keeps ? before.firstSegment : 0; index < gone; index++) sink.drop(`${key}/${index}`);
    let at = Math.max(start, keeps ? before.segmentsTo : start);
    for (;;) {
      const index = Math.floor(at / SEGMENT_LINES);
      const next = (index + 1) * SEGMENT_LINES;
      if (next > end) return { firstSegment, segmentsTo: at };
      const writer = new ByteWriter();
      writer.varint(at);
      writer.varint(next - at);
      const rows = pane.emulator.packHistory(at - start, next - at);
      sink.stage(`${key}/${index}`, Buffer.concat([writer.finish(), rows]));
      at = next;
    }
  }
}

/** The stored screen of a pane; undefined if none is. Throws MplexError `protocol` for bytes of another version. */
export function readScreen(blobs: ReadonlyMap<string, Buffer>, pane: number): StoredScreen | undefined {
  const bytes = blobs.get(`pane/${pane}/screen`);
  if (!bytes) return undefined;
  const reader = new ByteReader(bytes);
  // The screen in it has a version of its own.
  reader.u8();
  const offset = reader.varint();
  const trimmed = reader.varint();
  const lines = reader.varint();
  const title = reader.text();
  const cutString = CUTS[reader.u8()];
  const tail = reader.block();
  const screen = reader.block();
  const { parts, skip } = readSegments(blobs, { pane, from: trimmed, lines });
  return { offset, terminal: { history: [...parts, tail], skip, screen, title, trimmed, cutString } };
}

/** The segments with lines from `from` on, in order, and how many lines of the first one come before. */
function readSegments(
  blobs: ReadonlyMap<string, Buffer>,
  { pane, from, lines }: { readonly pane: number; readonly from: number; readonly lines: number },
): { readonly parts: Buffer[]; readonly skip: number } {
  const parts: Buffer[] = [];
  let skip = 0;
  for (let index = Math.floor(from / SEGMENT_LINES); index * SEGMENT_LINES < from + lines; index++) {
    const bytes = blobs.get(`pane/${pane}/h/${index}`);
    if (!bytes) continue;
    const reader = new ByteReader(bytes);
    const first = reader.varint();
    reader.varint();
    if (parts.length === 0) skip = Math.max(0, from - first);
    parts.push(reader.raw(reader.left));
  }
  return { parts, skip };
}
