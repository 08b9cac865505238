/** The contract of flows as data: test/vectors/flow/*.json, run through the driver alone and through every backend. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FlowAsk } from '../../src/flow/driver.ts';

const FOLDER = resolve(import.meta.dirname, '../vectors/flow');
const FILES = ['fields', 'screens', 'conditions', 'routes', 'ends'] as const;

/** What a person does at one ask. */
export interface VectorAsk {
  /** A text that is on the screen by then. */
  readonly sees: string;
  /** What the ask's texts are, where the vector is about them. */
  readonly shows?: { readonly title?: string; readonly body?: string; readonly label?: string };
  readonly type?: string;
  /** Keys by tmux's names, blanks between. */
  readonly press?: string;
  /** Seconds that nothing is done: time runs out. */
  readonly wait?: number;
}

export interface FlowVector {
  readonly name: string;
  readonly spec: { readonly screens: readonly unknown[] };
  readonly keys: readonly VectorAsk[];
  readonly outcome: object;
  /** Exit code of `mplex ask`, 0 if absent. */
  readonly code?: number;
  /** What is different in real tmux. */
  readonly tmux?: { readonly outcome?: object; readonly code?: number };
}

export function loadVectors(): FlowVector[] {
  return FILES.flatMap((name) => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as FlowVector[]);
}

export interface FaultVector {
  readonly name: string;
  readonly spec: unknown;
  /** JSON pointers of all faults. */
  readonly faults: readonly string[];
}

export function loadFaultVectors(): FaultVector[] {
  return JSON.parse(readFileSync(join(FOLDER, 'faults.json'), 'utf8')) as FaultVector[];
}

/** All that an ask lets a person read. */
export function textOfAsk(ask: FlowAsk): string {
  const options = ask.kind === 'choice' ? ask.options : [];
  return [ask.title, ask.body, ask.label, ...options].filter((part) => part !== undefined).join('\n');
}
