/**
 * One connection on the control socket: lines in, lines out, over any transport. Each request is carried out when its
 * line is read and the ones before it are done, except that a held `result` holds only its reply: a `cancel` behind it
 * takes effect at once. Replies keep the order of the requests. A peer that has closed its own side still hears the
 * reply to each, a held `result` as things stand then.
 */
import { ACCESS, type Access } from '../../protocol/access.ts';
import type { ControlReply, ControlRequest, HealthCheck, RequestId } from '../../protocol/control.ts';
import { errorReply, FEATURES, parseRequest, requestId } from '../../protocol/control.ts';
import { type Ask, CONTROL_LINE_MAX, CONTROL_PROTOCOL, type DialogResult } from '../../protocol/dialog.ts';
import { MplexError } from '../../protocol/errors.ts';
import { parseStrictJson } from '../../protocol/strict-json.ts';
import type { FlowLimits, ResultWait } from '../../src/flow/flow.ts';

/** Requests of one connection that may wait for their reply before no more are read. */
const PENDING_MAX = 64;

/** The connection's other end. Whoever owns it feeds `receive`, `drained`, `ended` and `closed`. */
export interface ControlTransport {
  /** Sends a line (its `\n` included); false if the peer reads too slowly: `drained` follows. */
  write(line: string): boolean;
  /** Stops and goes on reading. */
  pause(): void;
  resume(): void;
  /** Nothing more will be written. */
  end(): void;
}

/** The part of a FlowQueue that askers use. */
export interface ControlFlows {
  readonly limits: FlowLimits;
  whenDecided(ask: Ask, run: () => void): void;
  show(ask: Ask): string;
  result(flow: string, wait: ResultWait, reply: (result: DialogResult) => void): () => void;
  cancel(flow: string): void;
}

export interface ControlCommand {
  readonly argv: readonly string[];
  readonly pane: string | undefined;
  readonly cwd: string | undefined;
  /** It may look and change nothing. */
  readonly readOnly: boolean;
}

/** What a connection may do. */
export interface Grant {
  readonly access: Access;
  /** The one pane that it may speak for. */
  readonly pane: string | undefined;
}

export interface CommandOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ControlContext {
  readonly flows: ControlFlows;
  /** Runs a command of the command language; rejects with MplexError for a pane that is not there. */
  readonly runCommand: (command: ControlCommand) => Promise<CommandOutput>;
  /** What the bearer of a token, or of none, may do at the moment; undefined for a token that is not known (any more). */
  readonly grantOf: (token: string | undefined) => Grant | undefined;
  /** How the server is. */
  readonly checkHealth: () => readonly HealthCheck[];
  readonly version: string;
  /** A bug met while serving a request; the asker is told that something failed. */
  readonly failed: (error: unknown) => void;
}

interface Pending {
  reply: string | undefined;
}

/** A `result` that waits. */
interface HeldResult {
  readonly leave: () => void;
  readonly answerNow: () => void;
}

export class ControlConnection {
  readonly #context: ControlContext;
  readonly #transport: ControlTransport;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  /** The line read so far, in pieces. */
  #pieces: Uint8Array[] = [];
  #length = 0;
  /** The present line is longer than allowed: its rest is thrown away. */
  #isOverlong = false;
  readonly #lines: Uint8Array[] = [];
  readonly #pending: Pending[] = [];
  readonly #held = new Set<HeldResult>();
  /** The loop in #work runs: a reply inside it must not start another. */
  #isWorking = false;
  /** A command runs, or a question waits to be taken. */
  #isBusy = false;
  #isSlow = false;
  #isPaused = false;
  /** The peer will send no more. */
  #hasEnded = false;
  #isClosed = false;
  #token: string | undefined;

  constructor(context: ControlContext, transport: ControlTransport) {
    this.#context = context;
    this.#transport = transport;
  }

