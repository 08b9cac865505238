/** The commands of copy mode (tmux(1) "The following commands are supported in copy mode"), each a row. */
import {
  backToIndentation,
  type Jump,
  nextBracket,
  nextParagraph,
  nextWord,
  nextWordEnd,
  previousBracket,
  previousParagraph,
  previousWord,
} from './copy-motions.ts';
import type { CopyState } from './copy-state.ts';
import type { GridPlace } from './frozen-grid.ts';

/** What commands reach beyond the state. */
export interface CopyOutput {
  /** Makes a paste buffer named after the prefix, or adds to the newest one. */
  copy(text: string, options: { readonly prefix: string | undefined; readonly append?: boolean }): void;
  /** Gives text to a shell command; undefined: option copy-command. */
  pipe(text: string, command: string | undefined): void;
  /** Takes the pane's text as it is now. */
  refresh(): void;
  /** Says why nothing happened to whom gave the command. */
  tell(text: string): void;
}

export interface CopyCall {
  readonly state: CopyState;
  readonly output: CopyOutput;
  readonly args: readonly string[];
  /** Repeat count, 1 if none was given. */
  readonly count: number;
  /** The mode ends when it is scrolled down to the end (copy-mode -e). */
  readonly exitAtBottom: boolean;
}

export interface CopyCommand {
  readonly name: string;
  /** Arguments at least and at most; with others the command does nothing. */
  readonly args?: readonly [min: number, max: number];
  /** Whether it takes the highlight of a search away: with emacs keys only, always, or never. */
  readonly clears?: 'emacs' | 'always' | 'never';
  /** `cancel` leaves the mode. */
  readonly run: (call: CopyCall) => 'cancel' | undefined;
}

type Step = (call: CopyCall) => unknown;

/** A motion: repeated, and never leaves the mode. */
function motion(name: string, step: Step, options: Partial<CopyCommand> = {}): CopyCommand {
  return {
    name,
    ...options,
    run: (call) => {
      for (let i = 0; i < call.count; i++) step(call);
      return undefined;
    },
  };
}

/** Runs once, whatever the count. */
function once(name: string, step: Step, options: Partial<CopyCommand> = {}): CopyCommand {
  return {
    name,
    clears: 'always',
    ...options,
    run: (call) => {
      step(call);
      return undefined;
    },
  };
}

/** A motion by words or lines. */
function stepMotion(name: string, next: (state: CopyState) => GridPlace): CopyCommand {
  return motion(name, ({ state }) => state.cursor.stepTo(next(state)));
}

/** A motion that may lead far: what is out of sight comes to the middle of it. */
function farMotion(name: string, next: (state: CopyState) => GridPlace): CopyCommand {
  return motion(name, ({ state }) => state.cursor.goTo(next(state)));
}

function bracketMotion(name: string, next: typeof nextBracket): CopyCommand {
  return motion(name, ({ state: { cursor, settings } }) => {
    const { place, isWord } = next(cursor.reader, cursor.place, settings.isVi);
    if (isWord) cursor.stepTo(place);
    else cursor.goTo(place);
  });
}

/** A motion towards the end of the text, which may leave the mode there. */
function downMotion(name: string, step: Step, exits: (call: CopyCall) => boolean): CopyCommand {
  return {
    name,
    run: (call) => {
      for (let i = 0; i < call.count; i++) {
        step(call);
        if (exits(call) && call.state.cursor.offset === 0) return 'cancel';
      }
      return undefined;
    },
  };
}

const always = () => true;
const ifAsked = (call: CopyCall) => call.exitAtBottom;

function moveLine(step: 1 | -1, scrollOnly: boolean): Step {
  return ({ state }) => state.cursor.moveLine(step, { scrollOnly, keepColumn: state.roamsFreely });
}

function movePage(step: 1 | -1, half: boolean): Step {
  return ({ state }) => state.cursor.movePage(step, { half, anywhere: state.roamsFreely });
}

