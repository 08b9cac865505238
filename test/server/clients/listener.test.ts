import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Listening, listenAt, SocketTaken } from '../../../server/clients/listener.ts';
import { clearDeadSocket } from '../../../server/pty-host/dead-socket.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** As many as the machine can hold in one moment; each round is a race of its own. */
const STARTERS = 20;
const ROUNDS = Number(process.env.MPLEX_SOAK_RUNS ?? 3);
const START_MS = 2500;

let scripts = '';
let directory = '';
let path = '';
const open: Listening[] = [];

beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), 'mplex-starter-'));
  await build({
    entryPoints: [join(import.meta.dirname, '../../support/starter-program.ts')],
    outfile: join(scripts, 'starter.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});

afterAll(() => rmSync(scripts, { recursive: true }));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mplex-listen-'));
  path = join(directory, 's');
});

afterEach(() => {
  for (const listening of open.splice(0)) listening.close();
  rmSync(directory, { recursive: true });
});

async function listen(): Promise<Listening> {
  const listening = await listenAt(path, (socket) => socket.destroy());
  open.push(listening);
  return listening;
}

/** A socket whose process is gone. */
function leaveDeadSocket(): void {
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 9))`;
  spawnSync(process.execPath, ['-e', script, path]);
}

/** What each of many starters says. */
async function race(): Promise<string[]> {
  const at = Date.now() + START_MS;
  const said = Array.from({ length: STARTERS }, () => '');
  const children: ChildProcess[] = said.map((_, i) => {
    const child = spawn(process.execPath, [join(scripts, 'starter.mjs'), path, String(at)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said[i] += text;
    });
    return child;
  });
  const ends = children.map((child) => new Promise((done) => child.once('close', done)));
  await waitUntil('each has had its try', () => said.every((text) => text !== ''), { timeoutMs: 60_000 });
  for (const child of children) child.stdin?.end();
  await Promise.all(ends);
  return said.map((text) => text.trim().replaceAll('\n', ', ')).sort();
}

describe('an election', () => {
  const outcome = [...Array.from({ length: STARTERS - 1 }, () => 'taken'), 'won, kept'];

  it.each<[string, () => void]>([
    ['nothing is there', () => {}],
    ['a dead socket is there', leaveDeadSocket],
  ])(
    'of many in the same moment has exactly one winner where %s',
    async (_name, prepare) => {
      for (let round = 0; round < ROUNDS; round++) {
        prepare();
        expect(await race()).toEqual(outcome);
        expect(readdirSync(directory)).toEqual([]);
      }
    },
    60_000 + ROUNDS * 20_000,
  );
});

describe('listenAt', () => {
  it('has a private socket and refuses a second at the same name', async () => {
    await listen();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(listen()).rejects.toThrow(SocketTaken);
  });

  it('replaces what a dead process of the same number has left', async () => {
    writeFileSync(`${path}.${process.pid}`, '');
    await listen();
    expect((await listenAt(path, () => {}).catch((error: unknown) => error)) instanceof SocketTaken).toBe(true);
  });

  it('removes private names that killed servers have left, and no others', async () => {
    const { pid } = spawnSync('true');
    const names = ['s.1', 's.ctl', 's.4x', `t.${pid}`];
    for (const name of [...names, `s.${pid}`]) writeFileSync(join(directory, name), '');
    await listen();
    expect(readdirSync(directory).sort()).toEqual([...names, 's', `s.${process.pid}`].sort());
  });

  it('comes back after its name or its directory was removed, not in the place of another', async () => {
    path = join(directory, 'in', 's');
    mkdirSync(join(directory, 'in'));
    const listening = await listen();
    expect(listening.isIntact()).toBe(true);
    rmSync(path);
    expect(listening.isIntact()).toBe(false);
    await listening.restore();
    expect(listening.isIntact()).toBe(true);
    rmSync(join(directory, 'in'), { recursive: true });
    await listening.restore();
    expect(listening.isIntact()).toBe(true);
    expect(await clearDeadSocket(path)).toBe('live');
  });
});

describe('a dead socket', () => {
  it('is cleared once, and a name that is free is free', async () => {
    leaveDeadSocket();
    expect(await clearDeadSocket(path)).toBe('free');
    expect(readdirSync(directory)).toEqual([]);
    expect(await clearDeadSocket(path)).toBe('free');
  });

  it('is left alone while another holds the claim, until that one must be dead', async () => {
    leaveDeadSocket();
    const claim = `${path}.claim`;
    writeFileSync(claim, '');
    expect(await clearDeadSocket(path)).toBe('claimed');
    expect(readdirSync(directory).sort()).toEqual(['s', 's.claim']);
    const old = Date.now() / 1000 - 60;
    utimesSync(claim, old, old);
    expect(await clearDeadSocket(path)).toBe('claimed');
    expect(await clearDeadSocket(path)).toBe('free');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('cannot be a directory', async () => {
    mkdirSync(path);
    await expect(clearDeadSocket(path)).rejects.toThrow(`can't replace ${path} (Is a directory)`);
    expect(readdirSync(directory)).toEqual(['s']);
  });

  it('leaves a file that somebody wrote, and takes an empty one, as mktemp makes it', async () => {
    const path = join(directory, 'notes');
    writeFileSync(path, 'text');
    await expect(clearDeadSocket(path)).rejects.toThrow(`can't replace ${path} (a file, not a socket)`);
    expect(readFileSync(path, 'utf8')).toBe('text');
    writeFileSync(path, '');
    expect(await clearDeadSocket(path)).toBe('free');
  });
});
