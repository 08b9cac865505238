import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences, type VirtualTerminal } from '../support/virtual-terminal.ts';
import type { CommandSource } from './random-commands.ts';
import type { Section, Step } from './script.ts';
import { type Answer, Sides, until } from './sides.ts';
import { FINAL_CALLS, STATE_CALL, stateDifferences } from './state.ts';

/** After so many differences the rest says little. */
const DIFFERENCES_MAX = 12;

/** Runs a section on both programs and gives what differs, a text each. */
export async function runSection(section: Section): Promise<string[]> {
  const run = new SectionRun();
  try {
    await run.start();
    for (const step of section.steps) {
      await run.step(step);
      if (run.differences.length > DIFFERENCES_MAX) break;
    }
    await run.finish();
  } finally {
    await run.stop();
  }
  return run.differences;
}

/** Runs random commands on both programs until something differs; gives that with all that went before. */
export async function runRandom(next: CommandSource, count: number): Promise<string> {
  const run = new SectionRun();
  const done: string[] = [];
  try {
    await run.start();
    for (let at = 0; at < count && run.differences.length === 0 && (await run.hasServers()); at++) {
      const argv = next();
      done.push(argv.map((word) => (/^[\w%@:.=+-]+$/.test(word) ? word : `'${word}'`)).join(' '));
      await run.step({ kind: 'call', line: at, argv, stdin: undefined, allowed: undefined, isBackground: false });
    }
    if (run.differences.length === 0 && (await run.hasServers())) await run.finish();
  } finally {
    await run.stop();
  }
  return run.differences.length === 0 ? '' : `${done.join('\n')}\n\n${run.differences.join('\n')}`;
}

class SectionRun {
  readonly differences: string[] = [];
  readonly #sides = new Sides();
  readonly #background: { step: Step & { kind: 'call' }; answers: Promise<readonly [Answer, Answer]> }[] = [];
  #env: Record<string, string> = {};
  #comparesState = true;
  #known = new Set<string>();

  async start(): Promise<void> {
    await this.#sides.start(['new-session', '-d', '-s', 'one', '-n', 'w', '-x', '80', '-y', '24', 'cat']);
    // Its default depends on the terminfo entries of the machine.
    await this.#sides.each((side) => side.call(['set-option', '-s', 'default-terminal', 'screen']));
    // Windows would take their names from programs at moments of their own.
    await this.#sides.each((side) => side.call(['set-option', '-gw', 'automatic-rename', 'off']));
  }

