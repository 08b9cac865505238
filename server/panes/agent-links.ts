/**
 * One SSH_AUTH_SOCK for all of a session's life: a symbolic link beside the server's socket that follows the agent of the
 * client in use, so that a shell which was started from one client finds the agent of the next. `show-environment` goes on
 * showing the client's own value, as in tmux; a session whose update-environment leaves SSH_AUTH_SOCK out is left alone.
 */
import { lstatSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ServerLog } from '../log.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { ModelEvent, Registry } from '../model/registry.ts';
import type { Session } from '../model/session.ts';

const VARIABLE = 'SSH_AUTH_SOCK';
/** A socket's path has room for so many bytes on the systems that we run on (sun_path, macOS's is the shortest). */
const PATH_MAX = 103;

/** After these another client may be the one in use. */
const MOVES: ReadonlySet<ModelEvent['name']> = new Set([
  'client-attached',
  'client-detached',
  'client-session-changed',
  'client-active',
]);

export interface AgentLinksContext {
  readonly registry: Registry;
  /** The links are `<socketPath>.ssh-agent.<session number>`. */
  readonly socketPath: string;
  readonly log: Pick<ServerLog, 'error'>;
}

export class AgentLinks {
  readonly #context: AgentLinksContext;
  /** What the links that this server has looked after point to. */
  readonly #targets = new Map<Session, string>();

  constructor(context: AgentLinksContext) {
    this.#context = context;
    context.registry.events.subscribe((event) => {
      if (event.name === 'session-closed' && event.session) this.#remove(event.session);
      else if (MOVES.has(event.name)) for (const session of context.registry.sessions.values()) this.#follow(session);
    });
  }

  /** What a program of the session is given in place of `agent`, the value that its environment has. */
  pathFor(session: Session, agent: string): string {
    if (!this.#isFor(session) || !agent.startsWith('/') || this.#isOurs(agent)) return agent;
    const target = this.#targets.get(session) ?? this.#agentInUse(session) ?? agent;
    return this.#point(session, target) ? this.#linkOf(session) : agent;
  }

  /** The server ends, and its sessions with it. */
  removeAll(): void {
    for (const session of [...this.#targets.keys()]) this.#remove(session);
  }

  #follow(session: Session): void {
    const agent = this.#isFor(session) ? this.#agentInUse(session) : undefined;
    // Where no client has one, the last is kept: it may be there still.
    if (agent !== undefined && this.#targets.get(session) !== agent) this.#point(session, agent);
  }

  #agentInUse(session: Session): string | undefined {
    const agents = this.#context.registry.clientsOf(session).map(agentOf);
    return agents.find((agent) => agent !== undefined && !this.#isOurs(agent));
  }

  #isFor(session: Session): boolean {
    return (
      session.options.flag('ssh-agent-link') &&
      session.options.strings('update-environment').includes(VARIABLE) &&
      Buffer.byteLength(this.#linkOf(session)) <= PATH_MAX &&
      isPrivateDirectory(dirname(this.#context.socketPath))
    );
  }

  #linkOf(session: Session): string {
    return `${this.#context.socketPath}.ssh-agent.${session.id}`;
  }

  /** A client that runs in a pane has one of the links: one that led to another, or to itself, would help nobody. */
  #isOurs(agent: string): boolean {
    return agent.startsWith(`${this.#context.socketPath}.ssh-agent.`);
  }

  /** Changes where the link points to in one step. False if that failed. */
  #point(session: Session, agent: string): boolean {
    const link = this.#linkOf(session);
    try {
      if (linkTarget(link) !== agent) {
        const next = `${link}.new`;
        if (linkTarget(next) !== undefined) unlinkSync(next);
        symlinkSync(agent, next);
        renameSync(next, link);
      }
      this.#targets.set(session, agent);
      return true;
    } catch (error) {
      this.#context.log.error(`link to the SSH agent ${link}`, error);
      return false;
    }
  }

  #remove(session: Session): void {
    if (!this.#targets.delete(session)) return;
    try {
      unlinkSync(this.#linkOf(session));
    } catch (error) {
      this.#context.log.error('link to the SSH agent', error);
    }
  }
}

function agentOf({ environ }: ClientSession): string | undefined {
  const value = environ.get(VARIABLE)?.value;
  return value?.startsWith('/') ? value : undefined;
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Nobody else could put a link there: the directory is the user's and closed to others. */
function isPrivateDirectory(path: string): boolean {
  try {
    const { uid, mode } = lstatSync(path);
    return uid === process.getuid?.() && (mode & 0o077) === 0;
  } catch {
    return false;
  }
}
