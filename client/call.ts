/** One command line call: ships it, prints what comes back, and says how it ended. */
import type { Writable } from 'node:stream';
import { type CallMessage, decodeCallMessage } from '../protocol/call-codec.ts';
import { MplexError } from '../protocol/errors.ts';
import type { CommandCall } from '../protocol/message.ts';
import { systemReason } from '../protocol/system-reason.ts';
import { sendStdin } from './call-stdin.ts';
import type { ServerConnection } from './connect.ts';

export type CallResult =
  | { readonly kind: 'exit'; readonly code: number }
  /** Go on as an attached client on the same connection. */
  | { readonly kind: 'handover'; readonly token: string };

export interface CallStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** What a call needs of a connection. */
export type CallConnection = Pick<ServerConnection, 'listen' | 'sendCall' | 'pause' | 'resume'>;

/** Runs a call. Throws MplexError 'io' ("server exited unexpectedly") when the connection ends before the call does. */
export function runCall(connection: CallConnection, call: CommandCall, streams: CallStreams): Promise<CallResult> {
  const result = awaitCall(connection, call, streams);
  connection.sendCall(call);
  return result;
}

/** `runCall` for a call that the server has already. */
export function awaitCall(
  connection: CallConnection,
  { flags }: Pick<CommandCall, 'flags'>,
  streams: CallStreams,
): Promise<CallResult> {
  return new Promise((resolve, reject) => {
    let readsStdin = false;
    let output: Output | undefined;
    const stop = () => {
      connection.listen({ onFrames: () => {}, onClose: () => {} });
      // Only what was used: to make the stream takes time.
      if (!readsStdin) return;
      streams.stdin.pause();
      streams.stdin.unref?.();
    };
    const finish = (result: CallResult) => {
      stop();
      resolve(result);
    };
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    const take = (message: CallMessage | undefined) => {
      switch (message?.kind) {
        case 'stdout':
          output ??= new Output(streams.stdout, {
            connection,
            // A control mode client is nothing without its reader; a call goes on and says how it went, as in tmux.
            onUnread: () => (flags.control > 0 ? finish({ kind: 'exit', code: 0 }) : undefined),
            onError: fail,
          });
          output.write(message.bytes);
          return;
        case 'stderr':
          streams.stderr.write(message.bytes);
          return;
        case 'want-stdin':
          readsStdin = true;
          sendStdin(streams.stdin, (sent) => connection.sendCall(sent));
          return;
        case 'exit-code': {
          const { code } = message;
          // Nothing more counts, not even the end of the connection; but what cannot be written is still told.
          stop();
          if (output) output.flushed(() => resolve({ kind: 'exit', code }));
          else resolve({ kind: 'exit', code });
          return;
        }
        case 'handover':
          finish({ kind: 'handover', token: message.token });
          return;
        default:
          return;
      }
    };
    connection.listen({
      onFrames: (frames) => {
        try {
          for (const frame of frames) take(decodeCallMessage(frame));
        } catch (error) {
          fail(error);
        }
      },
      onClose: () => fail(new MplexError('io', 'server exited unexpectedly')),
    });
  });
}

/** Standard output, whose reader may be slow, or gone (`list-keys | head -1`). */
class Output {
  readonly #stream: Writable;
  readonly #connection: CallConnection;
  #isUnread = false;

  constructor(
    stream: Writable,
    options: {
      readonly connection: CallConnection;
      readonly onUnread: () => void;
      readonly onError: (error: MplexError) => void;
    },
  ) {
    this.#stream = stream;
    this.#connection = options.connection;
    stream.on('drain', () => this.#connection.resume());
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#isUnread = true;
      this.#connection.resume();
      if (error.code === 'EPIPE') options.onUnread();
      else options.onError(new MplexError('io', `can't write: ${systemReason(error)}`));
    });
  }

  write(bytes: Uint8Array): void {
    // Who reads slowly (a control mode client) is waited for here, and so by the server.
    if (!this.#isUnread && !this.#stream.write(bytes)) this.#connection.pause();
  }

  /** Calls back once all is written or nobody reads it; not where it cannot be written: that is an error of the stream. */
  flushed(done: () => void): void {
    if (this.#isUnread) done();
    else
      this.#stream.write('', (error) => (!error || ('code' in error && error.code === 'EPIPE') ? done() : undefined));
  }
}
