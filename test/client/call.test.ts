/** How a call ends when its output does not go where it should. */
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CallConnection, type CallResult, runCall } from '../../client/call.ts';
import { type CallMessage, encodeCallMessage } from '../../protocol/call-codec.ts';
import { FrameDecoder } from '../../protocol/frame-decoder.ts';
import { type CommandCall, SERVER_FRAME_MAX } from '../../protocol/message.ts';

const CALL: CommandCall = {
  kind: 'command',
  argv: ['list-keys'],
  cwd: '/',
  environ: [],
  pid: 1,
  terminal: undefined,
  flags: { noStart: false, colors256: false, utf8: true, asTmux: false, control: 0 },
};

/** Runs a call whose whole reply comes at once, as from a server on the same machine. */
function reply(messages: readonly CallMessage[], stdout: Writable): Promise<CallResult> {
  const frames = messages.flatMap((message) => new FrameDecoder(SERVER_FRAME_MAX).push(encodeCallMessage(message)));
  const connection: CallConnection = {
    listen: ({ onFrames }) => queueMicrotask(() => onFrames(frames)),
    sendCall: () => {},
    pause: () => {},
    resume: () => {},
  };
  return runCall(connection, CALL, { stdin: process.stdin, stdout, stderr: new Writable() });
}

function failing(code: string): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
}

const REPLY: readonly CallMessage[] = [
  { kind: 'stdout', bytes: Buffer.from('text\n') },
  { kind: 'exit-code', code: 3 },
];

describe('the end of a call whose reply comes at once', () => {
  it('is the error of an output that cannot be written, not the exit code', async () => {
    await expect(reply(REPLY, failing('ENOSPC'))).rejects.toThrow("can't write: No space left on device");
  });

  it('is the exit code where the reader has left', async () => {
    expect(await reply(REPLY, failing('EPIPE'))).toEqual({ kind: 'exit', code: 3 });
  });

  it('comes after the last byte is written', async () => {
    const written: string[] = [];
    const slow = new Writable({
      write: (chunk, _encoding, done) => {
        setImmediate(() => {
          written.push(String(chunk));
          done();
        });
      },
    });
    expect(await reply(REPLY, slow)).toEqual({ kind: 'exit', code: 3 });
    expect(written.join('')).toBe('text\n');
  });
});
