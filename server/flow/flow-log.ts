/**
 * The log of questions (option flow-log): one JSON object a line for what was asked, shown and answered. It is only ever
 * appended to, readable by its owner alone, and holds nothing that was typed: of a text its length, of a choice the
 * option; of what was shown a hash, so that it can be proven what was agreed to.
 */
import { createHash } from 'node:crypto';
import { constants, createWriteStream, lstatSync, type WriteStream } from 'node:fs';
import { cleanText, countCodePoints } from '../../protocol/clean-text.ts';
import type { Ask, DialogOutcome } from '../../protocol/dialog.ts';
import type { FlowEvent, FlowQueue } from '../../src/flow/flow-queue.ts';
import type { ClientSession } from '../model/client-session.ts';

/** Characters of a title or label that are kept. */
const TEXT_MAX = 200;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

export interface FlowLogContext {
  readonly queue: FlowQueue<ClientSession>;
  /** The option's value; '' for no log. */
  readonly path: () => string;
  /** ms since the epoch. */
  readonly wall: () => number;
  /** The file cannot be written. */
  readonly failed: (message: string) => void;
}

export class FlowLog {
  readonly #context: FlowLogContext;
  #open: { readonly path: string; readonly stream: WriteStream | undefined } | undefined;

  constructor(context: FlowLogContext) {
    this.#context = context;
    context.queue.subscribe((event) => this.#write(event));
  }

  close(): void {
    this.#open?.stream?.end();
    this.#open = undefined;
  }

  #write(event: FlowEvent<ClientSession>): void {
    const path = this.#context.path();
    if (path !== this.#open?.path) {
      this.close();
      if (path !== '') this.#open = { path, stream: this.#openFile(path) };
    }
    const stream = this.#open?.stream;
    if (stream && event.kind !== 'hidden') stream.write(`${JSON.stringify(recordOf(event, this.#context.wall()))}\n`);
  }

  #openFile(path: string): WriteStream | undefined {
    const problem = problemOf(path);
    if (problem !== undefined) {
      this.#context.failed(`flow-log ${path}: ${problem}`);
      return undefined;
    }
    // Node hands numeric flags on to open(2); its types know the words only.
    const flags = (O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW) as unknown as string;
    const stream = createWriteStream(path, { flags, mode: 0o600 });
    stream.on('error', (error) => {
      this.#context.failed(`flow-log ${path}: ${error.message}`);
      if (this.#open?.stream === stream) this.#open = { path, stream: undefined };
    });
    return stream;
  }
}

/** Why a file that is there already is not written to. */
function problemOf(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (!stat.isFile()) return 'is not a regular file';
  if (stat.uid !== process.getuid?.()) return 'belongs to somebody else';
  return (stat.mode & 0o077) === 0 ? undefined : 'can be read by others';
}

const EVENTS = { queued: 'asked', shown: 'shown', answered: 'answered', removed: 'closed', hidden: 'hidden' } as const;

/** One line of the log. */
function recordOf(event: FlowEvent<ClientSession>, nowMs: number): object {
  const { kind, serial, pane, client, ask, asker, outcome } = event;
  const base = { time: new Date(nowMs).toISOString(), event: EVENTS[kind], question: serial };
  if (kind === 'queued') {
    return {
      ...base,
      pane: pane ?? null,
      program: cleanText(asker.program, { max: TEXT_MAX }),
      kind: ask.kind,
      ...(ask.title !== undefined && { title: cleanText(ask.title, { max: TEXT_MAX }) }),
      ...(ask.label !== undefined && { label: cleanText(ask.label, { max: TEXT_MAX }) }),
      shown: hashOf(ask),
    };
  }
  return {
    ...base,
    ...(client && { client: client.name }),
    ...(outcome && kind === 'answered' && answerOf(ask, outcome)),
  };
}

/** SHA-256 of what the person is shown; the text to start from may be a secret and takes no part. */
function hashOf(ask: Ask): string {
  const options = ask.kind === 'choice' ? ask.options : [];
  const shown = [ask.kind, ask.title ?? '', ask.body ?? '', ask.label ?? '', options];
  return `sha256:${createHash('sha256').update(JSON.stringify(shown)).digest('hex')}`;
}

function answerOf(ask: Ask, { outcome, by, ...rest }: DialogOutcome): object {
  const value = 'value' in rest ? rest.value : undefined;
  return {
    outcome,
    by,
    ...(ask.kind === 'choice' &&
      typeof value === 'number' && { index: value, option: cleanText(ask.options[value] ?? '', { max: TEXT_MAX }) }),
    ...(typeof value === 'string' && { length: countCodePoints(value) }),
  };
}
