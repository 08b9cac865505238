import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HostClient } from '../../../server/pty-host/host-client.ts';
import { FrameDecoder } from '../../../server/pty-host/host-frame.ts';
import { decodeRequest, encodeReport, HOST_MAJOR, HOST_MINOR } from '../../../server/pty-host/host-protocol.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** More than the kernel takes for a host that does not read. */
const MUCH = 8 << 20;
let directory: string;
let server: Server;
/** The host's end, which nobody reads yet. */
let host: Socket | undefined;
let client: HostClient;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'host-client-'));
  const socketPath = join(directory, 'host');
  host = undefined;
  server = createServer((socket) => {
    host = socket.pause();
    socket.write(encodeReport({ kind: 'hello', major: HOST_MAJOR, minor: HOST_MINOR, pid: 1 }));
  });
  await new Promise<void>((listening) => server.listen(socketPath, listening));
  client = new HostClient({
    socketPath,
    hostScript: '/nonexistent',
    log: () => {},
    replaced: () => client.setRestartCommand(['server']),
  });
  client.begin();
  await client.ready;
});

afterEach(() => {
  host?.destroy();
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The kinds of requests that the host at the other end reads from now on. */
function readKinds(): (string | undefined)[] {
  const kinds: (string | undefined)[] = [];
  const decoder = new FrameDecoder();
  host?.on('data', (chunk) => kinds.push(...decoder.push(chunk).map((frame) => decodeRequest(frame)?.kind)));
  host?.resume();
  return kinds;
}

test('a host that a spawn begins in place of a lost one is told first how to start a server', async () => {
  const first = host;
  first?.destroy();
  await waitUntil('the loss', () => client.isLost);
  const none = () => {};
  const events = { spawned: none, failed: none, data: none, exit: none };
  client.spawn({ id: 1, argv: ['sh'], env: {}, cwd: '/', size: { cols: 80, rows: 24 } }, events);
  await waitUntil('another host', () => host !== first);
  const kinds = readKinds();
  await waitUntil('the spawn', () => kinds.includes('spawn'));
  expect(kinds).toEqual(['hello', 'restart-command', 'spawn']);
});

test('a host that is behind is told to quit all the same, before the server may end', async () => {
  client.stage('blob', new Uint8Array(MUCH));
  let isTold = false;
  const told = client.quit().then(() => {
    isTold = true;
  });
  await new Promise((turn) => setImmediate(turn));
  expect(isTold).toBe(false);
  const kinds = readKinds();
  await told;
  await waitUntil('the word', () => kinds.includes('quit'));
  expect(kinds.at(-1)).toBe('quit');
});
