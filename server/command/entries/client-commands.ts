/** Commands about clients and the server as a whole. */
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { parentOf } from '../../jobs/processes.ts';
import { parseNumber } from '../../layout/size-value.ts';
import type { ClientSession } from '../../model/client-session.ts';
import { lockClient } from '../../model/lock.ts';
import type { Registry } from '../../model/registry.ts';
import { fitWindows, windowAreaOf } from '../../model/window-size.ts';
import type { Args } from '../args.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import type { CommandContext, Entry } from './context.ts';
import { printList } from './list-output.ts';
import { CONTROL_FLAGS, refreshControl, setControlFlag } from './refresh-control.ts';

const LIST_TEMPLATE =
  '#{client_name}: #{session_name} [#{client_width}x#{client_height} #{client_termname}] ' +
  '#{?client_flags,(,}#{client_flags}#{?client_flags,),}';
const NO_CLIENT = 'no current client';
const ADJUSTMENT_MAX = 2147483647;

const listClients: Entry = {
  name: 'list-clients',
  alias: 'lsc',
  args: { template: 'F:f:t:', min: 0, max: 0 },
  usage: '[-F format] [-t target-session]',
  target: { flag: 't', kind: 'session' },
  help: 'List the attached clients',
  exec(context, args) {
    const only = args.value('t') === undefined ? undefined : context.target.session;
    const things = [...context.registry.clients].flatMap((client) => {
      const { session } = client;
      if (!session || session.isEmpty || (only && session !== only)) return [];
      const { current } = session;
      return [{ client, session, winlink: current, window: current.window, pane: current.window.active }];
    });
    // -f is of tmux 3.4.
    const [template, filter] = [args.value('F') ?? LIST_TEMPLATE, args.value('f')];
    printList(context, things, { template, filter, groupOf: () => 'all' });
    return OK;
  },
};

const detachClient: Entry = {
  name: 'detach-client',
  alias: 'detach',
  args: { template: 'aE:s:t:P', min: 0, max: 0 },
  usage: '[-aP] [-E shell-command] [-s target-session] [-t target-client]',
  client: { flag: 't' },
  source: { flag: 's', kind: 'session', canFail: true },
  help: 'Detach a client, all of a session (-s), or all others (-a)',
  exec(context, args) {
    const { client, registry } = context;
    if (!client) return failed(NO_CLIENT);
    const command = args.value('E');
    for (const one of detached(context, args, client)) {
      const parent = args.has('P') ? parentOf(one.pid) : undefined;
      context.services.detachClient(one, command === undefined ? {} : { command });
      if (parent !== undefined && parent > 1) hangUp(registry, parent);
    }
    return OK;
  },
};

function detached(context: CommandContext, args: Args, client: ClientSession): ClientSession[] {
  const { registry } = context;
  if (args.value('s') !== undefined) return context.sourceIfAny ? registry.clientsOf(context.sourceIfAny.session) : [];
  return args.has('a') ? registry.attachedClients().filter((other) => other !== client) : [client];
}

/** SIGHUP to the process that started a client, which typically ends. */
function hangUp(registry: Registry, pid: number): void {
  try {
    process.kill(pid, 'SIGHUP');
  } catch {
    registry.logMessage(`can't hang up process ${pid}`);
  }
}

const PAN_FLAGS = ['c', 'D', 'L', 'R', 'U'];

const refreshClient: Entry = {
  name: 'refresh-client',
  alias: 'refresh',
  args: { template: 'A:B:cC:Df:r:F:l::LRSt:U', min: 0, max: 1 },
  usage: '[-cDlLRSU] [-A pane:state] [-B name:what:format] [-C XxY] [-f flags] [-t target-client] [adjustment]',
  client: { flag: 't' },
  help: 'Draw a client again, or move the part of the window that it shows',
  exec(context, args) {
    const { client, services } = context;
    if (!client) return failed(NO_CLIENT);
    if (PAN_FLAGS.some((flag) => args.has(flag))) return pan(context, args, client);
    if (args.has('l')) {
      // As in tmux nothing is said where the terminal has none.
      services.fetchClipboard(client);
      return OK;
    }
    if (CONTROL_FLAGS.some((flag) => args.has(flag))) return refreshControl(context, args, client);
    const flags = args.value('f') ?? args.value('F');
    if (flags !== undefined) {
      setFlags(context, client, flags);
      return OK;
    }
    if (args.has('S')) services.redrawStatus(client);
    else services.redraw(client);
    return OK;
  },
};

/** Comma separated; `!` before a name takes it away. Names that mean nothing here are passed over, as in tmux. */
function setFlags(context: CommandContext, client: ClientSession, flags: string): void {
  for (const flag of flags.split(',')) {
    const isOn = !flag.startsWith('!');
    const name = isOn ? flag : flag.slice(1);
    if (name === 'read-only') client.readOnly = isOn;
    else if (name === 'ignore-size') client.ignoreSize = isOn;
    else if (client.control) setControlFlag(client.control, name, isOn);
  }
  fitWindows(context.registry);
  context.registry.markClient(client);
}

