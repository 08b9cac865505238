/** Commands about sessions: new-session, attach-session, has-session, kill-session, list-sessions, rename, switch. */
import type { Size } from '../../../protocol/geometry.ts';
import { parseNumber } from '../../layout/size-value.ts';
import type { ClientSession } from '../../model/client-session.ts';
import { Environ } from '../../model/environ.ts';
import type { Session } from '../../model/session.ts';
import { latestArea } from '../../model/window-size.ts';
import type { Args } from '../args.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { currentOf, targetOfSession } from '../target.ts';
import type { CommandContext, Entry } from './context.ts';
import { printList } from './list-output.ts';
import { checkSessionName, givenName } from './names.ts';
import { ownTarget } from './own-target.ts';
import { environFlag, startDirectory } from './pane-arguments.ts';

const LIST_TEMPLATE =
  '#{session_name}: #{session_windows} windows (created #{t:session_created})' +
  '#{?session_grouped, (group ,}#{session_group}#{?session_grouped,),}#{?session_attached, (attached),}';
const NEW_TEMPLATE = '#{session_name}:';

const newSession: Entry = {
  name: 'new-session',
  alias: 'new',
  args: { template: 'Ac:dDe:EF:f:n:Ps:t:x:Xy:', min: 0, max: -1 },
  usage:
    '[-AdDEPX] [-c start-directory] [-e environment] [-F format] [-f flags] [-n window-name] [-s session-name] ' +
    '[-t target-session] [-x width] [-y height] [shell-command]',
  help: 'Create a session and attach to it',
  startsServer: true,
  exec(context, args) {
    const wanted = args.value('s') === undefined ? undefined : context.expand(args.value('s') ?? '');
    const name = wanted === undefined ? undefined : checkSessionName(wanted);
    if (wanted !== undefined && name === undefined) return failed(`invalid session: ${wanted}`);
    const existing = name === undefined ? undefined : context.registry.sessionNamed(name);
    if (existing && args.has('A'))
      return attachTo(context, existing, { readOnly: false, detachOthers: args.has('D') || args.has('X') });
    const misplaced = args.value('t') !== undefined && (args.strings(0).length > 0 || args.has('n'));
    if (misplaced) return failed('command or window name given with target');
    if (existing) return failed(`duplicate session: ${name}`);
    return createSession(context, args, name);
  },
};

function createSession(context: CommandContext, args: Args, name: string | undefined): CommandResult {
  const { registry, services } = context;
  const detached = args.has('d') || (context.caller.attach === undefined && context.state.client === undefined);
  if (!args.has('d') && detached && context.caller.kind === 'call')
    return failed('open terminal failed: not a terminal');
  const nested = detached ? undefined : nestedIn(context);
  if (nested !== undefined) return failed(nested);
  const group = groupFor(context, args);
  if (!group.ok) return failed(group.error);
  const size = sizeFlags(context, args, detached);
  if (!size.ok) return failed(size.error);
  const environ = new Environ();
  const cwd = startDirectory(context, args.value('c')) ?? '/';
  const session = registry.addSession({ name, cwd, environ, group: group.name });
  if (context.caller.environ && !args.has('E'))
    environ.update(session.options.strings('update-environment'), context.caller.environ);
  environFlag(args)?.copyTo(environ);
  if (args.value('x') !== undefined || args.value('y') !== undefined)
    session.options.setValue('default-size', `${size.size.cols}x${size.size.rows}`);
  if (group.peer) {
    registry.skipWindow();
    for (const winlink of group.peer.winlinks) session.link(winlink.window, winlink.index);
  } else {
    const windowName = args.value('n');
    services.lifecycle.newWindow({
      session,
      name: windowName === undefined ? undefined : givenName(context.expand(windowName)),
      command: { argv: args.strings(0), cwd },
      size: size.size,
    });
  }
  registry.emit('session-created', { session });
  if (!detached) attachClient(context, session, {});
  if (!detached) context.state.current = currentOf(session.current);
  if (args.has('P')) context.print(context.expand(args.value('F') ?? NEW_TEMPLATE, targetOfSession(session)));
  context.outcome = targetOfSession(session);
  return OK;
}

