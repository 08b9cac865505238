/**
 * What the terminal shows and what it should show. Frames and overlays come in as they like; at most one write is under
 * way, and when it is done the newest state is drawn: what came in between is never sent. Acknowledgements follow the
 * write that showed what they acknowledge.
 */
import { FRAME_HEADER_SIZE } from '../../protocol/call-codec.ts';
import { blankRow, copyCells, FG_INVERSE, setCell } from '../../protocol/cell.ts';
import { decodeServerMessage, encodeServerMessage } from '../../protocol/codec.ts';
import type { Damage } from '../../protocol/damage.ts';
import { applyDamage } from '../../protocol/damage.ts';
import type { Frame } from '../../protocol/frame.ts';
import { blankFrame } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import { sameSize } from '../../protocol/geometry.ts';
import {
  CLIPBOARD_MAX,
  type ClientMessage,
  NO_ACK,
  type NoticeKind,
  type OverlayValue,
  type ServerMessage,
  type TerminalCapabilities,
} from '../../protocol/message.ts';
import { characterDamage } from '../../protocol/rehearsal.ts';
import { composite } from '../../src/overlay/composite.ts';
import type { OverlayModel } from '../../src/overlay/overlay.ts';
import { type Notice, type NoticeWay, noticeEndText, noticeText, noticeWay } from './notice.ts';
import { CLIPBOARD_QUESTION, clipboardText } from './outer-clipboard.ts';
import type { OuterModes } from './outer-modes.ts';
import { hasOsc, render } from './renderer.ts';

export interface PresenterOptions {
  readonly capabilities: TerminalCapabilities;
  /** Writes to the terminal; `done` once it has taken all of it. Never called again before that. */
  readonly write: (text: string, done: () => void) => void;
  readonly send: (message: ClientMessage) => void;
  /** The terminal's size now. */
  readonly terminalSize: () => Size;
  /** What the terminal is told to tell. */
  readonly modes: OuterModes;
  /** Monotonic, ms. */
  readonly now: () => number;
}

/** No more than one bell in this time. */
const BELL_MS = 100;
const SELECTION = /^[cpqs0-7]*$/;

export class Presenter {
  readonly #options: PresenterOptions;
  #capabilities: TerminalCapabilities;
  /** What the terminal shows; undefined if that is not known. */
  #shown: Frame | undefined;
  #target: Frame | undefined;
  #overlays: readonly OverlayModel[] = [];
  /** A word of the client's own in the last row. */
  #notice: string | undefined;
  #acks: ClientMessage[] = [];
  /** Bell and clipboard, sent along with the next write. */
  #extra = '';
  /** Notices that were sent and are not settled. */
  readonly #notices = new Map<number, NoticeWay>();
  #lastBellMs = Number.NEGATIVE_INFINITY;
  /** The write under way, with what it will acknowledge. */
  #write: { readonly acks: readonly ClientMessage[] } | undefined;
  #isDirty = false;
  /** Until the first frame of another server the picture stays as it is. */
  #isRestarting = false;

  constructor(options: PresenterOptions) {
    this.#options = options;
    this.#capabilities = options.capabilities;
  }

  /** The next `paint` shows it. Throws MplexError 'protocol' for damage that does not fit. */
  applyFrame(seq: number, damage: Damage): void {
    this.#target = applyDamage(this.#target ?? blankFrame({ cols: 1, rows: 1 }), damage);
    // The server starts anew: whatever the terminal shows, it is to be drawn in full.
    if (damage.size) this.#shown = undefined;
    this.#notice = undefined;
    this.#isRestarting = false;
    if (seq !== NO_ACK) this.#acks.push({ kind: 'frame-ack', seq });
  }

  setOverlays(seq: number, overlays: readonly OverlayValue[]): void {
    // The server made them of this very type; one of another major was refused at HELLO.
    this.#overlays = overlays as readonly OverlayModel[];
    this.#acks.push({ kind: 'overlay-ack', seq });
  }

