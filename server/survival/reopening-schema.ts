/** The check of what an earlier server left to reopen modes and overlays by (server/model/reopening.ts). */
import { z } from 'zod';
import type { ReopenedState, Reopening } from '../model/reopening.ts';

let schema: z.ZodType<Reopening> | undefined;

/** Throws where the data is not what this server keeps. */
export function readReopening(data: unknown): Reopening {
  schema ??= createSchema();
  const read = schema.safeParse(data);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not readable'}`);
}

/** Made when it is first needed: most servers take nothing over. */
function createSchema(): z.ZodType<Reopening> {
  const count = z.number().int().min(0);
  const text = z.string();
  const prompt = z.object({
    kind: z.literal('prompt'),
    questions: z.array(z.object({ label: text, initial: text })).min(1),
    answers: z.array(text),
    text,
    cursor: count,
    isViCommand: z.boolean(),
    template: text.nullable(),
  });
  const menu = z.object({
    kind: z.literal('menu'),
    title: text,
    lines: z.array(z.object({ name: text, keyName: text, command: text }).nullable()),
    x: count,
    y: count,
    highlight: z.number().int().min(-1),
    top: count,
  });
  const filter = z.object({
    kind: z.literal('filter'),
    text,
    cursor: count,
    highlighted: z.object({ text, detail: text }).nullable(),
  });
  const list = z.object({
    kind: z.literal('list'),
    current: text.nullable(),
    start: text.nullable(),
    top: count,
    tags: z.array(text),
    opened: z.array(z.tuple([text, z.boolean()])),
    sort: text.nullable(),
    isReversed: z.boolean(),
    filter: text.nullable(),
    search: text,
    showsPreview: z.boolean(),
    previewScroll: count,
    didZoom: z.boolean(),
  });
  const clock = z.object({ kind: z.literal('clock') });
  const state: z.ZodType<ReopenedState> = z.discriminatedUnion('kind', [clock, prompt, menu, filter, list]);
  return z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('command'), command: text, session: count, window: count, pane: count, state }),
    z.object({ kind: z.literal('key'), pane: count, key: text, state }),
  ]);
}