function groupFor(
  context: CommandContext,
  args: Args,
): { ok: true; name: string | undefined; peer: Session | undefined } | { ok: false; error: string } {
  const wanted = args.value('t');
  if (wanted === undefined) return { ok: true, name: undefined, peer: undefined };
  const sessions = [...context.registry.sessions.values()];
  const peer = ownTarget(context, args, 'session')?.session ?? sessions.find((session) => session.group === wanted);
  const group = peer?.group ?? peer?.name ?? checkSessionName(wanted);
  if (group === undefined) return { ok: false, error: `invalid session group: ${wanted}` };
  if (peer) peer.group = group;
  return { ok: true, name: group, peer };
}

function sizeFlags(
  context: CommandContext,
  args: Args,
  detached: boolean,
): { ok: true; size: Size } | { ok: false; error: string } {
  const terminal = context.caller.terminal?.size;
  const match = /^(\d+)x(\d+)$/.exec(context.registry.sessionOptions.string('default-size'));
  let cols = Number(match?.[1] ?? 80);
  let rows = Number(match?.[2] ?? 24);
  const { client } = context.state;
  const isGiven = args.value('x') !== undefined || args.value('y') !== undefined;
  const latest = latestArea(context.registry);
  if (terminal && !detached) {
    cols = terminal.cols;
    rows = terminal.rows - statusLinesOf(context);
  } else if (client && isSizedBy(context, client) && !isGiven) {
    // As large as it would be shown there.
    cols = client.size.cols;
    rows = client.size.rows - (client.control ? 0 : statusLinesOf(context));
  } else if (latest && !isGiven) ({ cols, rows } = latest);
  for (const [flag, name] of [
    ['x', 'width'],
    ['y', 'height'],
  ] as const) {
    const text = args.value(flag);
    if (text === undefined) continue;
    const current = terminal ? { cols: terminal.cols, rows: terminal.rows - statusLinesOf(context) } : latest;
    if (text === '-') {
      if (current) [cols, rows] = flag === 'x' ? [current.cols, rows] : [cols, current.rows];
      continue;
    }
    const number = parseNumber(text, { min: 1, max: 65535 });
    if (!number.ok) return { ok: false, error: `${name} ${number.error}` };
    if (detached) [cols, rows] = flag === 'x' ? [number.value, rows] : [cols, number.value];
  }
  return { ok: true, size: { cols: Math.max(1, cols), rows: Math.max(1, rows) } };
}

/** Whether a session that an attached client makes has its size. */
function isSizedBy({ registry }: CommandContext, client: ClientSession): boolean {
  return registry.windowOptions.choice('window-size') === 'latest' && (client.control?.hasSize ?? true);
}

function statusLinesOf(context: CommandContext): number {
  const status = context.registry.sessionOptions.choice('status');
  return status === 'off' ? 0 : status === 'on' ? 1 : Number(status);
}

/** The refusal of a client whose terminal is one of this server's own panes: it would show itself. */
function nestedIn({ caller, state, registry }: CommandContext): string | undefined {
  if (state.client || !caller.terminal) return undefined;
  const isSet = (name: string) =>
    caller.callerEnviron.some((pair) => pair.startsWith(`${name}=`) && pair !== `${name}=`);
  const variable = isSet('TMUX') ? 'TMUX' : !caller.asTmux && isSet('MPLEX') ? 'MPLEX' : undefined;
  if (variable === undefined) return undefined;
  const { tty } = caller.terminal;
  const isOwn = [...registry.panes.values()].some(({ state: pane }) => pane.kind === 'running' && pane.tty === tty);
  return isOwn ? `sessions should be nested with care, unset $${variable} to force` : undefined;
}