/** Moves the part of a window that a smaller client shows. */
function pan(context: CommandContext, args: Args, client: ClientSession): CommandResult {
  const parsed = parseNumber(args.string(0) ?? '1', { min: 1, max: ADJUSTMENT_MAX });
  if (!parsed.ok) return failed(`adjustment ${parsed.error}`);
  const { session } = client;
  if (!session || session.isEmpty) return OK;
  const { window } = session.current;
  if (args.has('c')) client.pan = undefined;
  else {
    const area = windowAreaOf(client, session);
    const start = client.pan?.window === window ? client.pan : shownOffset(context, client);
    const step = parsed.value;
    const [dx, dy] = args.has('L') ? [-step, 0] : args.has('R') ? [step, 0] : args.has('U') ? [0, -step] : [0, step];
    client.pan = {
      window,
      x: clamp(start.x + dx, window.size.cols - area.cols),
      y: clamp(start.y + dy, window.size.rows - area.rows),
    };
  }
  context.registry.markClient(client);
  return OK;
}

function shownOffset(context: CommandContext, client: ClientSession): { readonly x: number; readonly y: number } {
  const read = (name: string) => Number(context.expand(`#{${name}}`, { client })) || 0;
  return { x: read('window_offset_x'), y: read('window_offset_y') };
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(0, value), Math.max(0, most));
}

const suspendClient: Entry = {
  name: 'suspend-client',
  alias: 'suspendc',
  args: { template: 't:', min: 0, max: 0 },
  usage: '[-t target-client]',
  client: { flag: 't' },
  help: 'Stop a client as C-z stops a program',
  exec({ client }) {
    if (!client) return failed(NO_CLIENT);
    client.send({ kind: 'suspend' });
    return OK;
  },
};

const lockClientEntry: Entry = {
  name: 'lock-client',
  alias: 'lockc',
  args: { template: 't:', min: 0, max: 0 },
  usage: '[-t target-client]',
  client: { flag: 't' },
  help: 'Lock a client',
  exec({ client }) {
    if (!client) return failed(NO_CLIENT);
    lockClient(client);
    return OK;
  },
};

const lockServer: Entry = {
  name: 'lock-server',
  alias: 'lock',
  args: { template: '', min: 0, max: 0 },
  usage: '',
  help: 'Lock all clients',
  exec({ registry }) {
    for (const client of registry.attachedClients()) lockClient(client);
    return OK;
  },
};

const lockSession: Entry = {
  name: 'lock-session',
  alias: 'locks',
  args: { template: 't:', min: 0, max: 0 },
  usage: '[-t target-session]',
  target: { flag: 't', kind: 'session' },
  help: 'Lock the clients of a session',
  exec({ registry, target }) {
    for (const client of registry.clientsOf(target.session)) lockClient(client);
    return OK;
  },
};

const startServer: Entry = {
  name: 'start-server',
  alias: 'start',
  args: { template: '', min: 0, max: 0 },
  usage: '',
  help: 'Start the server and do nothing else',
  startsServer: true,
  exec: () => OK,
};

const killServer: Entry = {
  name: 'kill-server',
  args: { template: '', min: 0, max: 0 },
  usage: '',
  help: 'End the server with all its sessions',
  exec(context) {
    context.services.shutdown();
    return OK;
  },
};

/** Users that server-access named, by registry: `R` may look, `W` may type. The sockets' modes decide who can connect. */
const accessLists = new WeakMap<Registry, Map<string, 'R' | 'W'>>();

function accessList(registry: Registry): Map<string, 'R' | 'W'> {
  const known = accessLists.get(registry);
  if (known) return known;
  const list = new Map<string, 'R' | 'W'>();
  accessLists.set(registry, list);
  return list;
}

const serverAccess: Entry = {
  name: 'server-access',
  args: { template: 'adlrw', min: 0, max: 1 },
  usage: '[-adlrw] [-t target-pane] [user]',
  help: 'List or change who may use the server',
  exec(context, args) {
    const list = accessList(context.registry);
    if (args.has('l')) {
      const users = [...list].sort(([a], [b]) => (uidOf(a) ?? 0) - (uidOf(b) ?? 0));
      for (const [user, mode] of users) context.print(`${user} (${mode})`);
      return OK;
    }
    const user = args.string(0);
    if (user === undefined) return failed('missing user argument');
    const problem = changeAccess(list, args, context.expand(user));
    return problem === undefined ? OK : failed(problem);
  },
};

function changeAccess(list: Map<string, 'R' | 'W'>, args: Args, user: string): string | undefined {
  const uid = uidOf(user);
  if (uid === undefined) return `unknown user: ${user}`;
  if (uid === 0 || uid === userInfo().uid) return `${user} owns the server, can't change access`;
  if (args.has('a') && args.has('d')) return '-a and -d cannot be used together';
  if (args.has('r') && args.has('w')) return '-r and -w cannot be used together';
  if (args.has('d')) return list.delete(user) ? undefined : `user ${user} not found`;
  if (args.has('a')) {
    if (list.has(user)) return `user ${user} is already added`;
    list.set(user, 'W');
  }
  if (args.has('r') || args.has('w')) list.set(user, args.has('r') ? 'R' : 'W');
  return undefined;
}

/** The user's number from the password file; undefined if it is not there. */
function uidOf(user: string): number | undefined {
  if (user === userInfo().username) return userInfo().uid;
  try {
    for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
      const [name, , uid] = line.split(':');
      if (name === user && uid !== undefined) return Number(uid);
    }
  } catch {
    // Without a password file nobody is known.
  }
  return undefined;
}

export const CLIENT_ENTRIES: readonly Entry[] = [
  detachClient,
  killServer,
  listClients,
  lockClientEntry,
  lockServer,
  lockSession,
  refreshClient,
  serverAccess,
  startServer,
  suspendClient,
];
