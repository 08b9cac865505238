import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let directory = '';
let script = '';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mplex-fds-'));
  script = join(directory, 'child.mjs');
  const source = join(directory, 'child.ts');
  writeFileSync(
    source,
    `import { closeInheritedDescriptors } from '${process.cwd()}/server/pty-host/descriptors.ts';
     import { execFileSync } from 'node:child_process';
     import { readFile } from 'node:fs/promises';
     const closed = closeInheritedDescriptors([4]);
     if (process.argv[2] === 'stay') setInterval(() => {}, 1000);
     // Timers, the thread pool, signals and child processes use what Node has opened for itself.
     process.on('SIGUSR2', async () => {
       const comm = await readFile('/proc/self/comm', 'utf8');
       const child = execFileSync('echo', ['child'], { encoding: 'utf8' });
       setTimeout(() => {
         console.log(JSON.stringify({ closed, comm, child }));
         if (process.argv[2] !== 'stay') process.exit();
       }, 5);
     });
     process.kill(process.pid, 'SIGUSR2');
     setTimeout(() => {}, 5000);`,
  );
  await build({ entryPoints: [source], outfile: script, bundle: true, platform: 'node', format: 'esm' });
});

afterAll(() => rmSync(directory, { recursive: true }));

describe.skipIf(process.platform !== 'linux')('closeInheritedDescriptors', () => {
  it('closes files, sockets and pipes of the starter, keeps what is asked for, and leaves Node working', async () => {
    const file = openSync('/etc/passwd', 'r');
    const tty = openSync('/dev/ptmx', 'r+');
    const child = spawn(process.execPath, [script], {
      stdio: ['ignore', 'pipe', 'inherit', file, file, 'pipe', tty, file],
    });
    closeSync(file);
    closeSync(tty);
    const answer: { closed: number[]; comm: string; child: string } = JSON.parse(await text(child.stdout as Readable));
    expect(answer.closed).toEqual(expect.arrayContaining([3, 5, 6, 7]));
    expect(answer.closed).not.toContain(4);
    expect(answer.comm).not.toBe('');
    expect(answer.child).toBe('child\n');
  });

  it('lets a shell substitution end while the process lives', async () => {
    const child = spawn(
      'sh',
      ['-c', `x=$(${process.execPath} ${script} stay 8>&1 9>&1 >/dev/null & echo $!); echo "$x"`],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const pid = Number(await text(child.stdout as Readable));
    expect(pid).toBeGreaterThan(1);
    process.kill(pid, 'SIGTERM');
  });
});
