/** Looks at a server from outside, before and after it was killed. */
import { readdirSync, readFileSync } from 'node:fs';
import { FORMAT_VARIABLES } from '../../server/format/format-variables.ts';
import { type World, waitFor } from './program.ts';

/** Variables that are of the process or of the moment. */
const VOLATILE = new Set(['pid', 'client_written', 'client_discarded', 'client_activity']);

/** The server's process now; undefined if there is none. */
export function serverPid(world: World): number | undefined {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const argv = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const isServer = argv.some((word) => word.endsWith('/mplexd.js'));
      // The pty host's command line holds the server's, after its own.
      if (isServer && !argv.some((word) => word.endsWith('/ptyhost.js')) && argv.includes(world.socketPath))
        return Number(name);
    } catch {
      // It ended while it was looked at.
    }
  }
  return undefined;
}

/** Kills the server as nothing can be caught. */
export function killServer(world: World): void {
  const pid = serverPid(world);
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
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

/** Everything that commands tell of a server, by command. */
export async function stateOf(world: World): Promise<Record<string, string>> {
  const variables = FORMAT_VARIABLES.map(({ name }) => name).filter((name) => !VOLATILE.has(name));
  const format = variables.map((name) => `${name}=#{${name}}`).join('\n');
  const commands: string[][] = [
    ['list-sessions', '-F', format],
    ['list-windows', '-a', '-F', format],
    ['list-panes', '-a', '-F', format],
    ['list-buffers', '-F', '#{buffer_name} #{buffer_size} #{buffer_created} #{buffer_sample}'],
    ['show-options', '-s'],
    ['show-options', '-g'],
    ['show-options', '-gw'],
    ['show-hooks', '-g'],
    ['show-environment', '-g'],
    ['list-keys'],
    ['list-keys', '-N'],
  ];
  const panes = (await world.output('list-panes', '-a', '-F', '#{pane_id} #{session_id} #{window_id}')).split('\n');
  for (const line of panes) {
    const [pane = '', session = '', window = ''] = line.split(' ');
    commands.push(
      ['show-options', '-t', session],
      ['show-options', '-w', '-t', window],
      ['show-options', '-p', '-t', pane],
    );
    commands.push(['show-environment', '-t', session], ['capture-pane', '-peJ', '-S', '-', '-t', pane]);
  }
  for (const name of (await world.output('list-buffers', '-F', '#{buffer_name}')).split('\n').filter(Boolean)) {
    commands.push(['show-buffer', '-b', name]);
  }
  const mark = '=====';
  const argv = commands.flatMap((command) => [...command, ';', 'display-message', '-p', mark, ';']);
  const { code, stdout, stderr } = await world.call(argv);
  if (code !== 0) throw new Error(`can't read the state: ${stderr}`);
  const parts = stdout.split(`${mark}\n`);
  return Object.fromEntries(commands.map((command, i) => [command.join(' ').slice(0, 60), parts[i] ?? '']));
}
