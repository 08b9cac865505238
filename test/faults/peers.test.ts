/** Peers that are slow, stopped, half open, of another version or hostile cost themselves, nobody else. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { encodeCallMessage } from '../../protocol/call-codec.ts';
import { PROTOCOL_MAJOR, PROTOCOL_MINOR } from '../../protocol/message.ts';
import { Control } from '../support/control.ts';
import { descriptorsOf, fault, growth, memoryOf, Pulse } from '../support/fault.ts';
import { startHooked } from '../support/hooked-server.ts';
import { World, waitFor } from '../support/program.ts';
import { randomFrom } from '../support/random.ts';
import { serverPid } from '../support/survivor.ts';

/** `npm run test:soak` runs the long forms. */
const IS_LONG = process.env.MPLEX_SOAK_RUNS !== undefined;
const HELLO = encodeCallMessage({
  kind: 'hello',
  major: PROTOCOL_MAJOR,
  minor: PROTOCOL_MINOR,
  pid: process.pid,
  version: 'test',
});

let world: World;
let pid = 0;

beforeAll(async () => {
  world = new World();
  await world.output('-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'exec cat');
  pid = serverPid(world) ?? 0;
});

afterAll(() => world.close());

function dial(path: string): Promise<Socket> {
  const socket = connect(path);
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket));
    socket.once('close', () => resolve(socket));
  });
}

