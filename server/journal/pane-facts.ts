/** What the system tells of a pane's program and no event does: looked up again once the pane has printed something. */
import { basename } from 'node:path';
import type { ForegroundLine } from '../jobs/processes.ts';
import type { Pane } from '../model/pane.ts';
import { allowedCommand, type CommandLine } from './resurrect-commands.ts';

/** What runs in a pane, where, and what of it may run again. */
export interface PaneFacts {
  /** Directory of the foreground program. */
  readonly cwd: string;
  /** Name of the foreground program; '' if that is the shell. */
  readonly program: string;
  /** What may run again of its command line. */
  readonly command: readonly string[] | undefined;
  /** It is what the pane was made with. */
  readonly isStart: boolean;
}

export interface FactsContext {
  readonly workingDirectory: (pid: number) => string | undefined;
  readonly foreground: (pid: number) => ForegroundLine | undefined;
  /** Option resurrect-commands. */
  readonly allowed: () => readonly string[];
}

export class PaneFactBook {
  readonly #context: FactsContext;
  readonly #facts = new WeakMap<Pane, PaneFacts>();
  readonly #stale = new WeakSet<Pane>();

  constructor(context: FactsContext) {
    this.#context = context;
  }

  /** The pane printed something: its program or directory may be another. */
  printed(pane: Pane): void {
    this.#stale.add(pane);
  }

  /** Of a pane whose program is gone, what was known last. */
  of(pane: Pane): PaneFacts {
    const known = this.#facts.get(pane);
    const { pid } = pane;
    if (known && (pid === undefined || !this.#stale.has(pane))) return known;
    const facts = pid === undefined ? unseen(pane) : this.#look(pane, pid);
    if (pid !== undefined) {
      this.#facts.set(pane, facts);
      this.#stale.delete(pane);
    }
    return facts;
  }

  #look(pane: Pane, pid: number): PaneFacts {
    const { workingDirectory, foreground, allowed } = this.#context;
    const cwd = workingDirectory(pid) ?? pane.command.cwd;
    const program = foreground(pid);
    const isShell = program === undefined || (program.isLeader && pane.command.argv.length === 0);
    const isStart = pane.command.argv.length > 0 && (program?.isLeader ?? true);
    const line: CommandLine | undefined = isStart
      ? { words: pane.command.argv, isExact: false }
      : isShell
        ? undefined
        : { words: program.argv, isExact: true };
    const command = line && allowedCommand(allowed(), line);
    const name = isShell && !isStart ? '' : basename(program?.argv[0] ?? '').replace(/^-/, '');
    return { cwd, program: name, command, isStart: isStart && command !== undefined };
  }
}

function unseen(pane: Pane): PaneFacts {
  return { cwd: pane.command.cwd, program: '', command: undefined, isStart: false };
}