interface AttachOptions {
  readonly readOnly?: boolean;
  readonly ignoreSize?: boolean;
}

/** Shows a session on the client the command came from: the one already attached, or the caller's terminal. */
function attachClient(context: CommandContext, session: Session, options: AttachOptions): ClientSession | undefined {
  const attached = context.state.client;
  if (attached) {
    context.services.switchClient(attached, session);
    return attached;
  }
  const client = context.caller.attach?.({
    session,
    readOnly: options.readOnly ?? false,
    ignoreSize: options.ignoreSize ?? false,
  });
  context.state.client = client;
  return client;
}

function attachTo(
  context: CommandContext,
  session: Session,
  options: AttachOptions & { readonly detachOthers: boolean },
): CommandResult {
  if (!context.state.client && !context.caller.attach) return failed('open terminal failed: not a terminal');
  const nested = nestedIn(context);
  if (nested !== undefined) return failed(nested);
  if (options.detachOthers) {
    for (const other of context.registry.clientsOf(session)) {
      if (other !== context.state.client) context.services.detachClient(other);
    }
  }
  const client = attachClient(context, session, options);
  if (client && options.readOnly) client.readOnly = true;
  context.state.current = currentOf(session.current);
  return OK;
}

/** Lost sessions that are named. */
const NAMED_MAX = 3;

/** There is nothing to attach to; what was lost with the machine is told of. */
async function noSessions({ services, caller }: CommandContext): Promise<CommandResult> {
  const lost = caller.asTmux ? [] : await services.lostSessions.list();
  if (lost.length === 0) return failed('no sessions');
  const names = lost.slice(0, NAMED_MAX).map(({ name }) => name);
  const rest = lost.length > names.length ? ` and ${lost.length - names.length} more` : '';
  return failed(`no sessions; kept from before: ${names.join(', ')}${rest} (mplex resurrect -l lists, -y brings back)`);
}

const attachSession: Entry = {
  name: 'attach-session',
  alias: 'attach',
  args: { template: 'c:dEf:rt:x', min: 0, max: 0 },
  usage: '[-dErx] [-c working-directory] [-f flags] [-t target-session]',
  target: { flag: 't', kind: 'session', paneMarks: /[:.]/, preferUnattached: true, canFail: true },
  help: 'Attach the terminal to a session',
  startsServer: true,
  exec(context, args) {
    if (!context.targetIfAny) return noSessions(context);
    const { session, winlink, pane } = context.target;
    if (args.value('t') !== undefined && /[:.]/.test(args.value('t') ?? '')) {
      context.services.lifecycle.selectWindow(winlink);
      context.services.lifecycle.selectPane(pane);
    }
    const cwd = args.value('c');
    if (cwd !== undefined) session.cwd = context.expand(cwd);
    if (context.caller.environ && !args.has('E'))
      session.environ.update(session.options.strings('update-environment'), context.caller.environ);
    const flags = (args.value('f') ?? '').split(',');
    return attachTo(context, session, {
      readOnly: args.has('r') || flags.includes('read-only'),
      ignoreSize: args.has('r') || flags.includes('ignore-size'),
      detachOthers: args.has('d') || args.has('x'),
    });
  },
};

const hasSession: Entry = {
  name: 'has-session',
  alias: 'has',
  args: { template: 't:', min: 0, max: 0 },
  usage: '[-t target-session]',
  target: { flag: 't', kind: 'session' },
  help: 'Say by the exit code whether a session exists',
  exec: () => OK,
};

const killSession: Entry = {
  name: 'kill-session',
  args: { template: 'aCt:', min: 0, max: 0 },
  usage: '[-aC] [-t target-session]',
  target: { flag: 't', kind: 'session' },
  help: 'Destroy a session',
  exec(context, args) {
    const { session } = context.target;
    if (args.has('C')) {
      for (const winlink of session.winlinks) winlink.alerts.clear();
      context.registry.markSession(session);
    } else if (args.has('a')) {
      for (const other of [...context.registry.sessions.values()])
        if (other !== session) context.services.lifecycle.closeSession(other);
    } else context.services.lifecycle.closeSession(session);
    return OK;
  },
};

