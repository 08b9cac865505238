/** The door for heads of journals: whatever is in the file, what comes out is bounded, clean and makes sense. */
import { z } from 'zod';
import { cleanText } from '../../protocol/clean-text.ts';
import { NAME_MAX } from '../command/entries/names.ts';
import { isSound, panesOf } from '../layout/layout-cell.ts';
import { parseLayout } from '../layout/layout-string.ts';
import { FILE_NAME } from './journal-directory.ts';
import { JOURNAL_VERSION, type JournalHead, mayKeepOption, mayKeepVariable } from './journal-model.ts';

const NUMBER_MAX = 1e9;
const SESSIONS_MAX = 500;
const WINDOWS_MAX = 2000;
const PANES_MAX = 4000;
const LIST_MAX = 4000;
const FILES_MAX = 100_000;
const PATH_MAX = 4096;
const WORDS_MAX = 256;
const WORD_MAX = 4096;
/** Cells of a window along a side; what is beyond it tmux cannot make either. */
const CELLS_MAX = 65_535;

const number = z.number().int().min(0).max(NUMBER_MAX);
const seconds = z.number().min(0).max(1e11);
const cells = z.number().int().min(1).max(CELLS_MAX);
const size = z.object({ cols: cells, rows: cells });
const path = z
  .string()
  .max(PATH_MAX)
  .startsWith('/')
  .refine((text) => !text.includes('\0'));
// Not `cleanName`: a backslash of a stored name is one already.
const name = z
  .string()
  .max(8192)
  .transform((text) => cleanText(text, { max: NAME_MAX }));
const sessionName = name.transform((text) => text.replace(/[.:]/g, '_')).refine((text) => text !== '');
const variable = z.tuple([z.string().regex(/^[^=\0]{1,256}$/), z.string().max(16_384).nullable()]);
const environ = z
  .array(variable)
  .max(LIST_MAX)
  .transform((all) => all.filter(([one, value]) => mayKeepVariable(one, value)));
const option = z.tuple([z.string().max(256), z.string().max(16_384)]);
const options = z
  .array(option)
  .max(LIST_MAX)
  .transform((all) => all.filter(([one, text]) => mayKeepOption(one, text)));
const word = z
  .string()
  .max(WORD_MAX)
  .refine((text) => !text.includes('\0'));

const session = z.object({
  id: number,
  name: sessionName,
  cwd: path,
  created: seconds,
  activity: seconds,
  useOrder: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  group: sessionName.optional(),
  environ,
  winlinks: z
    .array(z.object({ index: number, window: number }))
    .min(1)
    .max(WINDOWS_MAX),
  current: number,
  previous: z.array(number).max(WINDOWS_MAX),
  options,
});

const window = z.object({
  id: number,
  name,
  created: seconds,
  size,
  manualSize: size.optional(),
  layout: z.string().max(65_536),
  panes: z.array(number).min(1).max(PANES_MAX),
  zoomed: number.optional(),
  active: number,
  last: number.optional(),
  options,
});

const pane = z.object({
  id: number,
  title: name,
  scrollback: number,
  activeOrder: number,
  inputOff: z.boolean(),
  cwd: path,
  program: z
    .string()
    .max(PATH_MAX)
    .transform((text) => cleanText(text, { max: 64 })),
  command: z.array(word).min(1).max(WORDS_MAX).optional(),
  isStart: z.boolean(),
  exit: z
    .object({
      status: z.number().int().min(0).max(255).optional(),
      signal: z
        .string()
        .regex(/^[\w+-]{1,32}$/)
        .optional(),
      time: seconds,
    })
    .optional(),
  isEmpty: z.boolean(),
  options,
});

const head = z.object({
  version: z.literal(JOURNAL_VERSION),
  serial: number,
  time: seconds,
  owner: z.object({ pid: number, started: z.string().max(64), boot: z.string().max(64), host: z.string().max(256) }),
  sessions: z.array(session).max(SESSIONS_MAX),
  windows: z.array(window).max(WINDOWS_MAX),
  panes: z.array(pane).max(PANES_MAX),
  marked: number.optional(),
  files: z
    .array(z.tuple([z.string().regex(/^pane\/\d{1,10}\/(?:screen|h\/\d{1,15})$/), z.string().regex(FILE_NAME)]))
    .max(FILES_MAX),
});

export type ParsedHead =
  | { readonly ok: true; readonly head: JournalHead }
  | { readonly ok: false; readonly reason: string };

/** Reads a head's bytes; the reason is one line. */
export function parseHead(bytes: Uint8Array): ParsedHead {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return { ok: false, reason: 'not JSON' };
  }
  const parsed = head.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { ok: false, reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong'}`.slice(0, 200) };
  }
  const reason = nonsense(parsed.data);
  return reason === undefined ? { ok: true, head: parsed.data } : { ok: false, reason };
}

/** What does not fit together: ids twice, windows without their panes, layouts of other panes or another size. */
function nonsense({ sessions, windows, panes }: JournalHead): string | undefined {
  const paneIds = new Set(panes.map(({ id }) => id));
  const windowIds = new Set(windows.map(({ id }) => id));
  if (paneIds.size !== panes.length || windowIds.size !== windows.length) return 'an id stands for two';
  if (new Set(sessions.map(({ id }) => id)).size !== sessions.length) return 'an id stands for two';
  if (new Set(sessions.map((one) => one.name)).size !== sessions.length) return 'two sessions of one name';
  const held = new Set<number>();
  for (const one of windows) {
    for (const id of one.panes) {
      if (!paneIds.has(id) || held.has(id)) return `pane ${id} of window ${one.id} is missing or in two windows`;
      held.add(id);
    }
    const layout = parseLayout(one.layout);
    if (!layout.ok || !isSound(layout.layout)) return `window ${one.id} has no sound layout`;
    const placed = panesOf(layout.layout);
    if (placed.length !== one.panes.length || new Set(placed).size !== placed.length)
      return `window ${one.id} has no sound layout`;
    if (!placed.every((id) => one.panes.includes(id))) return `window ${one.id} has a layout of other panes`;
  }
  for (const one of sessions) {
    const indexes = new Set(one.winlinks.map(({ index }) => index));
    if (indexes.size !== one.winlinks.length) return `session ${one.id} has an index twice`;
    if (!one.winlinks.every((link) => windowIds.has(link.window))) return `a window of session ${one.id} is missing`;
  }
  return undefined;
}