  bell(): void {
    const nowMs = this.#options.now();
    if (nowMs - this.#lastBellMs < BELL_MS) return;
    this.#lastBellMs = nowMs;
    this.#extra += '\x07';
  }

  /** Calls the person as the terminal can: a notice, else the bell. */
  notice({ serial, how, title, body }: Extract<ServerMessage, { kind: 'notice' }>): void {
    const way = this.#call(how, { id: String(serial), title, body });
    if (way !== 'bell') this.#notices.set(serial, way);
  }

  /** The same for a program's own notice; a newer one of its pane takes the place of an older where the terminal can. */
  paneNotice({ pane, how, title, body }: Extract<ServerMessage, { kind: 'pane-notice' }>): void {
    this.#call(how, { id: `pane-${pane}`, title, body });
  }

  #call(how: NoticeKind, notice: Notice): NoticeWay {
    const way = noticeWay(how, this.#capabilities);
    if (way === 'bell') this.bell();
    else this.#extra += noticeText(way, notice);
    return way;
  }

  /** Takes a notice back where the terminal knows how. */
  noticeEnd(serial: number): void {
    if (this.#notices.get(serial) === 'osc99') this.#extra += noticeEndText(String(serial));
    this.#notices.delete(serial);
  }

  /** OSC 52, if the terminal has it. */
  setClipboard(selection: string, text: string): void {
    if (!this.#capabilities.clipboard || !hasOsc(this.#capabilities) || !SELECTION.test(selection)) return;
    const bytes = Buffer.from(text);
    if (bytes.length > CLIPBOARD_MAX) return;
    this.#extra += clipboardText(selection, bytes, this.#capabilities);
  }

  /** Asks the terminal for its clipboard with the next write. */
  askClipboard(): void {
    this.#extra += CLIPBOARD_QUESTION;
  }

  /** Asks the terminal something; the next `paint` does. */
  ask(question: string): void {
    this.#extra += question;
  }

  setCapabilities(capabilities: TerminalCapabilities): void {
    const before = this.#capabilities;
    this.#capabilities = capabilities;
    const looksSame =
      before.colors === capabilities.colors &&
      before.styledUnderlines === capabilities.styledUnderlines &&
      before.hyperlinks === capabilities.hyperlinks;
    if (!looksSame) this.#shown = undefined;
  }

  /** Shows a text in the last row until the next frame of another server. */
  setNotice(text: string): void {
    this.#notice = text;
  }

  /** Another server sends from here on: what it shows replaces everything, and nothing of the one before is acknowledged. */
  restart(): void {
    this.#acks = [];
    this.#overlays = [];
    this.#isRestarting = true;
  }

  /** The terminal may show anything (resized, used by another program): the next `paint` draws all of it. */
  invalidate(): void {
    this.#shown = undefined;
  }

  /** The terminal was another program's: what was being written then is lost, and the next `paint` draws all of it. */
  takeBack(): void {
    this.#isDirty = false;
    this.#written();
    this.#shown = undefined;
  }

  /** Whether the last frame was made for a terminal of this size. */
  isFrameOf(size: Size): boolean {
    return this.#target !== undefined && sameSize(this.#target.size, size);
  }

  /** Draws the newest state, now or as soon as the write under way is done. */
  paint(): void {
    if (this.#write) {
      this.#isDirty = true;
      return;
    }
    this.#isDirty = false;
    const text = this.#extra + this.#renderTarget();
    this.#extra = '';
    const { now, later } = this.#takeAcks();
    this.#acks = later;
    if (text === '') {
      this.#acknowledge(now);
      return;
    }
    const write = { acks: now };
    this.#write = write;
    this.#options.write(text, () => {
      if (this.#write === write) this.#written();
    });
  }

  /**
   * Goes through what showing the answer to a key will go through, and leaves everything as it was (protocol/rehearsal.ts).
   * Under an overlay that would be another way: keys are the overlay's, and all of it is what differs.
   */
  rehearse(): void {
    const target = this.#target;
    if (this.#write || this.#overlays.length > 0 || !target || !this.#shown || !this.#fits(target)) return;
    const damage = characterDamage(target);
    if (!damage) return;
    const frame = encodeServerMessage({ kind: 'frame', seq: NO_ACK, damage });
    const message = decodeServerMessage(frame.subarray(FRAME_HEADER_SIZE));
    if (message.kind === 'frame') render(this.#shown, applyDamage(target, message.damage), this.#capabilities);
  }

  #written(): void {
    const acks = this.#write?.acks ?? [];
    this.#write = undefined;
    this.#acknowledge(acks);
    if (this.#isDirty) this.paint();
  }

  #renderTarget(): string {
    const target = this.#target;
    if (!target || !this.#fits(target)) return '';
    if (this.#isRestarting) return '';
    const whole = this.#overlays.length > 0 ? composite(target, this.#overlays) : target;
    const wanted = this.#notice === undefined ? whole : withNotice(whole, this.#notice);
    const text = render(this.#shown, wanted, this.#capabilities);
    this.#shown = wanted;
    return this.#options.modes.update(wanted.modes, this.#capabilities) + text;
  }

  /**
   * A frame larger than the terminal would pile up at its edges. It was made before a resize that the server does not know
   * of yet; the next one fits.
   */
  #fits(frame: Frame): boolean {
    const size = this.#options.terminalSize();
    return frame.size.cols <= size.cols && frame.size.rows <= size.rows;
  }

  /** Overlays are acknowledged when they are seen: not before there is a frame that fits. */
  #takeAcks(): { readonly now: ClientMessage[]; readonly later: ClientMessage[] } {
    if (this.#target && this.#fits(this.#target) && !this.#isRestarting) return { now: this.#acks, later: [] };
    return {
      now: this.#acks.filter((ack) => ack.kind !== 'overlay-ack'),
      later: this.#acks.filter((ack) => ack.kind === 'overlay-ack'),
    };
  }

  #acknowledge(acks: readonly ClientMessage[]): void {
    for (const ack of acks) this.#options.send(ack);
  }
}

/** The frame with a text at the end of its last row, as much of it as fits. */
function withNotice(frame: Frame, text: string): Frame {
  const last = frame.rows.at(-1);
  if (!last) return frame;
  const { cols } = frame.size;
  const row = blankRow(cols);
  copyCells(last, 0, row, 0, cols);
  const shown = [...` ${text} `].slice(-cols);
  for (const [i, char] of shown.entries()) setCell(row, cols - shown.length + i, char, 1, { fg: FG_INVERSE, bg: 0 });
  return { ...frame, rows: [...frame.rows.slice(0, -1), row] };
}
