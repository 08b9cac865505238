/** Connects to a server and exchanges HELLO. Loads nothing that a command line call does not need. */
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { CallMessage, RawFrame } from '../protocol/call-codec.ts';
import { decodeCallMessage, encodeCallMessage } from '../protocol/call-codec.ts';
import { MplexError } from '../protocol/errors.ts';
import { FrameDecoder } from '../protocol/frame-decoder.ts';
import type { Hello } from '../protocol/message.ts';
import { FRAME_TYPE, PROTOCOL_MAJOR, PROTOCOL_MINOR, SERVER_FRAME_MAX } from '../protocol/message.ts';
import { systemCode, systemReason } from '../protocol/system-reason.ts';
import { checkSocketPath, SOCKET_PATH_MAX } from './server-socket.ts';

/** How long the server may take to say HELLO. */
const HELLO_TIMEOUT_MS = 2000;

/** A connection whose HELLOs have been exchanged. */
export class ServerConnection {
  /** What the server said of itself. */
  readonly hello: Hello;
  readonly #socket: Socket;
  readonly #decoder: FrameDecoder;
  #waiting: RawFrame[];
  #onFrames: ((frames: readonly RawFrame[]) => void) | undefined;
  #onClose: ((error: Error | undefined) => void) | undefined;
  #closed: { readonly error: Error | undefined } | undefined;

  constructor(socket: Socket, hello: Hello, rest: { readonly decoder: FrameDecoder; readonly frames: RawFrame[] }) {
    this.hello = hello;
    this.#socket = socket;
    this.#decoder = rest.decoder;
    this.#waiting = rest.frames;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(undefined));
  }

  /** A whole frame (encodeCallMessage, encodeClientMessage). Without effect once closed. */
  send(frame: Uint8Array): void {
    if (!this.#closed) this.#socket.write(frame);
  }

  sendCall(message: CallMessage): void {
    this.send(encodeCallMessage(message));
  }

  /**
   * Who gets the frames from now on, in batches as they arrive; a later listener replaces an earlier one. Frames that came
   * before are delivered at once.
   */
  listen(listeners: {
    readonly onFrames: (frames: readonly RawFrame[]) => void;
    readonly onClose: (error: Error | undefined) => void;
  }): void {
    this.#onFrames = listeners.onFrames;
    this.#onClose = listeners.onClose;
    const frames = this.#waiting;
    this.#waiting = [];
    if (frames.length > 0) listeners.onFrames(frames);
    if (this.#closed) listeners.onClose(this.#closed.error);
  }

  /** Reads no more for now; what the server sends waits there. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Sends what is queued and closes. */
  close(): void {
    this.#socket.end();
    this.#socket.unref();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Uint8Array): void {
    let frames: RawFrame[];
    try {
      frames = this.#decoder.push(chunk);
    } catch (error) {
      this.#end(error instanceof Error ? error : undefined);
      this.#socket.destroy();
      return;
    }
    if (this.#onFrames) this.#onFrames(frames);
    else this.#waiting.push(...frames);
  }

  #end(error: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = { error };
    this.#onClose?.(error);
  }
}

/** `absent`: no server listens there, or one that is just ending (the caller may start one); `message` is what tmux prints then. */
export type ConnectResult =
  | { readonly kind: 'connected'; readonly connection: ServerConnection }
  | { readonly kind: 'absent'; readonly message: string };

export interface ConnectOptions {
  /** This program's version, for the other side's messages. */
  readonly version: string;
  readonly pid: number;
  readonly timeoutMs?: number;
}

/**
 * Connects to the server at `path`. Throws MplexError 'io' (cannot connect, no answer in time) or 'protocol' (no mplex
 * server, or one of another protocol).
 */
export async function connectServer(path: string, options: ConnectOptions): Promise<ConnectResult> {
  checkSocketPath(path);
  const socket = connect(path);
  try {
    await connected(socket);
  } catch (error) {
    socket.destroy();
    const code = systemCode(error);
    if (code === 'ECONNREFUSED') return { kind: 'absent', message: `no server running on ${path}` };
    const message = `error connecting to ${path} (${systemReason(error)})`;
    if (code === 'ENOENT') return { kind: 'absent', message };
    throw new MplexError('io', message);
  }
  try {
    return { kind: 'connected', connection: await exchangeHello(socket, path, options) };
  } catch (error) {
    socket.destroy();
    if (error instanceof EndedBeforeHello) return { kind: 'absent', message: error.message };
    throw error;
  }
}

/**
 * Takes over a connection to a server on its way up, to which HELLO was said already. Undefined where it ended before the
 * server said its own: there is no server, or another one has the socket. Throws MplexError like `connectServer`.
 */
export async function takeConnection(
  socket: Socket,
  path: string,
  options: Omit<ConnectOptions, 'pid'>,
): Promise<ServerConnection | undefined> {
  try {
    return await receiveHello(socket, path, options);
  } catch (error) {
    socket.destroy();
    if (error instanceof EndedBeforeHello) return undefined;
    throw error;
  }
}

/** The connection ended before the server had read anything: it was killed while the connection waited to be accepted. */
class EndedBeforeHello extends MplexError {
  constructor(message: string) {
    super('io', message);
  }
}

/** Whether somebody listens at `path`: a pty host there waits for a server to take over its programs. */
export async function isAnswered(path: string): Promise<boolean> {
  if (Buffer.byteLength(path) > SOCKET_PATH_MAX) return false;
  const socket = connect(path);
  try {
    await connected(socket);
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve();
    });
  });
}

