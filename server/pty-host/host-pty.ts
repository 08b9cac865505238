import type { Size } from '../../protocol/geometry.ts';
import type { CellPixels, Pty, PtyEvents } from './host-client.ts';
import { type HostReport, type HostRequest, INPUT_MAX, type PtySize } from './host-protocol.ts';

/**
 * Acknowledgements are sent when this many bytes have come together (bytes). Fewer are left unsaid, so that an echo costs
 * the host no wake-up: it stays below the mark up to which the host reads on anyway.
 */
const ACK_STEP = 32 << 10;

/** What a handle needs of its client. */
export interface HostPtyLinks {
  readonly send: (request: HostRequest) => void;
  readonly forget: (pty: HostPty) => void;
}

export interface HostPtyStart {
  readonly events: PtyEvents;
  /** Offset of the first byte that will come. */
  readonly from: number;
  /** The host keeps the output until `release`. */
  readonly retain: boolean;
  readonly isRunning: boolean;
}

/** A pane's handle on the host: counts its output and says which state it is in. */
export class HostPty implements Pty {
  readonly id: number;
  readonly #events: PtyEvents;
  readonly #links: HostPtyLinks;
  readonly #retain: boolean;
  #state: 'starting' | 'running' | 'exited' | 'closed';
  /** Offset after the last byte received, dealt with, and told to the host as dealt with. */
  #received: number;
  #consumed: number;
  #told: number;
  /** Offset before which the host may forget the output, if it retains it. */
  #released: number;
  #isHidden = false;

  constructor(id: number, start: HostPtyStart, links: HostPtyLinks) {
    this.id = id;
    this.#events = start.events;
    this.#links = links;
    this.#state = start.isRunning ? 'running' : 'starting';
    this.#retain = start.retain;
    this.#released = start.from;
    this.#received = start.from;
    this.#consumed = start.from;
    this.#told = start.from;
  }

  write(data: Uint8Array | string): void {
    if (!this.#isLive()) return;
    const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    if (bytes.length > INPUT_MAX) this.#events.inputFull?.(bytes.length);
    else this.#links.send({ kind: 'write', pane: this.id, bytes });
  }

  resize(size: Size, cell?: CellPixels): void {
    if (this.#isLive()) this.#links.send({ kind: 'resize', pane: this.id, size: toPtySize(size, cell) });
  }

  kill(signal = ''): void {
    if (this.#isLive()) this.#links.send({ kind: 'kill', pane: this.id, signal });
  }

  acknowledge(bytes: number): void {
    if (this.#state === 'closed') return;
    this.#consumed = Math.min(this.#received, this.#consumed + bytes);
    if (this.#state === 'exited' && this.#forgetIfDone()) return;
    if (this.#consumed - this.#told < ACK_STEP) return;
    this.#sendMarks();
  }

  release(to: number): void {
    if (this.#state === 'closed' || to <= this.#released) return;
    this.#released = to;
    this.#sendMarks();
  }

  handled(to: number, input: string): void {
    if (this.#state === 'closed') return;
    this.#links.send({ kind: 'handled', pane: this.id, to, input: Buffer.from(input, 'utf8') });
  }

  pace(isHidden: boolean): void {
    if (isHidden === this.#isHidden || !this.#isLive()) return;
    this.#isHidden = isHidden;
    this.#links.send({ kind: 'pace', pane: this.id, isHidden });
  }

  #sendMarks(): void {
    this.#told = this.#consumed;
    const releasedTo = this.#retain ? this.#released : this.#consumed;
    this.#links.send({ kind: 'ack', pane: this.id, consumedTo: this.#consumed, releasedTo });
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#links.send({ kind: 'close', pane: this.id });
    this.#links.forget(this);
  }

  /** The host has answered the spawn. */
  answered(report: Extract<HostReport, { kind: 'spawned' | 'spawn-failed' }>): void {
    if (this.#state === 'closed') return;
    if (report.kind === 'spawned') {
      this.#state = 'running';
      this.#events.spawned({ pid: report.pid, tty: report.tty });
      return;
    }
    this.#end();
    this.#events.failed(report.message);
  }

  /** The host has news of the running program. */
  told(report: Extract<HostReport, { kind: 'data' | 'exit' | 'input-full' | 'input-drain' }>): void {
    switch (report.kind) {
      case 'data':
        this.#received = report.offset + report.bytes.length;
        this.#events.data(report.bytes, report.offset);
        break;
      case 'exit':
        this.#state = 'exited';
        this.#forgetIfDone();
        this.#events.exit({ code: report.code, signal: report.signal });
        break;
      case 'input-full':
        this.#events.inputFull?.(report.refused);
        break;
      case 'input-drain':
        this.#events.inputDrain?.();
        break;
    }
  }

  /** An ended pane whose output is not retained is the host's no more once all of it has been dealt with. */
  #forgetIfDone(): boolean {
    if (this.#retain || this.#consumed < this.#received) return false;
    this.#links.send({ kind: 'close', pane: this.id });
    this.#end();
    return true;
  }

  /** The host is gone. */
  lost(message: string): void {
    const state = this.#state;
    this.#end();
    if (state === 'starting') this.#events.failed(message);
    else if (state === 'running') this.#events.exit({ code: null, signal: null });
  }

  #end(): void {
    this.#state = 'closed';
    this.#links.forget(this);
  }

  #isLive(): boolean {
    return this.#state === 'starting' || this.#state === 'running';
  }
}

/** The window size for TIOCSWINSZ. */
export function toPtySize(size: Size, cell: CellPixels | undefined): PtySize {
  const pixelWidth = Math.min(0xffff, Math.round((cell?.width ?? 0) * size.cols));
  const pixelHeight = Math.min(0xffff, Math.round((cell?.height ?? 0) * size.rows));
  return { cols: size.cols, rows: size.rows, pixelWidth, pixelHeight };
}