const listSessions: Entry = {
  name: 'list-sessions',
  alias: 'ls',
  args: { template: 'F:f:', min: 0, max: 0 },
  usage: '[-F format] [-f filter]',
  help: 'List sessions',
  exec(context, args) {
    const things = context.registry
      .sessionsByName()
      .filter((session) => !session.isEmpty)
      .map((session) => ({ session, winlink: undefined, window: undefined, pane: undefined, client: undefined }));
    printList(context, things, {
      template: args.value('F') ?? LIST_TEMPLATE,
      filter: args.value('f'),
      groupOf: () => undefined,
    });
    return OK;
  },
};

const renameSession: Entry = {
  name: 'rename-session',
  alias: 'rename',
  args: { template: 't:', min: 1, max: 1 },
  usage: '[-t target-session] new-name',
  target: { flag: 't', kind: 'session' },
  help: 'Rename a session',
  exec(context, args) {
    const { session } = context.target;
    const wanted = context.expand(args.string(0) ?? '');
    const name = checkSessionName(wanted);
    if (name === undefined) return failed(`invalid session: ${wanted}`);
    if (name === session.name) return OK;
    if (context.registry.sessionNamed(name)) return failed(`duplicate session: ${name}`);
    session.name = name;
    context.registry.emit('session-renamed', { session });
    context.registry.markSession(session);
    return OK;
  },
};

const switchClient: Entry = {
  name: 'switch-client',
  alias: 'switchc',
  args: { template: 'c:EFlnO:pt:rT:Z', min: 0, max: 0 },
  usage: '[-ElnprZ] [-c target-client] [-t target-session] [-T key-table]',
  client: { flag: 'c' },
  target: { flag: 't', kind: 'session', paneMarks: /[:.%]/, preferUnattached: true, canFail: true },
  help: 'Show another session on a client',
  exec(context, args) {
    const { client } = context;
    if (!client) return failed('no current client');
    const table = args.value('T');
    if (table !== undefined) {
      if (!context.services.keys.has(table)) return failed(`table ${table} doesn't exist`);
      client.keyTable = table;
      client.repeatUntil = 0;
      context.registry.markClient(client);
      return OK;
    }
    if (args.has('r')) {
      client.readOnly = !client.readOnly;
      client.ignoreSize = client.readOnly;
    }
    if (args.has('n') || args.has('p')) return switchBy(context, client, args.has('n') ? 1 : -1);
    if (args.has('l')) {
      if (!client.lastSession) return failed("can't find last session");
      context.services.switchClient(client, client.lastSession);
      return OK;
    }
    const { session, winlink, pane } = context.target;
    if (args.value('t') !== undefined && /[:.%]/.test(args.value('t') ?? '')) {
      context.services.lifecycle.selectWindow(winlink);
      if (!args.has('Z') || !winlink.window.zoomed) winlink.window.unzoom();
      context.services.lifecycle.selectPane(pane);
    }
    context.services.switchClient(client, session);
    return OK;
  },
};

function switchBy(context: CommandContext, client: ClientSession, step: 1 | -1): CommandResult {
  const sessions = context.registry.sessionsByName();
  const at = client.session ? sessions.indexOf(client.session) : -1;
  const next = sessions[(at + step + sessions.length) % sessions.length];
  if (!next || sessions.length < 2)
    return failed(step === 1 ? "can't find next session" : "can't find previous session");
  context.services.switchClient(client, next);
  return OK;
}

export const SESSION_ENTRIES: readonly Entry[] = [
  attachSession,
  hasSession,
  killSession,
  listSessions,
  newSession,
  renameSession,
  switchClient,
];