function exchangeHello(socket: Socket, path: string, options: ConnectOptions): Promise<ServerConnection> {
  const { version, pid } = options;
  socket.write(encodeCallMessage({ kind: 'hello', major: PROTOCOL_MAJOR, minor: PROTOCOL_MINOR, pid, version }));
  return receiveHello(socket, path, options);
}

function receiveHello(socket: Socket, path: string, options: Omit<ConnectOptions, 'pid'>): Promise<ServerConnection> {
  const { version, timeoutMs = HELLO_TIMEOUT_MS } = options;
  const decoder = new FrameDecoder(SERVER_FRAME_MAX);
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      socket.off('data', onData).off('error', onError).off('close', onClosed);
    };
    const fail = (error: MplexError) => {
      stop();
      // The caller destroys the socket; what it still reports is nobody's concern.
      socket.on('error', () => undefined);
      reject(error);
    };
    const timer = setTimeout(() => fail(new MplexError('io', `no answer from the server on ${path}`)), timeoutMs);
    const onError = (error: Error) =>
      fail(new EndedBeforeHello(`error connecting to ${path} (${systemReason(error)})`));
    const onClosed = () => fail(new EndedBeforeHello(`server on ${path} closed the connection`));
    const onData = (chunk: Uint8Array) => {
      let frames: RawFrame[];
      try {
        frames = decoder.push(chunk);
      } catch {
        fail(new MplexError('protocol', `not an mplex server: ${path}`));
        return;
      }
      try {
        const first = frames.shift();
        if (!first) return;
        const hello = checkHello(first, path, version);
        stop();
        resolve(new ServerConnection(socket, hello, { decoder, frames }));
      } catch (error) {
        fail(error instanceof MplexError ? error : new MplexError('protocol', String(error)));
      }
    };
    socket.on('data', onData).on('error', onError).on('close', onClosed);
  });
}

function checkHello(frame: RawFrame, path: string, version: string): Hello {
  const message = frame.type === FRAME_TYPE.hello ? decodeCallMessage(frame) : undefined;
  if (message?.kind !== 'hello') throw new MplexError('protocol', `not an mplex server: ${path}`);
  if (message.major !== PROTOCOL_MAJOR) {
    const server = `mplex ${message.version} (protocol ${message.major}, pid ${message.pid})`;
    const client = `mplex ${version} (protocol ${PROTOCOL_MAJOR})`;
    throw new MplexError(
      'protocol',
      `server is ${server}, this is ${client}; to end that server: kill -TERM ${message.pid}`,
    );
  }
  return message;
}