const MOTIONS: readonly CopyCommand[] = [
  motion('cursor-left', ({ state }) => state.cursor.left()),
  motion('cursor-right', ({ state }) => state.cursor.right(state.roamsFreely)),
  motion('cursor-up', moveLine(-1, false)),
  motion('cursor-down', moveLine(1, false)),
  {
    name: 'cursor-down-and-cancel',
    run: (call) => {
      const { cursor } = call.state;
      const before = cursor.y;
      for (let i = 0; i < call.count; i++) moveLine(1, false)(call);
      return before === cursor.y && cursor.offset === 0 ? 'cancel' : undefined;
    },
  },
  motion('scroll-up', moveLine(-1, true)),
  downMotion('scroll-down', moveLine(1, true), ifAsked),
  downMotion('scroll-down-and-cancel', moveLine(1, true), always),
  motion('page-up', movePage(-1, false)),
  downMotion('page-down', movePage(1, false), ifAsked),
  downMotion('page-down-and-cancel', movePage(1, false), always),
  motion('halfpage-up', movePage(-1, true)),
  downMotion('halfpage-down', movePage(1, true), ifAsked),
  downMotion('halfpage-down-and-cancel', movePage(1, true), always),
  once(
    'history-top',
    ({ state: { cursor } }) => {
      cursor.offset = cursor.historyLength;
      cursor.moveTo(0, 0);
    },
    { clears: 'emacs' },
  ),
  once(
    'history-bottom',
    ({ state: { cursor } }) => {
      cursor.offset = 0;
      cursor.y = cursor.rows - 1;
      cursor.x = cursor.length;
    },
    { clears: 'emacs' },
  ),
  once('top-line', ({ state: { cursor } }) => cursor.moveTo(0, 0), { clears: 'emacs' }),
  once('middle-line', ({ state: { cursor } }) => cursor.moveTo(0, Math.floor((cursor.rows - 1) / 2)), {
    clears: 'emacs',
  }),
  once('bottom-line', ({ state: { cursor } }) => cursor.moveTo(0, cursor.rows - 1), { clears: 'emacs' }),
  once('start-of-line', ({ state: { cursor } }) => cursor.stepTo({ x: 0, line: cursor.reader.startOf(cursor.line) }), {
    clears: 'emacs',
  }),
  once(
    'end-of-line',
    ({ state }) => {
      const { cursor } = state;
      const line = cursor.reader.endOf(cursor.line);
      cursor.stepTo({ x: state.roamsFreely ? cursor.cols : cursor.reader.lengthOf(line), line });
    },
    { clears: 'emacs' },
  ),
  once('back-to-indentation', ({ state: { cursor } }) => cursor.stepTo(backToIndentation(cursor.reader, cursor.place))),
  once(
    'goto-line',
    ({ state: { cursor }, args }) => {
      const wanted = /^\d+$/.test(args[0] ?? '') ? Number(args[0]) : undefined;
      if (wanted !== undefined) cursor.offset = Math.min(wanted, cursor.historyLength);
    },
    { args: [1, 1], clears: 'emacs' },
  ),
  stepMotion('next-word', (state) => nextWord(state.cursor.reader, state.cursor.place, state.wordRule())),
  stepMotion('next-space', (state) => nextWord(state.cursor.reader, state.cursor.place, state.wordRule(true))),
  stepMotion('next-word-end', (state) => nextWordEnd(state.cursor.reader, state.cursor.place, state.wordRule())),
  stepMotion('next-space-end', (state) => nextWordEnd(state.cursor.reader, state.cursor.place, state.wordRule(true))),
  stepMotion('previous-word', (state) => previousWord(state.cursor.reader, state.cursor.place, state.wordRule())),
  stepMotion('previous-space', (state) => previousWord(state.cursor.reader, state.cursor.place, state.wordRule(true))),
  farMotion('next-paragraph', ({ cursor }) => nextParagraph(cursor.reader, cursor.place)),
  farMotion('previous-paragraph', ({ cursor }) => previousParagraph(cursor.reader, cursor.place)),
  bracketMotion('next-matching-bracket', nextBracket),
  bracketMotion('previous-matching-bracket', previousBracket),
];

/** Shells must be told to mark their prompts: without it nothing would ever happen. */
function tellIfNone({ output }: CopyCall, isDone: boolean, what: string): void {
  if (!isDone) output.tell(`${what} that the shell has marked (OSC 133)`);
}

