import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeArgument, printArgument, printCommands } from '../../../server/command/command-print.ts';
import {
  type Argument,
  type Assignment,
  type ParsedCommand,
  type ParseOptions,
  parseArgv,
  parseCommands,
} from '../../../server/command/parser.ts';

const OPTIONS: ParseOptions = {
  environ: (name) => ({ FOO: 'foo', HOME: '/home/u' })[name],
  expandFormat: (format) => format,
  home: '/home/fallback',
};

type Plain = string | Plain[];

/** Commands as nested lists: name, words, blocks. */
function shape(commands: readonly ParsedCommand[]): Plain[] {
  return commands.map((command) => [command.name, ...command.args.map(shapeOf)]);
}

function shapeOf(argument: Argument): Plain {
  return typeof argument === 'string' ? argument : shape(argument);
}

function read(text: string, options: Partial<ParseOptions> = {}): Plain[] | string {
  const result = parseCommands(text, { ...OPTIONS, ...options });
  return result.ok ? shape(result.commands) : `${result.line}: ${result.error}`;
}

/** Which commands are in one sequence: a number for each. */
function groups(text: string, options: Partial<ParseOptions> = {}): number[] {
  const result = parseCommands(text, { ...OPTIONS, ...options });
  const seen: object[] = [];
  return (result.ok ? result.commands : []).map(({ group }) => {
    if (!seen.includes(group)) seen.push(group);
    return seen.indexOf(group);
  });
}

