/** Much happens at once, or the ground goes away: a thousand hooks, and a server whose program was deleted under it. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe } from 'vitest';
import { Control } from '../support/control.ts';
import { fault, Pulse } from '../support/fault.ts';
import { MPLEX, World, waitFor } from '../support/program.ts';
import { serverPid } from '../support/survivor.ts';

const START = ['-f', '/dev/null', 'new-session', '-d', '-s', 'main', '-x', '80', '-y', '24', 'exec cat'];
/** Processes that a server may have running for hooks at a time. */
const AT_ONCE = 100;

const worlds: World[] = [];

beforeEach(() => {
  worlds.length = 0;
});

afterEach(async () => {
  await Promise.all(worlds.map((world) => world.close()));
});

function newWorld(command?: readonly string[]): World {
  const world = new World({}, command);
  worlds.push(world);
  return world;
}

/** Processes whose parent is `pid`. */
function childrenOf(pid: number): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
    } catch {
      return false;
    }
  }).length;
}

describe('hooks', () => {
  fault(
    {
      row: '2.2 hook storm',
      injected: '1,000 events, each with a hook that runs a shell command',
      expected: `each is run once, fewer than ${AT_ONCE} at a time; server alive`,
    },
    async () => {
      const world = newWorld();
      await world.output(...START);
      const told = join(world.directory, 'told');
      await world.output('set-hook', '-g', 'window-renamed', `run-shell "echo '#{window_name}' >>${told}"`);
      const pid = serverPid(world) ?? 0;
      const pulse = await Pulse.start(world.controlPath);
      let most = 0;
      const timer = setInterval(() => {
        most = Math.max(most, childrenOf(pid));
      }, 20);
      const renames = Array.from({ length: 1000 }, (_, i) => ['rename-window', '-t', 'main:0', `n${i}`, ';']).flat();
      await world.output(...renames);
      const lines = () => (existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : []);
      await waitFor(() => lines().length >= 1000, {
        name: 'all hooks',
        ms: 60_000,
        onTimeout: () => `${lines().length}`,
      });
      clearInterval(timer);
      const state = await pulse.stop(3000);
      return `${lines().length === 1000 ? 'each is run once' : lines().length}, ${most < AT_ONCE ? `fewer than ${AT_ONCE}` : most} at a time; server ${state}`;
    },
    { ms: 120_000 },
  );
});

describe('a server whose program is gone', () => {
  fault(
    {
      row: '2.2 deleted program',
      injected: 'program and packages deleted under a running server and its client',
      expected: 'panes, copy mode, pickers, dialogs, popups and pipes work; a call of another copy is answered',
    },
    async () => {
      const root = resolve(dirname(MPLEX), '..');
      const home = newWorld();
      const copy = join(home.directory, 'copy');
      mkdirSync(join(copy, 'node_modules'), { recursive: true });
      cpSync(dirname(MPLEX), join(copy, 'dist'), { recursive: true });
      // The native part must be a file of its own to be deleted; the rest is in the bundles.
      cpSync(join(root, 'node_modules/node-pty'), join(copy, 'node_modules/node-pty'), {
        recursive: true,
        dereference: true,
      });
      symlinkSync(join(root, 'package.json'), join(copy, 'package.json'));
      const world = newWorld([process.execPath, join(copy, 'dist/mplex.js')]);
      await world.output(...START);
      const client = world.attach(['attach-session']);
      await client.until('[main]');
      rmSync(copy, { recursive: true });
      const other = new World({ MPLEX_TMPDIR: world.directory });
      worlds.push(other);
      await other.output('new-window', '-t', 'main:1', 'echo in-the-new-one; exec cat');
      await client.until('in-the-new-one');
      await other.output('copy-mode', '-t', 'main:1');
      await client.until(/\[0\/\d+\]/);
      client.press('q');
      client.press('C-b w');
      await client.until('(0)');
      client.press('q');
      const control = await Control.open(world.controlPath);
      const flow = await control.show({ kind: 'message', title: 'Well?' });
      await client.until('Well?');
      client.press('C-b Enter');
      client.press('Enter');
      await control.until(flow, { done: true });
      control.close();
      const piped = join(world.directory, 'piped');
      await other.output('pipe-pane', '-t', 'main:1', `cat >>${piped}`);
      client.type('typed\r');
      await waitFor(() => existsSync(piped) && readFileSync(piped, 'utf8').includes('typed'), { name: 'the pipe' });
      client.press('C-b :');
      client.type("display-popup -E 'echo in-the-popup; read x'\r");
      await client.until('in-the-popup');
      client.press('Enter');
      const { code } = await other.call(['has-session', '-t', 'main']);
      return `panes, copy mode, pickers, dialogs, popups and pipes work; a call of another copy is ${code === 0 ? 'answered' : 'refused'}`;
    },
  );
});
