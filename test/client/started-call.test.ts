import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeConnection } from '../../client/connect.ts';
import { takeLaunch } from '../../client/launch.ts';
import { encodeCallMessage } from '../../protocol/call-codec.ts';
import { PROTOCOL_MAJOR, PROTOCOL_MINOR } from '../../protocol/message.ts';

describe('takeConnection', () => {
  let home: string;
  let server: Server;
  let far: Promise<Socket>;
  const path = () => join(home, 's');

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'mplex-call-'));
    server = createServer();
    far = new Promise((resolve) => server.once('connection', resolve));
    await new Promise<void>((resolve) => server.listen(path(), resolve));
  });
  afterEach(() => {
    server.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('waits for the greeting of a server on its way up, says nothing itself, and keeps what came with it', async () => {
    const taken = takeConnection(connect(path()), path(), { version: '1' });
    const peer = await far;
    let said = 0;
    peer.on('data', (bytes) => {
      said += bytes.length;
    });
    const hello = { kind: 'hello', major: PROTOCOL_MAJOR, minor: PROTOCOL_MINOR, pid: 7, version: '2' } as const;
    peer.write(Buffer.concat([encodeCallMessage(hello), encodeCallMessage({ kind: 'handover', token: 'abc' })]));
    const connection = await taken;
    expect(connection?.hello.pid).toBe(7);
    const frames: number[] = [];
    connection?.listen({ onFrames: (some) => frames.push(...some.map((one) => one.type)), onClose: () => {} });
    expect(frames).toHaveLength(1);
    expect(said).toBe(0);
    connection?.destroy();
    peer.destroy();
  });

  it('is undefined where the connection ends before the greeting: the call has to be made elsewhere', async () => {
    const taken = takeConnection(connect(path()), path(), { version: '1' });
    (await far).end();
    expect(await taken).toBeUndefined();
  });

  it('refuses a server of another protocol', async () => {
    const taken = takeConnection(connect(path()), path(), { version: '1' });
    const peer = await far;
    peer.write(encodeCallMessage({ kind: 'hello', major: PROTOCOL_MAJOR + 1, minor: 0, pid: 7, version: '9' }));
    await expect(taken).rejects.toThrow('protocol');
    peer.destroy();
  });
});

describe('takeLaunch', () => {
  it('reads where the server tells that it is ready, and where the call was made', () => {
    const read = (word: string) => takeLaunch({ MPLEX_LAUNCH: word });
    expect(read('ready-fd=5,call-fd=7')).toEqual({ kind: 'started', readyFd: 5, callFd: 7 });
    expect(read('ready-fd=5')).toEqual({ kind: 'started', readyFd: 5, callFd: undefined });
    for (const word of ['ready-fd=5,call-fd=', 'call-fd=7', 'ready-fd=5,call-fd=7;', 'ready-fd=05'])
      expect(read(word)).toEqual({ kind: 'nothing' });
  });
});
