/**
 * A one-shot call by the shortest way: HELLO and command in one write, output written at once, and nothing loaded that it
 * does not need. What is not plain (no server, a server of another protocol, a Node without the handle) is left to the whole
 * command line (command-line.ts), which begins anew and has the words for it. The same is done by native/call.c.
 */
import { existsSync, writeSync } from 'node:fs';
import { type CallMessage, decodeCallMessage, encodeCallMessage } from '../protocol/call-codec.ts';
import { MplexError } from '../protocol/errors.ts';
import { FrameDecoder } from '../protocol/frame-decoder.ts';
import { type CommandCall, PROTOCOL_MAJOR, PROTOCOL_MINOR, SERVER_FRAME_MAX } from '../protocol/message.ts';
import { systemCode, systemReason } from '../protocol/system-reason.ts';
import { VERSION } from '../protocol/version.ts';
import type { CallResult } from './call.ts';
import { sendStdin } from './call-stdin.ts';
import { connectPipe, type PipeConnection } from './pipe-handle.ts';
import { checkSocketPath } from './server-socket.ts';

/** How long the server may take to say HELLO. */
const HELLO_TIMEOUT_MS = 2000;
/** Between two attempts to write to an output that takes nothing now. */
const RETRY_MS = 5;

/** `not-made`: no server took the call, and it may be made in another way. */
export type QuickResult = CallResult | { readonly kind: 'not-made' };

/** Makes the call on the server at `path`; all output is written when it returns. Throws MplexError like `runCall`. */
export function quickCall(path: string, call: CommandCall): Promise<QuickResult> {
  checkSocketPath(path);
  if (!existsSync(path)) return Promise.resolve({ kind: 'not-made' });
  return new Promise((resolve, reject) => new QuickCall(path, { resolve, reject }).begin(call));
}

interface Ended {
  readonly resolve: (result: QuickResult) => void;
  readonly reject: (error: MplexError) => void;
}

class QuickCall {
  readonly #path: string;
  readonly #ended: Ended;
  readonly #decoder = new FrameDecoder(SERVER_FRAME_MAX);
  readonly #output = new Output();
  readonly #timer: NodeJS.Timeout;
  #connection: PipeConnection | undefined;
  #isGreeted = false;
  #readsStdin = false;

  constructor(path: string, ended: Ended) {
    this.#path = path;
    this.#ended = ended;
    this.#timer = setTimeout(
      () => this.#finish(new MplexError('io', `no answer from the server on ${path}`)),
      HELLO_TIMEOUT_MS,
    );
  }

  begin(call: CommandCall): void {
    this.#connection = connectPipe(this.#path, {
      onData: (bytes) => this.#receive(bytes),
      onEnd: () => this.#lost(),
    });
    if (!this.#connection) {
      this.#finish({ kind: 'not-made' });
      return;
    }
    const hello = { major: PROTOCOL_MAJOR, minor: PROTOCOL_MINOR, pid: process.pid, version: VERSION };
    // A server of another protocol takes nothing after a HELLO like ours.
    this.#connection.write(Buffer.concat([encodeCallMessage({ kind: 'hello', ...hello }), encodeCallMessage(call)]));
  }

  #receive(bytes: Uint8Array): void {
    try {
      for (const frame of this.#decoder.push(bytes)) {
        const result = this.#isGreeted ? this.#take(decodeCallMessage(frame)) : this.#greet(decodeCallMessage(frame));
        if (!result) continue;
        this.#finish(result);
        return;
      }
    } catch (error) {
      if (!this.#isGreeted) this.#finish({ kind: 'not-made' });
      else this.#finish(error instanceof MplexError ? error : new MplexError('protocol', String(error)));
    }
  }

  #greet(message: CallMessage | undefined): QuickResult | undefined {
    if (message?.kind !== 'hello' || message.major !== PROTOCOL_MAJOR) return { kind: 'not-made' };
    this.#isGreeted = true;
    clearTimeout(this.#timer);
    return undefined;
  }

  /** A result once the call is over. */
  #take(message: CallMessage | undefined): QuickResult | undefined {
    switch (message?.kind) {
      case 'stdout':
        this.#output.write(message.bytes);
        return undefined;
      case 'stderr':
        writeError(message.bytes);
        return undefined;
      case 'want-stdin':
        this.#readsStdin = true;
        sendStdin(process.stdin, (sent) => this.#connection?.write(encodeCallMessage(sent)));
        return undefined;
      case 'exit-code':
        return { kind: 'exit', code: message.code };
      case 'handover':
        return { kind: 'handover', token: message.token };
      default:
        return undefined;
    }
  }

  #lost(): void {
    this.#finish(this.#isGreeted ? new MplexError('io', 'server exited unexpectedly') : { kind: 'not-made' });
  }

  #finish(result: QuickResult | MplexError): void {
    clearTimeout(this.#timer);
    this.#connection?.close();
    if (this.#readsStdin) process.stdin.pause().unref?.();
    if (result instanceof MplexError) this.#ended.reject(result);
    else this.#ended.resolve(result);
  }
}

/** Standard output. Once nobody reads it (`list-keys | head -1`) the rest is dropped; the call goes on. */
class Output {
  #isUnread = false;

  /** Throws MplexError 'io' where it takes nothing (a full disk). */
  write(bytes: Uint8Array): void {
    if (this.#isUnread) return;
    try {
      writeAll(1, bytes);
    } catch (error) {
      if (systemCode(error) !== 'EPIPE') throw new MplexError('io', `can't write: ${systemReason(error)}`);
      this.#isUnread = true;
    }
  }
}

function writeError(bytes: Uint8Array): void {
  try {
    writeAll(2, bytes);
  } catch {
    // There is nowhere left to say it.
  }
}

/** Waits for a slow reader, also where the descriptor does not (O_NONBLOCK comes from whoever shares it). */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (systemCode(error) !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
