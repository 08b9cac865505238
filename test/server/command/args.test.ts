import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Args,
  type ArgsSpec,
  anyArgument,
  argumentsFrom,
  menuCommands,
  parseArgs,
} from '../../../server/command/args.ts';
import { type Argument, type ParsedCommand, parseCommands } from '../../../server/command/parser.ts';

const SPEC: ArgsSpec = { template: 'adPn:e:o::t:1', min: 0, max: 2 };
const BLOCK: readonly ParsedCommand[] = [{ name: 'x', args: [], file: undefined, line: undefined, group: {} }];

function read(argv: readonly Argument[], spec: ArgsSpec = SPEC): Args {
  const result = parseArgs(argv, spec);
  if (!result.ok) throw new Error(result.error);
  return result.args;
}

function complain(argv: readonly Argument[], spec: ArgsSpec = SPEC): string | undefined {
  const result = parseArgs(argv, spec);
  return result.ok ? undefined : result.error;
}

describe('parseArgs', () => {
  it('reads bundled flags, joined values and values in the next word', () => {
    const args = read(['-dPnname', '-t', '%1', '-e', 'A=1', '-eB=2', '-dd', 'x', '-n']);
    expect(args.has('P')).toBe(true);
    expect(args.has('a')).toBe(false);
    expect(args.count('d')).toBe(3);
    expect(args.value('n')).toBe('name');
    expect(args.values('e')).toEqual(['A=1', 'B=2']);
    expect(args.value('e')).toBe('B=2');
    expect(args.positional).toEqual(['x', '-n']);
    expect(args.strings(1)).toEqual(['-n']);
  });

  it('ends flags at --, at a lone dash and at a word', () => {
    expect(read(['-d', '--', '-x']).positional).toEqual(['-x']);
    expect(read(['-', '-d']).positional).toEqual(['-', '-d']);
    expect(read(['--']).positional).toEqual([]);
  });

  it('takes -- as the value of a flag that needs one', () => {
    expect(read(['-n', '--']).value('n')).toBe('--');
  });

  it('takes an optional value from the same word only', () => {
    expect(read(['-o']).has('o')).toBe(true);
    expect(read(['-o']).value('o')).toBeUndefined();
    expect(read(['-ox']).value('o')).toBe('x');
    expect(read(['-o', 'x']).value('o')).toBeUndefined();
    expect(read(['-o', '-e', 'A', '-oB', '-d']).toArguments()).toEqual(['-d', '-e', 'A', '-o', '-oB']);
  });

  it('complains in the words of tmux', () => {
    expect(complain(['-x'])).toBe('unknown flag -x');
    expect(complain(['-['])).toBe('invalid flag -[');
    expect(complain(['-dn'])).toBe('-n expects an argument');
    expect(complain(['-n', BLOCK])).toBe('-n argument must be a string');
    expect(complain(['a', 'b', 'c'])).toBe('too many arguments (need at most 2)');
    expect(complain([], { template: '', min: 1, max: -1 })).toBe('too few arguments (need at least 1)');
    expect(complain(['a', BLOCK])).toBe('argument 2 must be "string"');
    expect(parseArgs(['-d?'], SPEC)).toMatchObject({ ok: false, usage: true });
  });

  it('takes blocks where the rule says', () => {
    expect(read([BLOCK], { ...SPEC, blocks: anyArgument }).commands(0)).toBe(BLOCK);
    expect(complain([BLOCK], { ...SPEC, blocks: argumentsFrom(1) })).toBe('argument 1 must be "string"');
    expect(read(['a', BLOCK], { ...SPEC, blocks: argumentsFrom(1) }).string(1)).toBeUndefined();
    const menu: ArgsSpec = { template: '', min: 0, max: -1, blocks: menuCommands };
    expect(complain(['a', 'k', BLOCK, '', 'b', 'k', BLOCK], menu)).toBeUndefined();
    expect(complain(['a', BLOCK], menu)).toBe('argument 2 must be "string"');
    expect(complain(['a', 'k', BLOCK, '', BLOCK], menu)).toBe('argument 5 must be "string"');
  });
});

describe('Args', () => {
  const bounds = { min: 0, max: 100, name: 'width' };

  it('reads numbers within bounds, as strtonum(3) does', () => {
    const number = (text: string) => read(['-n', text]).number('n', bounds);
    expect(number('42')).toEqual({ ok: true, value: 42 });
    expect(number(' +5')).toEqual({ ok: true, value: 5 });
    expect(number('-0')).toEqual({ ok: true, value: 0 });
    for (const [text, error] of [
      ['-1', 'too small'],
      ['101', 'too large'],
      ['99999999999999999999999', 'too large'],
      ['', 'invalid'],
      ['5 ', 'invalid'],
      ['0x10', 'invalid'],
      ['1.5', 'invalid'],
      ['٣', 'invalid'],
    ]) {
      expect(number(text!)).toEqual({ ok: false, error: `width ${error}` });
    }
    expect(read([]).number('n', bounds)).toEqual({ ok: false, error: 'width missing' });
  });

  it('reads sizes in cells or percent of what there is', () => {
    const size = (text: string) => read(['-n', text]).size('n', { ...bounds, current: 81 });
    expect(size('50%')).toEqual({ ok: true, value: 40 });
    expect(size('30')).toEqual({ ok: true, value: 30 });
    expect(size('101%')).toEqual({ ok: false, error: 'width too large' });
    expect(size('%')).toEqual({ ok: false, error: 'width invalid' });
    expect(size('')).toEqual({ ok: false, error: 'width invalid' });
    expect(read([]).size('n', { ...bounds, current: 81 })).toEqual({ ok: false, error: 'width missing' });
  });

  it('gives its arguments in one order', () => {
    const args = read(['-t', 'x', '-d', '-P', '-e', 'A=1', '-1', '-d', '-e', 'B=2', '--', '-y']);
    expect(args.toArguments()).toEqual(['-1Pdd', '-e', 'A=1', '-e', 'B=2', '-t', 'x', '--', '-y']);
  });

  it('is the same after its arguments are read again', () => {
    const spec: ArgsSpec = { ...SPEC, max: -1 };
    const word = fc.oneof(
      fc.constantFrom('-d', '-Pa', '-n', '-o', '-ox', '-do', '-nx', '--', '-', '-e', '-1', '-t', 'x', ''),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        const first = parseArgs(argv, spec);
        if (!first.ok) return;
        const again = read(first.args.toArguments(), spec);
        for (const flag of 'adPneot1') expect(again.values(flag)).toEqual(first.args.values(flag));
        for (const flag of 'adPo1') expect(again.count(flag)).toBe(first.args.count(flag));
        expect(again.positional).toEqual(first.args.positional);
      }),
    );
  });
});

describe('a block rule', () => {
  it('sees the flags that came before', () => {
    const spec: ArgsSpec = { template: 'C', min: 0, max: 1, blocks: (_index, args) => args.has('C') };
    const parsed = parseCommands('run { a }', {
      environ: () => undefined,
      expandFormat: (text) => text,
      home: undefined,
    });
    const block = parsed.ok ? parsed.commands[0]!.args[0]! : '';
    expect(complain([block], spec)).toBe('argument 1 must be "string"');
    expect(complain(['-C', block], spec)).toBeUndefined();
  });
});
