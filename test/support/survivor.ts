/** Looks at a server from outside, before and after it was killed. */
import { readdirSync, readFileSync } from 'node:fs';
import { FORMAT_VARIABLES } from '../../server/format/format-variables.ts';
import { type World, waitFor } from './program.ts';

/** Variables that are of the process or of the moment. */
const VOLATILE = new Set(['pid', 'client_written', 'client_discarded', 'client_activity']);

/** The variables that are to be the same before and after, a line each; those of the newest buffer apart. */
function formatOf(part: StillPart | undefined): string {
  return FORMAT_VARIABLES.map(({ name }) => name)
    .filter((name) => !VOLATILE.has(name) && !(part && name.startsWith('buffer_')))
    .map((name) => `${name}=#{${name}}`)
    .join('\n');
}

/** The server's process now; undefined if there is none. */
export function serverPid(world: World): number | undefined {
  return serverPids(world)[0];
}

/** The server and those that want to become it. */
export function serverPids(world: World): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const isServer = argv.some((word) => word.endsWith('/mplexd.js'));
        // The pty host's command line holds the server's, after its own.
        return isServer && !argv.some((word) => word.endsWith('/ptyhost.js')) && argv.includes(world.socketPath);
      } catch {
        // It ended while it was looked at.
        return false;
      }
    });
}

/** Kills the server as nothing can be caught. */
export function killServer(world: World): void {
  for (const pid of serverPids(world)) killQuietly(pid);
}

/** Kills a process, if it is still there. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

/** Waits until a server answers that is not the one before. */
export async function untilBack(world: World, before: number | undefined, ms = 20_000): Promise<void> {
  let last = '';
  await waitFor(
    async () => {
      const { code, stdout, stderr } = await world.call(['display-message', '-p', '#{pid}']);
      last = `${code} ${stdout}${stderr}`;
      return code === 0 && Number(stdout) !== before;
    },
    { name: 'another server', ms, onTimeout: () => `before ${before}, now ${serverPid(world)}, said ${last}` },
  );
}

/** What is looked at where not everything stands still. */
export interface StillPart {
  readonly session: string;
  /** Pattern of the buffers' names. */
  readonly buffers: string;
}

/** Everything that commands tell of a server, by command; of a part of it, everything that is not of other sessions. */
export async function stateOf(world: World, part?: StillPart): Promise<Record<string, string>> {
  const [inSession, ofSession] = part
    ? [
        ['-t', part.session],
        ['-s', '-t', part.session],
      ]
    : [['-a'], ['-a']];
  const buffers = ['-f', part ? `#{m:${part.buffers},#{buffer_name}}` : '1'];
  const format = formatOf(part);
  const commands: string[][] = [
    ['list-sessions', '-f', part ? `#{==:#{session_name},${part.session}}` : '1', '-F', format],
    ['list-windows', ...inSession, '-F', format],
    ['list-panes', ...ofSession, '-F', format],
    ['list-buffers', ...buffers, '-F', '#{buffer_name} #{buffer_size} #{buffer_created} #{buffer_sample}'],
    ['show-options', '-s'],
    ['show-options', '-g'],
    ['show-options', '-gw'],
    ['show-hooks', '-g'],
    ['show-environment', '-g'],
    ['list-keys'],
    ['list-keys', '-N'],
  ];
  const panes = (await world.output('list-panes', ...ofSession, '-F', '#{pane_id} #{session_id} #{window_id}')).split(
    '\n',
  );
  for (const line of panes) {
    const [pane = '', session = '', window = ''] = line.split(' ');
    commands.push(
      ['show-options', '-t', session],
      ['show-options', '-w', '-t', window],
      ['show-options', '-p', '-t', pane],
    );
    commands.push(['show-environment', '-t', session], ['capture-pane', '-peJ', '-S', '-', '-t', pane]);
  }
  for (const name of (await world.output('list-buffers', ...buffers, '-F', '#{buffer_name}'))
    .split('\n')
    .filter(Boolean)) {
    commands.push(['show-buffer', '-b', name]);
  }
  const mark = '=====';
  const argv = commands.flatMap((command) => [...command, ';', 'display-message', '-p', mark, ';']);
  const { code, stdout, stderr } = await world.call(argv);
  if (code !== 0) throw new Error(`can't read the state: ${stderr}`);
  const parts = stdout.split(`${mark}\n`);
  return Object.fromEntries(commands.map((command, i) => [command.join(' ').slice(0, 60), parts[i] ?? '']));
}

/** What is not the same in two states, the first lines of each. */
export function changesOf(before: Record<string, string>, after: Record<string, string>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((command) => {
    const [old = [], now = []] = [before, after].map((state) => (state[command] ?? 'nothing').split('\n'));
    const at = old.findIndex((line, i) => line !== now[i]);
    if (at < 0 && old.length === now.length) return [];
    const from = at < 0 ? old.length : at;
    return [
      `${command}, line ${from}: ${JSON.stringify(old.slice(from, from + 3))} → ${JSON.stringify(now.slice(from, from + 3))}`,
    ];
  });
}