describe('parseCommands', () => {
  it('keeps blocks in braces as commands', () => {
    expect(read('if a { b c ; d { e } } f')).toEqual([
      [
        'if',
        'a',
        [
          ['b', 'c'],
          ['d', [['e']]],
        ],
        'f',
      ],
    ]);
  });

  it('puts commands joined by a semicolon into one sequence, those on other lines into others', () => {
    expect(groups('a ; b\nc ; d \\\n ; e\n%if 1 f ; g %endif ; h')).toEqual([0, 0, 1, 1, 1, 2, 2, 2]);
    expect(groups('a {\nx\n} ; b\nc')).toEqual([0, 0, 1]);
    expect(groups('a\nb', { oneGroup: true })).toEqual([0, 0]);
    expect(groups('a ;; b')).toEqual([0, 1]);
  });

  it('counts lines as an editor does, through quotes, comments, blocks and continuations', () => {
    const text = 'a # x \\\n comment\nb "x\ny" \\\n z\nc {\n\n d\n}\ne';
    const result = parseCommands(text, OPTIONS);
    const lines = (commands: readonly ParsedCommand[]): (number | undefined)[] => commands.map(({ line }) => line);
    expect(result.ok && lines(result.commands)).toEqual([1, 3, 6, 10]);
    const block = result.ok ? result.commands[2]!.args[0] : undefined;
    expect(typeof block === 'object' && lines(block)).toEqual([8]);
    expect(read('a\n"b\nc" }')).toBe('3: syntax error');
  });

  it('lets assignments count at once, and tells them', () => {
    const told: Assignment[] = [];
    const result = parseCommands('A=1\n%hidden B="x y"\n%if 0\nC=3\n%endif\necho $A $B $C', {
      ...OPTIONS,
      assign: (assignment) => told.push(assignment),
    });
    expect(result.ok && shape(result.commands)).toEqual([['echo', '1', 'x y', '']]);
    expect(told).toEqual([
      { name: 'A', value: '1', hidden: false },
      { name: 'B', value: 'x y', hidden: true },
    ]);
    expect(result.assignments).toEqual(told);
  });

  it('tells what was assigned before an error', () => {
    const result = parseCommands('A=1\n}', OPTIONS);
    expect(result).toMatchObject({ ok: false, line: 2, assignments: [{ name: 'A', value: '1' }] });
  });

  it('does not expand conditions inside a branch that does not count', () => {
    const asked: string[] = [];
    const expandFormat = (format: string) => {
      asked.push(format);
      return format;
    };
    const text = '%if 0\n%if x\nA=1\na\n%endif\n%elif 1\nb $A\n%elif y\nc\n%endif';
    expect(read(text, { expandFormat })).toEqual([['b', '']]);
    expect(asked).toEqual(['0', '1']);
  });

  it('takes the home directory from HOME, else from the caller', () => {
    expect(read('a ~/x')).toEqual([['a', '/home/u/x']]);
    expect(read('a ~/x', { environ: () => undefined })).toEqual([['a', '/home/fallback/x']]);
    expect(read('a ~/x', { environ: () => undefined, home: undefined })).toBe('1: syntax error');
    expect(read('a ~bob/x', { homeOf: (user) => `/users/${user}` })).toEqual([['a', '/users/bob/x']]);
  });

  it('reads text with carriage returns before its newlines', () => {
    expect(read('a {\r\n b \\\r\n c\r\n}\r\n')).toEqual([['a', [['b', 'c']]]]);
  });

  it('joins octal bytes to characters, and takes bytes that are none as Latin-1', () => {
    expect(read('a \\303\\251 \\377 \\342\\202\\254x')).toEqual([['a', 'é', 'ÿ', '€x']]);
  });

  it('refuses nesting without end', () => {
    expect(read('a { '.repeat(5_000))).toBe('1: nested too deep');
    expect(read('%if 1\n'.repeat(5_000))).toMatch(/nested too deep/);
  });

  it('never throws and always ends, whatever the text', () => {
    const piece = fc.constantFrom(
      ...['{', '}', '"', "'", ';', ';;', '\\', '\n', ' ', '#', '#{', '$', '${', '~', '%if 1', '%if', '%elif', '%else'],
      ...['%endif', '%hidden', 'A=1', 'a', '\\u00e9', '\\1', '\\\n', '\r\n', '\0', '😀', '\t', '%1', '=', 'x'],
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (source) => {
        const result = parseCommands(source, OPTIONS);
        if (result.ok) return;
        expect(result.error).not.toBe('');
        expect(result.line).toBeGreaterThan(0);
        expect(result.line).toBeLessThanOrEqual(source.split('\n').length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads a long text in little time', () => {
    expect(read(`${'\\'.repeat(200_001)}\na`)).toHaveLength(1);
    expect(read(`a "${'x\n  # c\n'.repeat(20_000)}"`)).toHaveLength(1);
  });
});

describe('parseArgv', () => {
  const split = (argv: readonly Argument[]) => {
    const result = parseArgv(argv);
    return result.ok ? shape(result.commands) : result.error;
  };

  it('separates at arguments that end in a semicolon', () => {
    expect(split(['a', 'x;', 'b', ';', 'c\\;', ';', ';'])).toEqual([['a', 'x'], ['b'], ['c;']]);
  });

  it('keeps blocks', () => {
    const block = parseCommands('x ; y', OPTIONS);
    expect(split(['a', block.ok ? block.commands : '', ';', 'b'])).toEqual([['a', [['x'], ['y']]], ['b']]);
  });
});

describe('printCommands', () => {
  const name = fc.constantFrom('neww', 'set-option', 'display');
  const word = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
    fc.string({ unit: fc.constantFrom(...' \t\n\r\\"\'$~{}#;%a=A1\x1b\x7f\x85-') }),
  );
  interface Shape {
    readonly name: string;
    readonly args: readonly (string | readonly Shape[])[];
    readonly joined: boolean;
  }
  const { list } = fc.letrec<{ list: readonly Shape[]; command: Shape; argument: string | readonly Shape[] }>(
    (tie) => ({
      list: fc.array(tie('command'), { maxLength: 4 }),
      command: fc.record({ name, args: fc.array(tie('argument'), { maxLength: 4 }), joined: fc.boolean() }),
      argument: fc.oneof({ maxDepth: 3, withCrossShrink: true }, word, tie('list')),
    }),
  );
  const build = (shapes: readonly Shape[]): ParsedCommand[] => {
    let group = {};
    return shapes.map((part) => {
      if (!part.joined) group = {};
      const args = part.args.map((argument) => (typeof argument === 'string' ? argument : build(argument)));
      return { name: part.name, args, file: undefined, line: undefined, group };
    });
  };
  /** Shapes with a mark between commands of one sequence. */
  const outline = (commands: readonly ParsedCommand[]): unknown[] =>
    commands.map((command, index) => [
      command.group === commands[index - 1]?.group,
      command.name,
      ...command.args.map((argument) => (typeof argument === 'string' ? argument : outline(argument))),
    ]);

  it('gives text that parses to the same commands', () => {
    fc.assert(
      fc.property(list, (shapes) => {
        const commands = build(shapes);
        const text = printCommands(commands, 'nested');
        const parsed = parseCommands(text, OPTIONS);
        expect(text).not.toMatch(/[\n\x1b\x7f]/);
        expect(parsed.ok && outline(parsed.commands), text).toEqual(outline(commands));
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives words that are read alike wherever they stand', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const parsed = parseCommands(`x ${escapeArgument(a)} { y ${escapeArgument(b)} }`, OPTIONS);
        expect(parsed.ok && shape(parsed.commands)).toEqual([['x', a, [['y', b]]]]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('uses double quotes where single ones would change the word', () => {
    expect(escapeArgument('a"b')).toBe(`'a"b'`);
    expect(escapeArgument('a\\"b')).toBe('"a\\\\\\"b"');
    expect(printArgument([])).toBe('{ }');
  });
});
