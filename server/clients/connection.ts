/**
 * One connection on the command and attach socket: HELLO, then either one command line call or an attached client.
 * Decodes, bounds and answers; what the bytes mean is the ConnectionHandler's.
 */
import type { Socket } from 'node:net';
import { type CallMessage, decodeCallMessage, encodeCallMessage, type RawFrame } from '../../protocol/call-codec.ts';
import { decodeClientMessage, encodeServerMessage } from '../../protocol/codec.ts';
import { FrameDecoder } from '../../protocol/frame-decoder.ts';
import {
  CLIENT_FRAME_MAX,
  CLIPBOARD_READ_MINOR,
  type ClientMessage,
  type CommandCall,
  FRAME_TYPE,
  NOTICE_MINOR,
  PANE_NOTICE_MINOR,
  PROTOCOL_MAJOR,
  PROTOCOL_MINOR,
  type ServerMessage,
} from '../../protocol/message.ts';
import type { Log } from '../log.ts';
import type { HalfOpen } from './half-open.ts';

/** A connection that says nothing is closed after this, ms. */
const HELLO_MS = 2000;
/** Standard input of a call that is kept, bytes. */
const STDIN_MAX = 256 << 20;
/** Unsent bytes above which an attached client's frames wait (its acknowledgements stop them anyway). */
const UNSENT_MAX = 32 << 20;

export interface ConnectionHandler {
  /** One call; answer through the connection and end with `exit` or `handover`. */
  call(call: CommandCall, connection: Connection): void;
  /** A message of an attached (or attaching) client. */
  message(message: ClientMessage, connection: Connection): void;
  closed(connection: Connection): void;
}

export interface ConnectionContext {
  readonly version: string;
  readonly log: Log;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly handler: ConnectionHandler;
  /** Connections without a hello yet, this one among them. */
  readonly halfOpen: HalfOpen;
}

export class Connection {
  readonly #socket: Socket;
  readonly #context: ConnectionContext;
  readonly #decoder = new FrameDecoder(CLIENT_FRAME_MAX);
  #greeted = false;
  #peerMinor = 0;
  #refused = false;
  #closed = false;
  #stream: { onData: (bytes: Uint8Array) => void; onEnd: () => void } | undefined;
  #onClosed: (() => void) | undefined;
  #stdin: { chunks: Uint8Array[]; length: number; resolve: (bytes: Uint8Array) => void } | undefined;
  readonly #leaveHalfOpen: () => void;

  constructor(socket: Socket, context: ConnectionContext) {
    this.#socket = socket;
    this.#context = context;
    socket.setNoDelay?.(true);
    this.#leaveHalfOpen = context.halfOpen.enter(() => this.close());
    const stopTimer = context.after(HELLO_MS, () => {
      if (!this.#greeted) this.close();
    });
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', () => this.close());
    socket.on('close', () => {
      stopTimer();
      this.#leaveHalfOpen();
      this.#end();
    });
    this.#sendCall({
      kind: 'hello',
      major: PROTOCOL_MAJOR,
      minor: PROTOCOL_MINOR,
      pid: process.pid,
      version: context.version,
    });
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  stdout(text: string | Uint8Array): void {
    this.#sendCall({ kind: 'stdout', bytes: toBytes(text) });
  }

  stderr(text: string): void {
    this.#sendCall({ kind: 'stderr', bytes: toBytes(text) });
  }

  exit(code: number): void {
    this.#sendCall({ kind: 'exit-code', code });
    this.#socket.end();
  }

  handover(token: string): void {
    this.#sendCall({ kind: 'handover', token });
  }

  /** Asks the caller for its standard input, all of it. */
  readStdin(): Promise<Uint8Array> {
    return new Promise((resolve) => {
      if (this.#closed) resolve(new Uint8Array());
      this.#stdin = { chunks: [], length: 0, resolve };
      this.#sendCall({ kind: 'want-stdin' });
    });
  }

  /** Asks for the caller's standard input, as it comes. */
  streamStdin(onData: (bytes: Uint8Array) => void, onEnd: () => void): void {
    this.#stream = { onData, onEnd };
    this.#sendCall({ kind: 'want-stdin' });
  }

  /** Bytes that wait in this process for the other side. */
  get unsent(): number {
    return this.#socket.writableLength;
  }

  /** Calls back each time all has been sent. */
  whenDrained(callback: () => void): void {
    this.#socket.on('drain', callback);
  }

  /** Calls back once, when the connection is gone. */
  whenClosed(callback: () => void): void {
    this.#onClosed = callback;
  }

  /** To an attached client. */
  send(message: ServerMessage): void {
    if (this.#closed) return;
    if (this.#socket.writableLength > UNSENT_MAX) {
      this.#context.log.error(`client too far behind: ${this.#socket.writableLength} bytes unsent`);
      this.close();
      return;
    }
    const known = forClient(message, this.#peerMinor);
    if (known) this.#socket.write(encodeServerMessage(known));
  }

  /** Sends what is queued, then closes. */
  end(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
    this.#end();
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#finishStdin();
    this.#onClosed?.();
    this.#context.handler.closed(this);
  }

  #sendCall(message: CallMessage): void {
    if (!this.#closed) this.#socket.write(encodeCallMessage(message));
  }

  #receive(chunk: Uint8Array): void {
    try {
      for (const frame of this.#decoder.push(chunk)) {
        if (this.#closed || this.#refused) return;
        this.#handle(frame);
      }
    } catch (error) {
      this.#context.log.error('bad frame from a client', error);
      this.close();
    }
  }

  #handle(frame: RawFrame): void {
    if (!this.#greeted && frame.type !== FRAME_TYPE.hello) throw new Error('no hello');
    if (frame.type === FRAME_TYPE.packed) {
      this.#context.handler.message(decodeClientMessage(frame.body), this);
      return;
    }
    const message = decodeCallMessage(frame);
    switch (message?.kind) {
      case 'hello':
        this.#greeted = true;
        this.#peerMinor = message.minor;
        this.#leaveHalfOpen();
        if (message.major !== PROTOCOL_MAJOR) this.#refuse();
        return;
      case 'command':
        this.#context.handler.call(message, this);
        return;
      case 'stdin':
        if (this.#stream) this.#stream.onData(message.bytes.slice());
        else this.#takeStdin(message.bytes);
        return;
      case 'stdin-end':
        this.#stream?.onEnd();
        this.#finishStdin();
        return;
      default:
        return;
    }
  }

  #takeStdin(bytes: Uint8Array): void {
    const stdin = this.#stdin;
    if (!stdin) return;
    stdin.length += bytes.length;
    if (stdin.length > STDIN_MAX) throw new Error(`standard input of more than ${STDIN_MAX} bytes`);
    stdin.chunks.push(bytes.slice());
  }

  /** What the peer has sent behind its HELLO may mean something else in its protocol. */
  #refuse(): void {
    this.#refused = true;
    this.#socket.end();
  }

  #finishStdin(): void {
    const stdin = this.#stdin;
    this.#stdin = undefined;
    stdin?.resolve(Buffer.concat(stdin.chunks));
  }
}

/** What a client from before notices understands of a message. */
function forClient(message: ServerMessage, minor: number): ServerMessage | undefined {
  if (message.kind === 'clipboard-read') return minor < CLIPBOARD_READ_MINOR ? undefined : message;
  if (message.kind === 'pane-notice') return minor < PANE_NOTICE_MINOR ? { kind: 'bell' } : message;
  if (minor >= NOTICE_MINOR) return message;
  if (message.kind === 'notice') return { kind: 'bell' };
  return message.kind === 'notice-end' ? undefined : message;
}

function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : text;
}