function jumpCommand(name: string, kind: Pick<Jump, 'direction' | 'isTo'>): CopyCommand {
  return once(
    name,
    ({ state, args, count }) => {
      const wanted = { text: [...(args[0] ?? '')][0] ?? '', ...kind };
      if (wanted.text === '') return;
      state.lastJump = wanted;
      state.jump(wanted, count);
    },
    { args: [1, 1], clears: 'emacs' },
  );
}

const JUMPS: readonly CopyCommand[] = [
  jumpCommand('jump-forward', { direction: 1, isTo: false }),
  jumpCommand('jump-backward', { direction: -1, isTo: false }),
  jumpCommand('jump-to-forward', { direction: 1, isTo: true }),
  jumpCommand('jump-to-backward', { direction: -1, isTo: true }),
  once('jump-again', ({ state, count }) => state.lastJump && state.jump(state.lastJump, count), { clears: 'emacs' }),
  once(
    'jump-reverse',
    ({ state, count }) => {
      const { lastJump } = state;
      if (lastJump) state.jump({ ...lastJump, direction: lastJump.direction === 1 ? -1 : 1 }, count);
    },
    { clears: 'emacs' },
  ),
  motion('next-prompt', (call) => tellIfNone(call, call.state.goToPrompt(1), 'no prompt below')),
  motion('previous-prompt', (call) => tellIfNone(call, call.state.goToPrompt(-1), 'no prompt above')),
  once('set-mark', ({ state }) => state.setMark()),
  once('jump-to-mark', ({ state }) => state.jumpToMark()),
];

const SELECTIONS: readonly CopyCommand[] = [
  once('begin-selection', ({ state }) => state.beginSelection()),
  once('clear-selection', ({ state }) => state.clearSelection()),
  once('stop-selection', ({ state }) => {
    if (state.selection) state.selection = { ...state.selection, follows: 'none' };
  }),
  once('select-line', ({ state, count }) => state.selectLines(count)),
  once('select-output', (call) => tellIfNone(call, call.state.selectOutput(), 'no output of a command')),
  once('select-word', ({ state }) => state.selectWord()),
  {
    name: 'other-end',
    run: ({ state, count }) => {
      if (count % 2 === 1) state.otherEnd();
      return undefined;
    },
  },
  once('rectangle-on', ({ state }) => setRectangle(state, true)),
  once('rectangle-off', ({ state }) => setRectangle(state, false)),
  once('rectangle-toggle', ({ state }) => setRectangle(state, !state.isRectangle)),
];

function setRectangle(state: CopyState, isOn: boolean): void {
  state.isRectangle = isOn;
  state.cursor.x = Math.min(state.cursor.x, state.cursor.length);
}

/** What is taken: the selection, whole lines, or the rest of the line. */
type Taken = 'selection' | 'line' | 'end-of-line';

function textOf({ state, count }: CopyCall, taken: Taken): string {
  if (taken === 'selection') return state.selectedText();
  return state.lineText(count, taken === 'line');
}

interface Taking {
  readonly taken: Taken;
  /** Ends the mode. */
  readonly cancels?: boolean;
  /** Leaves the selection as it is. */
  readonly keeps?: boolean;
}

function afterwards({ state }: CopyCall, { taken, cancels, keeps }: Taking): 'cancel' | undefined {
  if (!keeps) {
    const { x } = state.cursor;
    state.clearSelection();
    if (taken !== 'selection') state.cursor.x = x;
  }
  return cancels ? 'cancel' : undefined;
}

function copyCommand(name: string, taking: Taking): CopyCommand {
  return {
    name,
    args: [0, 1],
    clears: 'always',
    run: (call) => {
      const text = textOf(call, taking.taken);
      if (text !== '') call.output.copy(text, { prefix: call.args[0] });
      return afterwards(call, taking);
    },
  };
}

/** `alsoCopies` false: the pipe variants, which make no buffer. */
function pipeCommand(name: string, taking: Taking & { readonly alsoCopies?: boolean }): CopyCommand {
  return {
    name,
    args: [0, 2],
    clears: 'always',
    run: (call) => {
      const text = textOf(call, taking.taken);
      if (text !== '') {
        call.output.pipe(text, call.args[0] || undefined);
        if (taking.alsoCopies !== false) call.output.copy(text, { prefix: call.args[1] });
      }
      return afterwards(call, taking);
    },
  };
}

