import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HostSocket, listenPrivately } from '../../../server/pty-host/host-socket.ts';

let directory = '';
let servers: Server[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mplex-sock-'));
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  rmSync(directory, { recursive: true });
});

function listen(path: string): Promise<HostSocket> {
  const server = createServer();
  servers.push(server);
  return listenPrivately(server, path);
}

describe('listenPrivately', () => {
  it('makes a socket that only the owner may use, whatever the umask, and leaves the umask alone', async () => {
    const before = process.umask(0);
    try {
      await listen(join(directory, 'a.host'));
      expect(statSync(join(directory, 'a.host')).mode & 0o777).toBe(0o600);
      expect(process.umask()).toBe(0);
    } finally {
      process.umask(before);
    }
    expect(readdirSync(directory)).toEqual(['a.host']);
  });

  it('refuses a name that somebody listens on', async () => {
    const path = join(directory, 'a.host');
    await listen(path);
    await expect(listen(path)).rejects.toThrow(`already listening: ${path}`);
    expect(readdirSync(directory)).toEqual(['a.host']);
  });

  it('replaces a socket that a dead process left, and a plain file', async () => {
    const path = join(directory, 'a.host');
    spawnSync(process.execPath, [
      '-e',
      `require('net').createServer().listen('${path}', () => process.kill(process.pid, 9))`,
    ]);
    expect(readdirSync(directory)).toEqual(['a.host']);
    await listen(path);
    const other = join(directory, 'b.host');
    writeFileSync(other, '');
    await listen(other);
    expect(readdirSync(directory)).toEqual(['a.host', 'b.host']);
  });

  it('removes only its own socket afterwards', async () => {
    const path = join(directory, 'a.host');
    const first = await listen(path);
    rmSync(path);
    const second = await listen(path);
    first.remove();
    expect(readdirSync(directory)).toEqual(['a.host']);
    second.remove();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('puts a socket back that somebody removed, with its directory, and leaves another’s alone', async () => {
    const path = join(directory, 'in', 'a.host');
    mkdirSync(join(directory, 'in'));
    const first = await listen(path);
    const before = statSync(path).ino;
    await first.restore();
    expect(statSync(path).ino).toBe(before);
    rmSync(join(directory, 'in'), { recursive: true });
    await first.restore();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    rmSync(path);
    await listen(path);
    await expect(first.restore()).rejects.toThrow(`already listening: ${path}`);
  });

  it('refuses a path that the system would cut', async () => {
    const path = join(directory, 'x'.repeat(100));
    await expect(listen(path)).rejects.toThrow(`socket path too long: ${path}`);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('says why it cannot listen', async () => {
    await expect(listen(join(directory, 'no', 'a.host'))).rejects.toThrow("can't listen on");
  });
});
