/** Clients and servers of different protocols tell each other so, in both directions, at once. */
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { afterEach, describe } from 'vitest';
import { decodeCallMessage, encodeCallMessage } from '../../protocol/call-codec.ts';
import { FrameDecoder } from '../../protocol/frame-decoder.ts';
import { PROTOCOL_MAJOR, PROTOCOL_MINOR, SERVER_FRAME_MAX } from '../../protocol/message.ts';
import { fault } from '../support/fault.ts';
import { World } from '../support/program.ts';

const worlds: World[] = [];

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

function newWorld(): World {
  const world = new World();
  worlds.push(world);
  return world;
}

function hello(major: number, minor: number): Uint8Array {
  return encodeCallMessage({ kind: 'hello', major, minor, pid: 4711, version: '7.7.7' });
}

/** A server of another protocol: it says hello and then what its protocol may mean. */
async function otherServer(world: World, greeting: Uint8Array): Promise<() => void> {
  mkdirSync(dirname(world.socketPath), { mode: 0o700 });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(world.socketPath, resolve));
  return () => server.close();
}

/** What the real server answers to a client's hello, and whether it hangs up. */
function greet(world: World, bytes: Uint8Array): Promise<string> {
  const socket = connect(world.socketPath);
  const decoder = new FrameDecoder(SERVER_FRAME_MAX);
  let said = 'nothing';
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      socket.destroy();
      resolve(`${said}, stays`);
    }, 1000);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      for (const frame of decoder.push(chunk)) {
        const message = decodeCallMessage(frame);
        if (message?.kind === 'hello') said = `protocol ${message.major}.${message.minor}`;
      }
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(`${said}, hangs up`);
    });
    socket.write(bytes);
  });
}

const ways: readonly (readonly [string, readonly string[], boolean])[] = [
  ['a call', ['list-sessions'], false],
  ['an attach', ['attach-session'], true],
  ['a start', ['new-session', '-d'], false],
];

describe('a server of a newer protocol', () => {
  for (const [name, argv, onTerminal] of ways) {
    fault(
      {
        row: '2.2 old client',
        injected: `${name} to a server of protocol ${PROTOCOL_MAJOR + 1}`,
        expected: 'names both versions, the pid and a command; exit 3; in time',
      },
      async () => {
        const world = newWorld();
        const close = await otherServer(world, hello(PROTOCOL_MAJOR + 1, 0));
        const start = performance.now();
        let text: string;
        let code: number;
        if (onTerminal) {
          const program = world.attach(argv, { size: { cols: 200, rows: 24 } });
          code = (await program.exit).code;
          await program.screen.settled();
          text = program.screen.text();
        } else ({ code, stderr: text } = await world.call(argv));
        const isSlow = performance.now() - start > 5000;
        close();
        const parts = ['7.7.7', `protocol ${PROTOCOL_MAJOR + 1}`, `(protocol ${PROTOCOL_MAJOR})`, '4711'];
        const lacks = parts.filter((part) => !text.includes(part));
        if (lacks.length > 0) return `lacks ${lacks.join()}: ${text}`;
        return `names both versions, the pid and a command; exit ${code}; ${isSlow ? 'slow' : 'in time'}`;
      },
    );
  }

  fault(
    {
      row: '2.2 old client',
      injected: 'a call to a server that never says hello',
      expected: 'no answer from the server; exit 1',
    },
    async () => {
      const world = newWorld();
      const close = await otherServer(world, new Uint8Array());
      const { code, stderr } = await world.call(['list-sessions']);
      close();
      return `${stderr.includes('no answer from the server') ? 'no answer from the server' : stderr}; exit ${code}`;
    },
  );

  fault(
    {
      row: '2.2 old client',
      injected: 'a call to something that is not mplex',
      expected: 'not an mplex server; exit 3',
    },
    async () => {
      const world = newWorld();
      const close = await otherServer(world, Buffer.from('SSH-2.0-OpenSSH_9\r\n'));
      const { code, stderr } = await world.call(['list-sessions']);
      close();
      return `${stderr.includes('not an mplex server') ? 'not an mplex server' : stderr}; exit ${code}`;
    },
  );
});

describe('a client of another protocol', () => {
  const clients: readonly (readonly [number, number, string])[] = [
    [PROTOCOL_MAJOR + 1, 0, 'hangs up'],
    [PROTOCOL_MAJOR - 1, 9, 'hangs up'],
    [PROTOCOL_MAJOR, PROTOCOL_MINOR + 7, 'stays'],
    [PROTOCOL_MAJOR, 0, 'stays'],
  ];
  for (const [major, minor, outcome] of clients) {
    fault(
      {
        row: '2.2 new client',
        injected: `a client of protocol ${major}.${minor}`,
        expected: `protocol ${PROTOCOL_MAJOR}.${PROTOCOL_MINOR}, ${outcome}`,
      },
      async () => {
        const world = newWorld();
        await world.output('-f', '/dev/null', 'new-session', '-d', 'exec cat');
        return greet(world, hello(major, minor));
      },
    );
  }
});