/** Whether the other side hung up within `ms`. */
function hangsUp(socket: Socket, ms = 3000): Promise<boolean> {
  socket.resume();
  if (socket.destroyed) return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** Runs it under a pulse; tells how the server was meanwhile and whether its memory grew by more than 20 MiB. */
async function watched(run: () => Promise<string>): Promise<string> {
  const before = memoryOf(pid);
  const pulse = await Pulse.start(world.controlPath);
  const seen = await run();
  const state = await pulse.stop();
  return `${seen}; server ${state}, memory ${growth(before, memoryOf(pid), 20)}`;
}

const WELL = 'server alive, memory flat';

describe('bytes that are no protocol', () => {
  const garbage: readonly [string, Buffer][] = [
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a TLS hello', Buffer.from('16030100c8010000c40303', 'hex')],
    ['a tmux client', Buffer.from('0000006b0000001c0000000800000000ffffffff', 'hex')],
    ['a length of 2^32-1', Buffer.from('ffffffff00', 'hex')],
    ['a length of zero', Buffer.from('0000000000', 'hex')],
  ];
  for (const [name, bytes] of garbage) {
    fault(
      { row: '2.2 garbage', injected: `${name} on the command socket and the host's`, expected: `hung up; ${WELL}` },
      () =>
        watched(async () => {
          for (const path of [world.socketPath, `${world.socketPath}.host`]) {
            const socket = await dial(path);
            socket.write(bytes);
            if (!(await hangsUp(socket))) return 'still connected';
          }
          return 'hung up';
        }),
    );
  }

  fault(
    { row: 'D6', injected: '2,000 random frames', expected: `all sent; ${WELL}` },
    () =>
      watched(async () => {
        const random = randomFrom(7);
        for (let i = 0; i < 2000; i++) {
          const socket = await dial(world.socketPath);
          const size = 5 + Math.floor(random() * 300);
          const frame = Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
          frame.writeUInt32BE(size - 4, 0);
          frame[4] = random() < 0.5 ? 16 : Math.floor(random() * 9);
          socket.write(HELLO);
          socket.end(frame);
          await hangsUp(socket);
        }
        return 'all sent';
      }),
    { ms: 120_000 },
  );

  const bombs: readonly [string, Buffer][] = [
    ['1 MiB of nested arrays', packed(Buffer.alloc((1 << 20) - 1, 0x91))],
    ['a map with __proto__', packed(Buffer.from('81a95f5f70726f746f5f5f81a46b696e64a5696e707574', 'hex'))],
    ['an array of 2^32-1', packed(Buffer.from('ddffffffff', 'hex'))],
    ['a string of 2^32-1', packed(Buffer.from('dbffffffff61', 'hex'))],
    ['an extension type', packed(Buffer.from('c70c01000000000000000000000000', 'hex'))],
    ['a hello, then a second frame of 16 MiB', Buffer.from('0100000110', 'hex')],
  ];
  for (const [name, bytes] of bombs) {
    fault({ row: 'D6', injected: `${name} as a frame`, expected: `hung up; ${WELL}` }, () =>
      watched(async () => {
        const socket = await dial(world.socketPath);
        socket.write(HELLO);
        socket.write(bytes);
        return (await hangsUp(socket)) ? 'hung up' : 'still connected';
      }),
    );
  }

  fault(
    {
      row: 'D8',
      injected: `${IS_LONG ? '100,000' : '20,000'} malformed control requests`,
      expected: 'each bad_request; server alive, heap grown by less than 20 MiB',
    },
    async () => {
      const measured = new World();
      try {
        const heap = join(measured.directory, 'heap');
        const server = await startHooked(measured, heapTeller(heap));
        const rounds = IS_LONG ? 100 : 20;
        // What is loaded and compiled with the first requests is no growth.
        await malformed(measured, 1);
        const before = await heapOf(server, heap);
        const pulse = await Pulse.start(measured.controlPath);
        const answered = await malformed(measured, rounds);
        const state = await pulse.stop(3000);
        const grown = (await heapOf(server, heap)) - before;
        const size = grown < 20 ? 'less than 20 MiB' : `${Math.round(grown)} MiB`;
        const replies = answered === rounds * 1000 ? 'each bad_request' : `${answered} of ${rounds * 1000}`;
        return `${replies}; server ${state}, heap grown by ${size}`;
      } finally {
        await measured.close();
      }
    },
    { ms: 180_000 },
  );
});

const MALFORMED = [
  'nonsense',
  '{',
  '{"op":"nosuch"}',
  '{"__proto__":1}',
  '{"op":"hello","op":"hello"}',
  '\ufeff{}',
  '[]',
  '\u0000',
  '{"op":"hello","id":"\\ud800x"}{',
  '{"op":"show","kind":"choice","options":"x"}',
  '{"op":"hello","extra":1}',
];

/** Sends rounds of a thousand; how many were answered as they should be. */
async function malformed(to: World, rounds: number): Promise<number> {
  const control = await Control.open(to.controlPath);
  let answered = 0;
  for (let round = 0; round < rounds; round++) {
    const replies = Array.from({ length: 1000 }, (_, i) => control.raw(`${MALFORMED[i % MALFORMED.length]}\n`));
    for (const { error } of await Promise.all(replies))
      if ((error as { code?: string } | undefined)?.code === 'bad_request') answered += 1;
  }
  control.close();
  return answered;
}

/** A script that writes the size of the heap, bytes, after a collection, at SIGUSR2. */
function heapTeller(path: string): string {
  return `
require('node:v8').setFlagsFromString('--expose-gc');
const gc = require('node:vm').runInNewContext('gc');
const { writeFileSync, renameSync } = require('node:fs');
process.on('SIGUSR2', () => {
  gc();
  writeFileSync(${JSON.stringify(`${path}.new`)}, String(process.memoryUsage().heapUsed));
  renameSync(${JSON.stringify(`${path}.new`)}, ${JSON.stringify(path)});
});`;
}

/** MiB in use. */
async function heapOf(server: number, path: string): Promise<number> {
  rmSync(path, { force: true });
  process.kill(server, 'SIGUSR2');
  await waitFor(() => existsSync(path), { name: 'the size of the heap' });
  return Number(readFileSync(path, 'utf8')) / (1 << 20);
}

/** A frame of the packed type. */
function packed(body: Buffer): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 16]);
  head.writeUInt32BE(body.length + 1);
  return Buffer.concat([head, body]);
}

