/** Which flags of tmux's commands the scripts use. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseScript, type Step } from './script.ts';

interface CommandFlags {
  readonly name: string;
  readonly alias: string | undefined;
  /** Flag to whether it takes a value. */
  readonly flags: ReadonlyMap<string, boolean>;
  /** What `list-commands` says of flags and arguments. */
  readonly usage: string;
}

/** The flags that `tmux list-commands` names. */
export function tmuxCommands(): CommandFlags[] {
  const server = ['-L', `mplex-flags-${process.pid}`, '-f', '/dev/null'];
  const { stdout } = spawnSync('tmux', [...server, 'start-server', ';', 'list-commands'], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', alias, usage = ''] = /^(\S+) (?:\((\S+)\) )?(.*)$/.exec(line) ?? [];
      return { name, alias, flags: flagsOf(usage), usage };
    });
}

function flagsOf(usage: string): Map<string, boolean> {
  const flags = new Map<string, boolean>();
  for (const [, letters = '', value] of usage.matchAll(/\[-([A-Za-z0-9]+)(?: ([^\]]+))?\]/g)) {
    for (const letter of letters) flags.set(letter, value !== undefined);
  }
  // wait-for's alternatives.
  for (const [, letter = ''] of usage.matchAll(/[[|]-([A-Z])(?=[|\]])/g)) flags.set(letter, false);
  return flags;
}

/** `command -x` for every flag that no script uses, and `command` for one that none names. */
export function unusedFlags(scriptsFolder: string, commands = tmuxCommands()): string[] {
  const used = new Map(commands.map(({ name }) => [name, new Set<string>()]));
  const named = new Set<string>();
  for (const file of readdirSync(scriptsFolder)) {
    for (const { steps } of parseScript(readFileSync(join(scriptsFolder, file), 'utf8'))) {
      for (const argv of steps.flatMap(commandsOf)) {
        const command = find(commands, argv[0] ?? '');
        if (!command) continue;
        named.add(command.name);
        for (const flag of flagsIn(argv.slice(1), command)) used.get(command.name)?.add(flag);
      }
    }
  }
  return commands.flatMap(({ name, flags }) => [
    ...(named.has(name) ? [] : [name]),
    ...[...flags.keys()].filter((flag) => !used.get(name)?.has(flag)).map((flag) => `${name} -${flag}`),
  ]);
}

/** The commands of a line: those between `;`, and the one that a terminal is attached with. */
function commandsOf(step: Step): (readonly string[])[] {
  if (step.kind === 'directive') return step.name === 'attach' ? [step.words.slice(1)] : [];
  const commands: string[][] = [[]];
  for (const word of step.argv) {
    if (word === ';') commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands;
}

function find(commands: readonly CommandFlags[], word: string): CommandFlags | undefined {
  const exact = commands.find(({ name, alias }) => name === word || alias === word);
  const found = commands.filter(({ name }) => name.startsWith(word));
  return exact ?? (word !== '' && found.length === 1 ? found[0] : undefined);
}

function flagsIn(words: readonly string[], { flags }: CommandFlags): string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word.length < 2 || word === '--') break;
    for (let i = 1; i < word.length; i++) {
      const flag = word[i] ?? '';
      if (!flags.has(flag)) break;
      found.push(flag);
      if (!flags.get(flag)) continue;
      if (i === word.length - 1) at += 1;
      break;
    }
  }
  return found;
}