  /** Whether a session is left. */
  async hasServers(): Promise<boolean> {
    return (await this.#sides.tmux.call(['has-session'])).code === 0;
  }

  stop(): Promise<void> {
    return this.#sides.stop();
  }

  async step(step: Step): Promise<void> {
    if (step.kind === 'directive') {
      await this.#direct(step);
      return;
    }
    if (step.isBackground) {
      this.#background.push({ step, answers: this.#ask(step.argv, step.stdin) });
      return;
    }
    const [tmux, mplex] = await this.#ask(step.argv, step.stdin);
    if (step.allowed !== undefined) return;
    this.#compare(`line ${step.line}: ${step.argv.join(' ')}`, tmux, mplex);
    if (await this.hasServers()) await this.#compareState(`line ${step.line}: ${step.argv.join(' ')}`);
  }

  async finish(): Promise<void> {
    for (const argv of FINAL_CALLS) {
      const [tmux, mplex] = await this.#ask(argv);
      if (tmux.stdout === mplex.stdout) continue;
      const left = new Set(tmux.stdout.split('\n'));
      const right = new Set(mplex.stdout.split('\n'));
      const missing = [...left].filter((line) => !right.has(line)).map((line) => `- ${line}`);
      const extra = [...right].filter((line) => !left.has(line)).map((line) => `+ ${line}`);
      if (missing.length + extra.length > 0) {
        this.differences.push(`at the end: ${argv.join(' ')}\n  ${[...missing, ...extra].join('\n  ')}`);
      }
    }
  }

  async #ask(argv: readonly string[], stdin?: string): Promise<readonly [Answer, Answer]> {
    const answers = await this.#sides.each(async (side) => {
      const answer = side.call(
        argv.map((word) => side.fill(word)),
        { env: this.#env, ...(stdin === undefined ? {} : { stdin }) },
      );
      const { code, stdout, stderr } = await orTooLate(answer);
      return { code, stdout: side.normalise(stdout), stderr: side.normalise(stderr) };
    });
    const [tmux, mplex] = answers;
    if (!tmux || !mplex) throw new Error('a side is missing');
    return [tmux.answer, mplex.answer];
  }

  #compare(what: string, tmux: Answer, mplex: Answer): void {
    const parts = (['code', 'stdout', 'stderr'] as const).filter((part) => tmux[part] !== mplex[part]);
    if (parts.length === 0) return;
    const told = parts.map(
      (part) => `  ${part}: ${JSON.stringify(tmux[part])}\n  mplex: ${JSON.stringify(mplex[part])}`,
    );
    this.differences.push(`${what}\n${told.join('\n')}`);
  }

  async #compareState(what: string): Promise<void> {
    if (!this.#comparesState) return;
    let changed: string[] = [];
    // A pane's program may not have got as far yet.
    for (let tries = 0; tries < 12; tries++) {
      const [tmux, mplex] = await this.#ask(STATE_CALL);
      changed = stateDifferences(tmux.stdout, mplex.stdout);
      if (tmux.stderr !== mplex.stderr) changed.push(`state: ${tmux.stderr} but ${mplex.stderr}`);
      if (changed.every((difference) => this.#known.has(difference))) return;
      await new Promise((next) => setTimeout(next, 25));
    }
    const fresh = changed.filter((difference) => !this.#known.has(difference));
    for (const difference of fresh) this.#known.add(difference);
    this.differences.push(`${what}: state\n  ${fresh.join('\n  ')}`);
  }

  async #direct({ name, words, line }: Extract<Step, { kind: 'directive' }>): Promise<void> {
    const [first = '', ...rest] = words;
    switch (name) {
      case 'attach': {
        const [cols = 80, rows = 24] = first.split('x').map(Number);
        const argv = rest.length > 0 ? rest : ['attach-session'];
        await this.#sides.each((side) => side.attach(argv, { cols, rows }));
        return;
      }
      case 'keys':
        for (const side of this.#sides.both) side.clients.at(-1)?.press(words.join(' '));
        return;
      case 'type':
        for (const side of this.#sides.both) side.clients.at(-1)?.type(words.join(' ').replaceAll('\\e', '\x1b'));
        return;
      case 'until':
        await this.#until(words, line);
        return;
      case 'wait':
        for (const { step, answers } of this.#background.splice(0)) {
          this.#compare(`line ${step.line}: ${step.argv.join(' ')}`, ...(await answers));
        }
        return;
      case 'env': {
        const [variable = '', value = ''] = first.split(/=(.*)/s);
        const { [variable]: _gone, ...others } = this.#env;
        this.#env = value === '' ? others : { ...others, [variable]: value };
        return;
      }
      case 'seen':
        await this.#seen(words.join(' '), line);
        return;
      case 'file':
        for (const side of this.#sides.both) {
          writeFileSync(join(side.home, first), side.fill(rest.join(' ').replaceAll('\\n', '\n')));
        }
        return;
      case 'show':
        this.#compareFiles(first, line);
        return;
      case 'screen':
        await this.#compareScreens(line, first === 'own-cursor');
        return;
      case 'state':
        this.#comparesState = first === 'on';
        return;
      default:
        throw new Error(`line ${line}: no directive ${name}`);
    }
  }

  async #until(words: readonly string[], line: number): Promise<void> {
    const [target = '', format = '', value = ''] = words;
    for (const side of this.#sides.both) {
      const argv = ['display-message', '-p', '-t', target, format];
      let last = '';
      const isThere = async () => {
        last = side.normalise((await side.call(argv)).stdout.replace(/\n$/, ''));
        return last === value;
      };
      await until('', isThere).catch(() => {
        this.differences.push(`line ${line}: ${side.name} has ${format} = ${JSON.stringify(last)}, not ${value}`);
      });
    }
  }

  async #seen(text: string, line: number): Promise<void> {
    for (const side of this.#sides.both) {
      const screen = side.clients.at(-1)?.screen;
      const isSeen = async () => {
        await screen?.settled();
        return screen?.text().includes(text) ?? false;
      };
      await until('', isSeen).catch(() => {
        this.differences.push(`line ${line}: ${side.name} does not show ${text}:\n${screen?.text()}`);
      });
    }
  }

  #compareFiles(name: string, line: number): void {
    const [tmux, mplex] = this.#sides.both.map((side) => {
      const path = join(side.home, name);
      return existsSync(path) ? side.normalise(readFileSync(path, 'utf8')) : undefined;
    });
    if (tmux !== mplex)
      this.differences.push(`line ${line}: ${name}\n  ${JSON.stringify(tmux)}\n  ${JSON.stringify(mplex)}`);
  }

  async #compareScreens(line: number, ownCursor: boolean): Promise<void> {
    let found: string[] = [];
    const isSame = async () => {
      const [tmux, mplex] = this.#sides.both.map((side) => side.clients.at(-1)?.screen);
      if (!tmux || !mplex) throw new Error(`line ${line}: no terminal is attached`);
      await tmux.settled();
      await mplex.settled();
      found = screenDifferences(tmux, mplex, ownCursor);
      return found.length === 0;
    };
    await until('', isSame).catch((error: unknown) => {
      if (found.length === 0) throw error;
      const texts = this.#sides.both.map((side) => `${side.name}:\n${side.clients.at(-1)?.screen.text()}`);
      this.differences.push(`line ${line}: screens\n${found.join('\n')}\n${texts.join('\n')}`);
    });
  }
}

