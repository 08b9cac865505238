// What a multiplexer of three Node processes cannot do without: a client, a server and a pty host that hand on bytes, and
// do nothing else. Its echo is the limit of mplex's.
// usage: node bench/relay.mjs PROGRAM      (in a terminal; more than one runs side by side)
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node-pty';

const [, self, role, ...rest] = process.argv;

/** Listens and says so to the parent process, then hands the one connection that comes to `use`. */
function serve(path, use) {
  createServer(use).listen(path, () => process.send('ready'));
}

function start(...args) {
  const child = fork(self, args, { stdio: 'ignore' });
  return new Promise((ready) => child.once('message', () => ready(child)));
}

/** To its end with all that hangs on it. */
function endWith(...streams) {
  for (const stream of streams) for (const event of ['close', 'error']) stream.on(event, () => process.exit());
}

function host(path, program) {
  serve(path, (server) => {
    const pty = spawn(program, [], { cols: 80, rows: 24, encoding: null });
    server.on('data', (bytes) => pty.write(bytes));
    pty.onData((bytes) => server.write(bytes));
    pty.onExit(() => process.exit());
    endWith(server);
  });
}

async function server(path, hostPath, program) {
  await start('--host', hostPath, program);
  const toHost = connect(hostPath);
  serve(path, (client) => {
    client.on('data', (bytes) => toHost.write(bytes));
    toHost.on('data', (bytes) => client.write(bytes));
    endWith(client, toHost);
  });
}

async function client(program) {
  const directory = mkdtempSync(join(tmpdir(), 'relay-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  await start('--server', join(directory, 'server'), join(directory, 'host'), program);
  const toServer = connect(join(directory, 'server'));
  process.stdin.setRawMode(true);
  process.stdin.on('data', (bytes) => toServer.write(bytes));
  toServer.on('data', (bytes) => process.stdout.write(bytes));
  endWith(toServer, process.stdin);
}

if (role === '--host') host(...rest);
else if (role === '--server') await server(...rest);
else await client(role ?? '/bin/sh');
