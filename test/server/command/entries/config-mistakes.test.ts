/** A config file's good lines run whatever the others say. */
import { describe, expect, it } from 'vitest';
import { printCommands } from '../../../../server/command/command-print.ts';
import { ENTRIES } from '../../../../server/command/entries/command-table.ts';
import { CommandLanguage } from '../../../../server/command/entries/language.ts';
import { createRegistry } from '../../../../server/start-state.ts';

const OPTIONS = {
  environ: () => undefined,
  expandFormat: (text: string) => text,
  home: undefined,
  homeOf: () => undefined,
};

function keep(text: string): { commands: string; mistakes: string[] } {
  const registry = createRegistry(
    {},
    { isShell: () => true, normalizeCommand: (command) => ({ ok: true, text: command }) },
  );
  const { commands, mistakes } = new CommandLanguage(registry, ENTRIES).parseKeeping(text, OPTIONS);
  return {
    commands: printCommands(commands),
    mistakes: mistakes.map(({ line, error }) => `${line}: ${error}`),
  };
}

describe('parseKeeping', () => {
  it('leaves out each command with a mistake and tells all of them in order', () => {
    expect(keep('new-window\nnosuch a b\nkill-window -Z\nnext-window\n')).toEqual({
      // Commands on lines of their own print with two semicolons.
      commands: 'new-window \\;\\; next-window',
      mistakes: ['2: unknown command: nosuch', '3: command kill-window: unknown flag -Z'],
    });
  });

  it('leaves out what `;` joins to a mistake, and nothing else', () => {
    expect(keep('new-window ; nosuch ; kill-server\nnext-window\n')).toEqual({
      commands: 'next-window',
      mistakes: ['1: unknown command: nosuch'],
    });
  });

  it('leaves out a binding whose block has a mistake', () => {
    expect(keep('bind-key x {\n  kill-server\n  nosuch\n}\nnext-window\n')).toEqual({
      commands: 'next-window',
      mistakes: ['3: unknown command: nosuch'],
    });
  });

  it('takes nothing after a brace left open, and all before it', () => {
    expect(keep('new-window\nnosuch\nbind-key x {\n  kill-server\nnext-window\n')).toEqual({
      commands: 'new-window',
      mistakes: ['2: unknown command: nosuch', '6: syntax error'],
    });
  });

  it('is `parse` where there is no mistake', () => {
    expect(keep('bind-key x { new-window ; next-window }\n%if 1\nset -g @a b\n%endif\n').mistakes).toEqual([]);
    expect(keep('').commands).toBe('');
  });
});
