import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectServer, type ServerConnection } from '../../client/connect.ts';
import { checkSocketPath, ensureSocketDir, socketDirectory } from '../../client/server-socket.ts';
import { encodeCallMessage, encodeFrame } from '../../protocol/call-codec.ts';
import { FakeServer } from '../support/fake-server.ts';
import { waitUntil } from '../support/wait-until.ts';

const UID = process.getuid?.() ?? 0;
const OPTIONS = { version: '1.2.3', pid: 42 };
let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mplex-connect-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('ensureSocketDir', () => {
  it('makes mplex-UID, closed to everybody else, under the first base that is set', () => {
    const directory = ensureSocketDir({ MPLEX_TMPDIR: base, TMUX_TMPDIR: '/nowhere' }, UID);
    expect(directory).toBe(join(base, `mplex-${UID}`));
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(ensureSocketDir({ MPLEX_TMPDIR: '', TMUX_TMPDIR: base }, UID)).toBe(directory);
    expect(socketDirectory({}, 7)).toBe('/tmp/mplex-7');
  });

  it('refuses a link, a file, somebody else’s directory and one that others may enter', () => {
    const directory = join(base, `mplex-${UID}`);
    const env = { MPLEX_TMPDIR: base };
    mkdirSync(join(base, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(base, 'elsewhere'), directory);
    expect(() => ensureSocketDir(env, UID)).toThrow(`${directory} is not a directory`);
    rmSync(directory);
    writeFileSync(directory, '');
    expect(() => ensureSocketDir(env, UID)).toThrow(`${directory} is not a directory`);
    rmSync(directory);
    mkdirSync(directory);
    chmodSync(directory, 0o770);
    expect(() => ensureSocketDir(env, UID)).toThrow(`directory ${directory} has unsafe permissions`);
    expect(statSync(directory).mode & 0o777).toBe(0o770);
    const foreign = join(base, `mplex-${UID + 1}`);
    mkdirSync(foreign, { mode: 0o700 });
    expect(() => ensureSocketDir(env, UID + 1)).toThrow('belongs to somebody else');
  });

  it('names a base that cannot be used', () => {
    expect(() => ensureSocketDir({ MPLEX_TMPDIR: join(base, 'missing') }, UID)).toThrow(/missing \(No such file/);
  });
});

describe('a command line call', () => {
  it('connects without loading msgpackr, zod or a terminal', async () => {
    const { metafile } = await build({
      entryPoints: ['client/connect.ts'],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs).toContain('protocol/call-codec.ts');
    expect(inputs.filter((path) => path.includes('node_modules') || path.includes('overlay'))).toEqual([]);
  });
});

describe('connectServer', () => {
  it('gives the server’s HELLO, and frames that came with it to the first listener', async () => {
    const server = await FakeServer.open();
    server.greeting = Buffer.concat([server.greeting, encodeFrame(200, Buffer.from('early'))]);
    const result = await connectServer(server.path, OPTIONS);
    if (result.kind !== 'connected') throw new Error(result.message);
    expect(result.connection.hello).toMatchObject({ version: 'fake', pid: process.pid });
    const frames: string[] = [];
    let isClosed = false;
    listen(result.connection, frames, () => {
      isClosed = true;
    });
    server.sendRaw(encodeFrame(201, Buffer.from('late')));
    await waitUntil('both frames', () => frames.length === 2);
    expect(frames).toEqual(['200 early', '201 late']);
    server.dropClient();
    await waitUntil('the end of the connection', () => isClosed);
    server.close();
  });

  function listen(connection: ServerConnection, frames: string[], onClose: () => void): void {
    connection.listen({
      onFrames: (batch) => frames.push(...batch.map((frame) => `${frame.type} ${Buffer.from(frame.body).toString()}`)),
      onClose,
    });
  }

  it('says absent, in tmux’s words, when nobody listens', async () => {
    const path = join(base, 'none');
    expect(await connectServer(path, OPTIONS)).toEqual({
      kind: 'absent',
      message: `error connecting to ${path} (No such file or directory)`,
    });
  });

  it('says no server is running when the socket is stale', async () => {
    const path = join(base, 'stale');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`;
    expect(() => execFileSync(process.execPath, ['-e', script], { stdio: 'ignore' })).toThrow();
    expect(existsSync(path)).toBe(true);
    expect(await connectServer(path, OPTIONS)).toEqual({ kind: 'absent', message: `no server running on ${path}` });
  });

  it('says absent when the server ends before it has said anything', async () => {
    const path = join(base, 'ending');
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((done) => server.listen(path, done));
    expect(await connectServer(path, OPTIONS)).toMatchObject({
      kind: 'absent',
      message: expect.stringContaining(path),
    });
    server.close();
  });

  it('names both versions when the protocols differ', async () => {
    const server = await FakeServer.open();
    server.greeting = encodeCallMessage({ kind: 'hello', major: 9, minor: 0, pid: 77, version: '9.9' });
    await expect(connectServer(server.path, OPTIONS)).rejects.toThrow(
      'server is mplex 9.9 (protocol 9, pid 77), this is mplex 1.2.3 (protocol 1); to end that server: kill -TERM 77',
    );
    server.close();
  });

  it('takes an older or newer minor', async () => {
    const server = await FakeServer.open();
    server.greeting = encodeCallMessage({ kind: 'hello', major: 1, minor: 99, pid: 77, version: '1.9' });
    const result = await connectServer(server.path, OPTIONS);
    expect(result.kind).toBe('connected');
    if (result.kind === 'connected') result.connection.destroy();
    server.close();
  });

  it.each([
    ['something else', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a frame that is no HELLO', Buffer.from(encodeFrame(3, Buffer.from('x')))],
    ['HELLO with another magic', Buffer.from(encodeFrame(0, Buffer.from('TMUX0000000000')))],
  ])('refuses %s', async (_, greeting) => {
    const server = await FakeServer.open();
    server.greeting = greeting;
    await expect(connectServer(server.path, OPTIONS)).rejects.toMatchObject({ code: 'protocol' });
    server.close();
  });

  it('gives up on a server that says nothing', async () => {
    const path = join(base, 'mute');
    const mute = createServer(() => undefined);
    await new Promise<void>((resolve) => mute.listen(path, resolve));
    await expect(connectServer(path, { ...OPTIONS, timeoutMs: 50 })).rejects.toThrow(
      `no answer from the server on ${path}`,
    );
    mute.close();
  });

  it('refuses paths that Node would cut', () => {
    expect(() => checkSocketPath(`/${'x'.repeat(106)}`)).not.toThrow();
    expect(() => checkSocketPath(`/${'x'.repeat(107)}`)).toThrow('socket path is too long (108 bytes)');
    expect(() => checkSocketPath(`/${'é'.repeat(60)}`)).toThrow('too long (121 bytes)');
    expect(() => checkSocketPath('')).toThrow('empty');
  });
});
