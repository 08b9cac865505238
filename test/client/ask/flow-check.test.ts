import { describe, expect, it } from 'vitest';
import { runFlowWord } from '../../../client/ask/flow-check.ts';
import { nearest } from '../../../src/flow/nearest.ts';

async function run(argv: readonly string[], stdin = '') {
  const output = { stdout: '', stderr: '' };
  const code = await runFlowWord(argv, {
    stdout: { write: (text) => (output.stdout += text) },
    stderr: { write: (text) => (output.stderr += text) },
    readStdin: () => Promise.resolve(stdin),
  });
  return { code, ...output };
}

describe('mplex flow', () => {
  it('says that a spec is good', async () => {
    const { code, stdout } = await run(['check', '-'], '{"screens":[{"id":"a","body":"x"}]}');
    expect([code, stdout]).toEqual([0, 'standard input: ok, 1 screen\n']);
  });

  it('tells every fault, one a line or as JSON', async () => {
    const bad = '{"v":2,"screens":[{"id":"a","body":"x","next":"b"}]}';
    expect(await run(['check', '-'], bad)).toEqual({
      code: 2,
      stdout:
        'standard input: /v: expected 1, found 2\n' +
        'standard input: /screens/0/next: expected the id of a screen, "$done" or "$cancel", found "b" (did you mean "a"?)\n'.replace(
          ' (did you mean "a"?)',
          '',
        ),
      stderr: '',
    });
    const { stdout } = await run(['check', '--json', '-'], bad);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      faults: [{ path: '/v', value: '2' }, { path: '/screens/0/next' }],
    });
  });

  it('says that nothing was there', async () => {
    expect(await run(['check', '-'], ' \n')).toMatchObject({
      code: 2,
      stdout: 'standard input: expected JSON, found nothing\n',
    });
  });

  it.each([
    ['nope', 'expected a value at line 1, column 1), found "nope"'],
    ['\n{\n  "v": 1,\n  "screens": [}\n}', 'expected a value at line 4, column 15), found "}"'],
    ['{"v": 1', 'expected "," or "}" at line 1, column 8), found the end of the line'],
    ['{"v":1} {"v":1}', 'text after the value at line 1, column 9), found "{\\"v\\":1}"'],
  ])('says by line and column where text is no JSON: %j', async (text, told) => {
    expect(await run(['check', '-'], text)).toMatchObject({
      code: 2,
      stdout: `standard input: expected JSON (${told}\n`,
    });
  });

  it('prints the JSON Schema', async () => {
    expect(JSON.parse((await run(['schema'])).stdout)).toMatchObject({ type: 'object', required: ['screens'] });
  });

  it('tells its usage, and files that cannot be read', async () => {
    expect((await run(['check'])).code).toBe(2);
    expect((await run(['nope'])).stderr).toMatch(/^usage: mplex flow/);
    expect((await run(['--help'])).code).toBe(0);
    expect((await run(['check', '/no/such/file'])).stderr).toBe(
      "mplex flow: can't read /no/such/file: No such file or directory\n",
    );
  });
});

describe('a guess of what was meant', () => {
  it.each([
    ['mian', ['main', 'other'], 'main'],
    ['showIf', ['show_if', 'screens'], 'show_if'],
    ['tittle', ['title', 'text'], 'title'],
    ['xyz', ['main', 'other'], undefined],
    ['', ['a'], undefined],
    ['b', ['a'], undefined],
    ['x'.repeat(1000), ['x'.repeat(999)], undefined],
  ])('for %s is right', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });
});
