/**
 * Not one byte may be lost of what a program prints just before it exits, at any size, with and without back-pressure,
 * through the whole path from the pty to the server. MPLEX_SOAK_RUNS (default 5) sets the runs of each kind; 200 gives
 * the long form.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostClient, type Pty } from '../../server/pty-host/host-client.ts';
import { buildHostScript } from '../support/host-script.ts';

const RUNS = Number(process.env.MPLEX_SOAK_RUNS ?? 5);

let directory = '';
let client: HostClient;
let nextId = 1;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mplex-soak-'));
  const hostScript = await buildHostScript();
  client = await HostClient.start({ socketPath: join(directory, 's.host'), hostScript, log: () => {} });
});

afterAll(() => {
  void client.quit();
  rmSync(directory, { recursive: true });
});

/** Prints `size` bytes and exits; returns how many came. A slow server takes what it got at each turn of the loop. */
function countOutput(size: number, isSlow: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    const argv = ['sh', '-c', `head -c ${size} /dev/zero | tr '\\0' x`];
    const env = { PATH: process.env.PATH ?? '' };
    const pty: Pty = client.spawn(
      { id: nextId++, argv, env, cwd: '/', size: { cols: 80, rows: 24 } },
      {
        spawned: () => {},
        failed: (message) => reject(new Error(message)),
        data: (bytes) => {
          count += bytes.length;
          if (isSlow) setTimeout(() => pty.acknowledge(bytes.length), 3);
          else pty.acknowledge(bytes.length);
        },
        exit: () => {
          pty.close();
          resolve(count);
        },
      },
    );
  });
}

describe.each([1, 4096, 200_000, 2_000_000])('a program that prints %i bytes and exits', (size) => {
  it.each([
    ['a quick', false],
    ['a slow', true],
  ])(
    'loses none of them on the way to %s server',
    async (_name, isSlow) => {
      const short: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        const count = await countOutput(size, isSlow);
        if (count !== size) short.push(count);
      }
      expect(short).toEqual([]);
    },
    20_000 + RUNS * 1000,
  );
});