/** A row of `VirtualTerminal.cells` without what nobody sees: how the text of a blank cell would look. */
function seenCells(row: string): string {
  return row.replace(/( <1:)[^ >]+( [^ >]+)([^>]*)>/g, (cell, start, background, attributes) =>
    /underline|inverse|strike|overline/.test(attributes) ? cell : `${start}default${background}>`,
  );
}

/** Where two terminals differ: cells with their colours, the title, the cursor where one is seen. */
function screenDifferences(tmux: VirtualTerminal, mplex: VirtualTerminal, ownCursor: boolean): string[] {
  const wanted = tmux.cells();
  const { x, y } = mplex.cursor;
  // What tmux draws in place of a cursor.
  if (ownCursor) wanted[y] = withoutInverse(wanted[y] ?? '', x);
  const found = differences(mplex.cells().map(seenCells), wanted.map(seenCells));
  const cursor = (screen: VirtualTerminal) =>
    screen.isCursorHidden ? 'none' : `${screen.cursor.x},${screen.cursor.y}`;
  if (!ownCursor && cursor(tmux) !== cursor(mplex)) found.push(`cursor ${cursor(mplex)} instead of ${cursor(tmux)}`);
  if (tmux.title !== mplex.title) found.push(`title ${mplex.title} instead of ${tmux.title}`);
  return found;
}

/** A row of `VirtualTerminal.cells` with one cell not reversed. */
function withoutInverse(row: string, x: number): string {
  const cells = row.split('>');
  cells[x] = (cells[x] ?? '').replace(' inverse', '');
  return cells.join('>');
}

/** A call that does not come back is an answer as well. */
async function orTooLate(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((done) => {
    timer = setTimeout(() => done({ code: -3, stdout: '', stderr: 'no answer' }), CALL_MS);
  });
  const first = await Promise.race([answer, late]);
  clearTimeout(timer);
  return first;
}

const CALL_MS = 8000;