function appendCommand(name: string, cancels: boolean): CopyCommand {
  return {
    name,
    clears: 'always',
    run: (call) => {
      const text = call.state.selectedText();
      if (text !== '') call.output.copy(text, { prefix: undefined, append: true });
      return afterwards(call, { taken: 'selection', cancels });
    },
  };
}

const COPIES: readonly CopyCommand[] = [
  appendCommand('append-selection', false),
  appendCommand('append-selection-and-cancel', true),
  copyCommand('copy-selection', { taken: 'selection' }),
  copyCommand('copy-selection-no-clear', { taken: 'selection', keeps: true }),
  copyCommand('copy-selection-and-cancel', { taken: 'selection', cancels: true }),
  copyCommand('copy-line', { taken: 'line' }),
  copyCommand('copy-line-and-cancel', { taken: 'line', cancels: true }),
  copyCommand('copy-end-of-line', { taken: 'end-of-line' }),
  copyCommand('copy-end-of-line-and-cancel', { taken: 'end-of-line', cancels: true }),
  pipeCommand('copy-pipe', { taken: 'selection' }),
  pipeCommand('copy-pipe-no-clear', { taken: 'selection', keeps: true }),
  pipeCommand('copy-pipe-and-cancel', { taken: 'selection', cancels: true }),
  pipeCommand('copy-pipe-line', { taken: 'line' }),
  pipeCommand('copy-pipe-line-and-cancel', { taken: 'line', cancels: true }),
  pipeCommand('copy-pipe-end-of-line', { taken: 'end-of-line' }),
  pipeCommand('copy-pipe-end-of-line-and-cancel', { taken: 'end-of-line', cancels: true }),
  pipeCommand('pipe', { taken: 'selection', alsoCopies: false }),
  pipeCommand('pipe-no-clear', { taken: 'selection', keeps: true, alsoCopies: false }),
  pipeCommand('pipe-and-cancel', { taken: 'selection', cancels: true, alsoCopies: false }),
];

function searchCommand(name: string, direction: 1 | -1, isRegex: boolean): CopyCommand {
  return once(
    name,
    ({ state, args, count }) => {
      const text = args[0];
      if (text === undefined) state.searchAgain(false);
      else for (let i = 0; i < count; i++) state.searchFor({ text, isRegex }, direction);
    },
    { args: [0, 1], clears: 'never' },
  );
}

/** The first character of the argument says how: `=` the text has changed, `-` upwards, `+` downwards. */
function incrementalCommand(name: string, own: 1 | -1): CopyCommand {
  return once(
    name,
    ({ state, args }) => {
      const [prefix, text] = [args[0]?.[0], args[0]?.slice(1) ?? ''];
      state.searchIncrementally(text, prefix === '-' ? -1 : prefix === '+' ? 1 : own);
    },
    { args: [1, 1], clears: 'never' },
  );
}

const SEARCHES: readonly CopyCommand[] = [
  searchCommand('search-forward', 1, true),
  searchCommand('search-forward-text', 1, false),
  searchCommand('search-backward', -1, true),
  searchCommand('search-backward-text', -1, false),
  incrementalCommand('search-forward-incremental', 1),
  incrementalCommand('search-backward-incremental', -1),
  motion('search-again', ({ state }) => state.searchAgain(false), { clears: 'never' }),
  motion('search-reverse', ({ state }) => state.searchAgain(true), { clears: 'never' }),
];

const COPY_COMMANDS: readonly CopyCommand[] = [
  { name: 'cancel', clears: 'always', run: () => 'cancel' },
  once(
    'toggle-position',
    ({ state }) => {
      state.showsPosition = !state.showsPosition;
    },
    { clears: 'never' },
  ),
  once('refresh-from-pane', ({ output }) => output.refresh()),
  ...MOTIONS,
  ...JUMPS,
  ...SELECTIONS,
  ...COPIES,
  ...SEARCHES,
];

const BY_NAME: ReadonlyMap<string, CopyCommand> = new Map(COPY_COMMANDS.map((command) => [command.name, command]));

export function findCopyCommand(name: string): CopyCommand | undefined {
  return BY_NAME.get(name);
}
