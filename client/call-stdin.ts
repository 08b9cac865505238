/** Standard input of a call, for a server that has asked for it. */
import type { CallMessage } from '../protocol/call-codec.ts';

/** Bytes of standard input in one frame. */
const STDIN_CHUNK = 64 * 1024;

/** Sends all of it as it comes, and its end. */
export function sendStdin(stdin: NodeJS.ReadStream, send: (message: CallMessage) => void): void {
  stdin.on('data', (chunk: Buffer) => {
    const bytes = Buffer.from(chunk);
    for (let at = 0; at < bytes.length; at += STDIN_CHUNK) {
      send({ kind: 'stdin', bytes: bytes.subarray(at, at + STDIN_CHUNK) });
    }
  });
  stdin.once('end', () => send({ kind: 'stdin-end' }));
  stdin.once('error', () => send({ kind: 'stdin-end' }));
}