  /** Bytes from the peer, cut anywhere. */
  receive(chunk: Uint8Array): void {
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(0x0a);
      if (end < 0) break;
      this.#extend(rest.subarray(0, end));
      this.#endLine();
      rest = rest.subarray(end + 1);
    }
    this.#extend(rest);
    this.#work();
  }

  /** The peer has read what was written. */
  drained(): void {
    this.#isSlow = false;
    this.#work();
  }

  /**
   * The peer has closed its side and may read on. What it sent without a line end is its last line. Nothing tells
   * whether it still listens, so nothing is held for it any longer.
   */
  ended(): void {
    this.#hasEnded = true;
    if (this.#length > 0) this.#endLine();
    for (const { leave, answerNow } of [...this.#held]) {
      leave();
      answerNow();
    }
    this.#held.clear();
    this.#work();
  }

  /** The connection is gone. Flows stay until their time of grace is over. */
  closed(): void {
    this.#isClosed = true;
    for (const { leave } of this.#held) leave();
    this.#held.clear();
    this.#lines.length = 0;
    this.#pieces = [];
  }

  // ---- lines ----

  #extend(piece: Uint8Array): void {
    if (piece.length === 0 || this.#isOverlong) return;
    this.#length += piece.length;
    if (this.#length > CONTROL_LINE_MAX) {
      // Told at once: its end may be far, or never come.
      this.#isOverlong = true;
      this.#pieces = [];
      this.#lines.push(OVERLONG);
      return;
    }
    this.#pieces.push(piece);
  }

  #endLine(): void {
    if (!this.#isOverlong) this.#lines.push(Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#length = 0;
    this.#isOverlong = false;
  }

  /** Carries out the lines that are there as far as it goes, and reads on or stops reading accordingly. */
  #work(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    while (!this.#isBusy && !this.#isSlow && !this.#isClosed && this.#pending.length < PENDING_MAX) {
      const line = this.#lines.shift();
      if (!line) break;
      this.#serve(line);
    }
    this.#isWorking = false;
    if (this.#isServed()) this.#transport.end();
    const isFull = this.#lines.length > 0 && !this.#isClosed;
    if (isFull === this.#isPaused) return;
    this.#isPaused = isFull;
    if (isFull) this.#transport.pause();
    else this.#transport.resume();
  }

  /** The peer has said all, and heard the reply to each. */
  #isServed(): boolean {
    return this.#hasEnded && !this.#isBusy && !this.#isClosed && this.#pending.length === 0 && this.#lines.length === 0;
  }

  // ---- requests ----

  #serve(line: Uint8Array): void {
    const pending: Pending = { reply: undefined };
    this.#pending.push(pending);
    let id: RequestId | undefined;
    const answer = (reply: ControlReply) => this.#answer(pending, id, reply);
    try {
      const value = parseStrictJson(this.#decode(line));
      id = requestId(value);
      this.#carryOut(parseRequest(value), answer);
    } catch (error) {
      answer(this.#errorOf(error));
    }
  }

  #decode(line: Uint8Array): string {
    if (line === OVERLONG) {
      throw new MplexError('bad_request', `the line is longer than ${CONTROL_LINE_MAX} bytes`);
    }
    if (line.length === 0) throw new MplexError('bad_request', 'the line is empty');
    try {
      return this.#decoder.decode(line);
    } catch {
      throw new MplexError('bad_request', 'the line is not UTF-8');
    }
  }

  #carryOut(request: ControlRequest, answer: (reply: ControlReply) => void): void {
    const { flows } = this.#context;
    const grant = request.op === 'hello' ? this.#present(request.token) : this.#demand(NEEDED[request.op]);
    switch (request.op) {
      case 'hello':
        answer(this.#hello(grant));
        return;
      case 'doctor':
        answer({ ok: true, checks: this.#context.checkHealth() });
        return;
      case 'show': {
        const { op: _op, id: _id, ...ask } = request;
        this.#show({ ...ask, pane: paneFor(grant, ask.pane) }, answer);
        return;
      }
      case 'result':
        this.#holdResult(request.flow, { ms: (request.wait ?? 0) * 1000, known: request.state }, answer);
        return;
      case 'cancel':
        flows.cancel(request.flow);
        answer({ ok: true });
        return;
      case 'command':
        this.#command(
          {
            argv: request.argv,
            pane: paneFor(grant, request.pane),
            cwd: request.cwd,
            readOnly: grant.access !== 'full',
          },
          answer,
        );
        return;
    }
  }

  /** The token counts from here on; a wrong one changes nothing. */
  #present(token: string | undefined): Grant {
    const grant = this.#context.grantOf(token ?? this.#token);
    if (!grant) throw new MplexError('forbidden', 'the token is not valid', '/token');
    if (token !== undefined) this.#token = token;
    return grant;
  }

  /** Asked for each request: what a token is worth may change while its bearer is connected. */
  #demand(needed: Access): Grant {
    const grant = this.#context.grantOf(this.#token);
    if (!grant) throw new MplexError('forbidden', 'the token is not valid any more');
    if (ACCESS.indexOf(grant.access) >= ACCESS.indexOf(needed)) return grant;
    throw new MplexError('forbidden', `this needs ${needed} access, the connection has ${grant.access}`, '/op');
  }

  #hello({ access }: Grant): ControlReply {
    const { limits } = this.#context.flows;
    return {
      ok: true,
      server: 'mplex',
      version: this.#context.version,
      protocol: CONTROL_PROTOCOL,
      features: FEATURES,
      access,
      limits: { flow_max: limits.max, flow_keep: limits.keepS },
    };
  }

  #show(ask: Ask, answer: (reply: ControlReply) => void): void {
    const { flows } = this.#context;
    this.#isBusy = true;
    flows.whenDecided(ask, () => {
      // Nobody would ask for the answer.
      if (this.#isClosed) return;
      answer(this.#replyOf(() => ({ ok: true, flow: flows.show(ask) })));
      this.#isBusy = false;
      this.#work();
    });
  }

  #replyOf(act: () => ControlReply): ControlReply {
    try {
      return act();
    } catch (error) {
      return this.#errorOf(error);
    }
  }

  #holdResult(flow: string, wait: ResultWait, answer: (reply: ControlReply) => void): void {
    const { flows } = this.#context;
    let held: HeldResult | undefined;
    let isAnswered = false;
    const reply = (result: DialogResult) => {
      isAnswered = true;
      if (held) this.#held.delete(held);
      answer({ ok: true, ...result });
    };
    const leave = flows.result(flow, this.#hasEnded ? NO_WAIT : wait, reply);
    if (isAnswered) return;
    held = { leave, answerNow: () => void flows.result(flow, NO_WAIT, reply) };
    this.#held.add(held);
  }

  #command(command: ControlCommand, answer: (reply: ControlReply) => void): void {
    this.#isBusy = true;
    const finish = (reply: ControlReply) => {
      answer(reply);
      this.#isBusy = false;
      this.#work();
    };
    this.#context.runCommand(command).then(
      ({ code, stdout, stderr }) => finish({ ok: true, code, stdout, stderr }),
      (error: unknown) => finish(this.#errorOf(error)),
    );
  }

  #errorOf(error: unknown): ControlReply {
    if (error instanceof MplexError) return errorReply(error);
    this.#context.failed(error);
    return errorReply(new MplexError('protocol', 'the server failed on this request'));
  }

  /** Keeps the reply until those before it are out. */
  #answer(pending: Pending, id: RequestId | undefined, reply: ControlReply): void {
    pending.reply = `${JSON.stringify(id === undefined ? reply : { id, ...reply })}\n`;
    if (this.#isClosed) return;
    while (this.#pending[0]?.reply !== undefined) {
      const line = this.#pending.shift()?.reply ?? '';
      if (!this.#transport.write(line)) this.#isSlow = true;
    }
    if (this.#isPaused || this.#hasEnded) this.#work();
  }
}

/** What each request needs. A command of a `read` connection is looked at again when it is run. */
const NEEDED: Readonly<Record<Exclude<ControlRequest['op'], 'hello'>, Access>> = {
  show: 'dialogs',
  result: 'dialogs',
  cancel: 'dialogs',
  command: 'read',
  doctor: 'read',
};

/** The pane that a request speaks for: the one asked for, or the one that the token is bound to. */
function paneFor(grant: Grant, pane: string | undefined): string | undefined {
  if (grant.pane === undefined || pane === undefined || pane === grant.pane) return pane ?? grant.pane;
  throw new MplexError('forbidden', `the token is for pane ${grant.pane}`, '/pane');
}

/** Stands for a line of too many bytes. */
const OVERLONG = new Uint8Array(1);
const NO_WAIT: ResultWait = { ms: 0 };