describe('peers that keep silent', () => {
  fault(
    { row: 'D7', injected: '1,000 connections that say nothing', expected: `a call is answered; few left; ${WELL}` },
    () =>
      watched(async () => {
        const before = descriptorsOf(pid);
        const sockets = await Promise.all(Array.from({ length: 1000 }, () => dial(world.socketPath)));
        const start = performance.now();
        const { code } = await world.call(['has-session', '-t', 'main']);
        const ms = performance.now() - start;
        const held = descriptorsOf(pid) - before;
        for (const socket of sockets) socket.destroy();
        if (code !== 0 || ms > 3000) return `a call took ${ms} ms and gave ${code}`;
        return `a call is answered; ${held <= 70 ? 'few' : held} left`;
      }),
  );

  fault({ row: 'D7', injected: 'a connection that says nothing for 2 s', expected: `hung up; ${WELL}` }, () =>
    watched(async () => {
      const socket = await dial(world.socketPath);
      return (await hangsUp(socket, 6000)) ? 'hung up' : 'still connected';
    }),
  );

  fault(
    {
      row: 'D7',
      injected: '600 silent connections on the control socket',
      expected: `a request is answered; few left; ${WELL}`,
    },
    () =>
      watched(async () => {
        const before = descriptorsOf(pid);
        const sockets = await Promise.all(Array.from({ length: 600 }, () => dial(world.controlPath)));
        const control = await Control.open(world.controlPath);
        const { ok } = await control.request({ op: 'hello' });
        const held = descriptorsOf(pid) - before;
        control.close();
        for (const socket of sockets) socket.destroy();
        return `a request is ${ok === true ? 'answered' : 'not answered'}; ${held <= 70 ? 'few' : held} left`;
      }),
  );

  fault(
    { row: 'D6', injected: 'a frame of 1 MiB announced and sent one byte at a time', expected: `waited for; ${WELL}` },
    () =>
      watched(async () => {
        const socket = await dial(world.socketPath);
        socket.write(HELLO);
        socket.write(Buffer.from([0, 16, 0, 0, 16]));
        for (let i = 0; i < 50; i++) await new Promise<void>((next) => socket.write('x', () => next()));
        const isOpen = !socket.destroyed;
        socket.destroy();
        return isOpen ? 'waited for' : 'hung up';
      }),
  );
});

describe('clients that do not read', () => {
  fault(
    {
      row: '2.2 client SIGSTOP',
      injected: '5 stopped clients under a flood',
      expected: 'a fast client sees the end; the stopped see it when they go on; server alive, memory flat',
    },
    async () => {
      const flooded = new World();
      try {
        await flooded.output(
          '-f',
          '/dev/null',
          'new-session',
          '-d',
          '-s',
          'main',
          'read go; seq 1 400000; echo the-end; exec cat',
        );
        const stopped = Array.from({ length: 5 }, () => flooded.attach(['attach-session']));
        await Promise.all(stopped.map((client) => client.until('[main]')));
        const fast = flooded.attach(['attach-session']);
        await fast.until('[main]');
        const server = serverPid(flooded) ?? 0;
        for (const client of stopped) process.kill(client.pid, 'SIGSTOP');
        fast.type('go\r');
        // The history fills meanwhile: what is measured afterwards is what the clients cost.
        await waitFor(async () => (await flooded.output('display-message', '-p', '#{history_size}')) === '2000', {
          name: 'a full history',
        });
        const before = memoryOf(server);
        const pulse = await Pulse.start(flooded.controlPath);
        await fast.until('the-end', { ms: 60_000 });
        const state = await pulse.stop();
        const after = memoryOf(server);
        for (const client of stopped) process.kill(client.pid, 'SIGCONT');
        await Promise.all(stopped.map((client) => client.until('the-end')));
        return `a fast client sees the end; the stopped see it when they go on; server ${state}, memory ${growth(before, after, 40)}`;
      } finally {
        await flooded.close();
      }
    },
    { ms: 120_000 },
  );

  fault(
    {
      row: '2.2 slow tty',
      injected: 'a control peer that asks for 40 MiB and reads nothing',
      expected: `it is not served on; ${WELL}`,
    },
    () =>
      watched(async () => {
        const socket = await dial(world.controlPath);
        socket.pause();
        const line = `${JSON.stringify({ op: 'command', argv: ['show-options', '-g'] })}\n`;
        for (let i = 0; i < 4000; i++) socket.write(line);
        await new Promise((next) => setTimeout(next, 300));
        const waits = socket.writableLength > 0 || socket.bytesRead === 0;
        socket.destroy();
        return waits ? 'it is not served on' : 'it was served';
      }),
  );
});
