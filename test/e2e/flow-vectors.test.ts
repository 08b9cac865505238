/** The contract of flows, vector by vector, on real terminals: attached to mplex, on a plain terminal, in real tmux. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlowVector, loadVectors, type VectorAsk } from '../support/flow-vectors.ts';
import { type CallResult, MPLEX, type TerminalProgram, World, waitFor } from '../support/program.ts';

/** Borders and marks of dialogs that take keys. */
const ARMED = /┏|● /;
const HAS_TMUX = spawnSync('tmux', ['-V']).stdout?.toString().trim() === 'tmux 3.3a';
if (!HAS_TMUX) console.log('no tmux 3.3a here: flows in tmux are left out');

/** A third of the vectors, another one for each backend; all with MPLEX_TEST_FULL. The driver's test has all of them. */
function sample(part: number): FlowVector[] {
  return loadVectors().filter((_vector, at) => process.env.MPLEX_TEST_FULL || at % 3 === part);
}

interface Ended {
  readonly outcome: unknown;
  readonly code: number;
}

/** A text as it stands on the screen, however long lines are broken. */
function sees(rows: readonly string[], text: string): boolean {
  return rows.some((row) => row.includes(text));
}

async function act(
  client: TerminalProgram,
  asks: readonly VectorAsk[],
  isReady: (rows: string[]) => boolean,
): Promise<void> {
  for (const { sees: text, type, press, wait } of asks) {
    await client.until((rows) => sees(rows, text) && isReady(rows), { name: `a question that says ${text}` });
    if (wait !== undefined) continue;
    if (type) client.type(type);
    if (press) client.press(press);
    await client.until((rows) => !sees(rows, text) || !isReady(rows), { name: `the end of ${text}` });
  }
}

/**
 * An armed dialog in a popup, or a menu that has been there for as long as a person takes at least: a sooner end counts
 * as a refusal.
 */
function armedOrMenu(): (rows: readonly string[]) => boolean {
  let since: number | undefined;
  return (rows) => {
    const text = rows.join('\n');
    if (!/┌─/.test(text)) since = undefined;
    else since ??= performance.now();
    return ARMED.test(text) || (since !== undefined && performance.now() - since > 150);
  };
}

function endedOf({ code, stdout, stderr }: CallResult): Ended {
  expect(stderr.replace(/^mplex ask: more than 64 screen visits\n$/, '')).toBe('');
  return { outcome: JSON.parse(stdout), code };
}

function expected(vector: FlowVector, own: FlowVector['tmux'] = {}): Ended {
  return { outcome: own.outcome ?? vector.outcome, code: own.code ?? vector.code ?? 0 };
}

describe('in mplex', () => {
  const world = new World();
  let client: TerminalProgram;
  beforeAll(async () => {
    client = world.attach(['-f', '/dev/null', 'new-session', 'echo ready; exec cat']);
    await client.until('ready');
  });
  afterAll(() => world.close());

  it.each(sample(0))('$name', async (vector) => {
    const call = world.call(['ask', '--spec', '-'], { input: JSON.stringify(vector.spec) });
    await act(client, vector.keys, (rows) => ARMED.test(rows.join('\n')));
    expect(endedOf(await call)).toEqual(expected(vector));
  });
});

describe('on a plain terminal', () => {
  const world = new World();
  afterAll(() => world.close());

  it.each(sample(1))('$name', async (vector) => {
    const [spec, out] = ['spec.json', 'out.json'].map((name) => join(world.directory, name));
    writeFileSync(spec!, JSON.stringify(vector.spec));
    const script = '"$0" "$1" ask --backend tty --spec "$2" >"$3" 2>"$3.err"; echo "$?" >"$3.code"';
    const program = world.run(['sh', '-c', script, process.execPath, MPLEX, spec!, out!]);
    await act(program, vector.keys, (rows) => ARMED.test(rows.join('\n')));
    await program.exit;
    const [stdout, stderr, code] = ['', '.err', '.code'].map((end) => readFileSync(`${out}${end}`, 'utf8'));
    expect(endedOf({ stdout: stdout!, stderr: stderr!, code: Number(code) })).toEqual(expected(vector));
    // The screen is as it was, and nothing was drawn on it.
    await program.screen.settled();
    expect(program.screen.text().trim()).toBe('');
    expect(program.screen.terminal.buffer.active.type).toBe('normal');
  });
});

describe.skipIf(!HAS_TMUX)('in real tmux', () => {
  const world = new World();
  const tmux = (...argv: string[]) => execFileSync('tmux', ['-L', 'flows', ...argv], { env, encoding: 'utf8' }).trim();
  const env = { ...world.env, TMUX_TMPDIR: world.directory, LC_ALL: 'C.UTF-8' };
  const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('mplex-flow-'));
  let client: TerminalProgram;
  let inside: Record<string, string>;
  let before: string[];

  beforeAll(async () => {
    before = leftovers();
    tmux('-f', '/dev/null', 'new-session', '-d', '-x', '80', '-y', '24', 'echo ready; exec cat');
    client = world.run(['tmux', '-L', 'flows', 'attach'], { env });
    await client.until('ready');
    inside = {
      TMUX: tmux('display-message', '-p', '#{socket_path},#{pid},0'),
      TMUX_PANE: tmux('display-message', '-p', '#{pane_id}'),
      LC_ALL: 'C.UTF-8',
    };
  });
  afterAll(async () => {
    tmux('kill-server');
    await world.close();
  });

  it.each(sample(2))('$name', async (vector) => {
    const call = world.call(['ask', '--spec', '-'], { input: JSON.stringify(vector.spec), env: inside });
    await act(client, vector.keys, armedOrMenu());
    expect(endedOf(await call)).toEqual(expected(vector, vector.tmux));
    expect(leftovers().filter((name) => !before.includes(name))).toEqual([]);
  });

  it('closes a menu and a popup when time runs out', async () => {
    for (const field of [
      { id: 'a', type: 'choice', label: 'Late menu', options: ['x'] },
      { id: 'a', type: 'text', label: 'Late popup' },
    ]) {
      const spec = { timeout: 5, screens: [{ id: 's', fields: [field] }] };
      const call = world.call(['ask', '--spec', '-'], { input: JSON.stringify(spec), env: inside });
      await client.until(field.label);
      expect(await call).toMatchObject({ code: 124, stderr: '' });
      await client.until((rows) => !sees(rows, field.label), { name: 'a closed dialog' });
    }
  });

  it('refuses while another menu is open, or waits for its turn', async () => {
    const first = world.call(['ask', 'First one', 'a'], { env: inside });
    await client.until('First one');
    expect(await world.call(['ask', 'Second one', 'b'], { env: inside })).toMatchObject({ code: 6 });
    const queued = world.call(['ask', '--queue', 'Third one', 'c'], { env: inside });
    client.press('Enter');
    expect(await first).toMatchObject({ code: 0, stdout: 'a\n' });
    await client.until('Third one');
    client.press('Enter');
    expect(await queued).toMatchObject({ code: 0, stdout: 'c\n' });
  });

  it('takes the question back when told to stop, and leaves no file', async () => {
    const asker = world.spawn(['ask', 'Until stopped', 'a'], { env: inside });
    await client.until('Until stopped');
    asker.kill('SIGTERM');
    expect(await asker.done).toEqual({ code: 7, stdout: '', stderr: '' });
    await client.until((rows) => !sees(rows, 'Until stopped'), { name: 'a closed menu' });
    expect(leftovers().filter((name) => !before.includes(name))).toEqual([]);
  });

  it('has nobody to ask where no client shows the session', async () => {
    const pane = tmux('new-session', '-d', '-P', '-F', '#{pane_id}', '-s', 'other', 'cat');
    const call = await world.call(['ask', 'Anybody?', 'a'], { env: { ...inside, TMUX_PANE: pane } });
    expect(call).toEqual({ code: 5, stdout: '', stderr: 'mplex ask: no tmux client shows this session\n' });
  });

  it('shows in a popup what a menu cannot show whole: long texts, another first option, letters that answer', async () => {
    const body = Array.from({ length: 60 }, (_, n) => `line ${n}`).join('\n');
    const options = Array.from({ length: 12 }, (_, n) => `option ${n}`);
    const spec = { screens: [{ id: 's', body, fields: [{ id: 'a', type: 'choice', label: 'Which one', options }] }] };
    const long = world.call(['ask', '--spec', '-'], { input: JSON.stringify(spec), env: inside });
    await client.until((rows) => sees(rows, 'Which one') && ARMED.test(rows.join('\n')));
    client.press('G Enter');
    expect(JSON.parse((await long).stdout)).toMatchObject({ answers: { a: 'option 11' } });
    const confirm = world.call(['ask', '--confirm', 'Really so?'], { env: inside });
    await client.until((rows) => sees(rows, '▸ n No') && ARMED.test(rows.join('\n')));
    client.press('y');
    expect(await confirm).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('edits a text in its popup as everywhere, and tells C-c from Escape', async () => {
    const text = world.call(['ask', '--initial', 'deploy', 'Say what'], { env: inside });
    await client.until((rows) => sees(rows, 'Say what: deploy') && ARMED.test(rows.join('\n')));
    client.press('Left Left X C-a Y');
    await client.until('Say what: YdeplXoy');
    client.press('Enter');
    expect(await text).toEqual({ code: 0, stdout: 'YdeplXoy\n', stderr: '' });
    for (const [key, code] of [
      ['C-c', 130],
      ['Escape', 4],
    ] as const) {
      const call = world.call(['ask', `Until ${key}`], { env: inside });
      await client.until((rows) => sees(rows, `Until ${key}`) && ARMED.test(rows.join('\n')));
      client.press(key);
      expect(await call).toEqual({ code, stdout: '', stderr: '' });
    }
  });

  it('takes a popup that is closed from outside for a dismissal', async () => {
    const call = world.call(['ask', 'Closed soon'], { env: inside });
    await client.until((rows) => sees(rows, 'Closed soon') && ARMED.test(rows.join('\n')));
    tmux('display-popup', '-C');
    expect(await call).toEqual({ code: 4, stdout: '', stderr: '' });
  });
});

describe('mplex ask on a plain terminal', () => {
  const world = new World();
  afterAll(() => world.close());

  it('drops what was typed before the dialog was there, and is interrupted by C-c at any time', async () => {
    const program = world.run([process.execPath, MPLEX, 'ask', 'Sure?', 'yes', 'no']);
    await program.until(/╌/);
    program.press('j Enter');
    await program.until(ARMED);
    expect(program.screen.text()).toContain('▸ 1 yes');
    program.press('C-c');
    expect((await program.exit).code).toBe(130);
    const early = world.run([process.execPath, MPLEX, 'ask', 'Sure?', 'yes']);
    await early.until(/╌/);
    early.press('C-c');
    expect((await early.exit).code).toBe(130);
  });

  it('follows the terminal when it is resized and gives it back when it is told to stop', async () => {
    const program = world.run([process.execPath, MPLEX, 'ask', '--title', 'A title', 'Which?', 'red', 'green']);
    await program.until(ARMED);
    program.resize({ cols: 40, rows: 10 });
    await program.until((rows) => rows.length === 10 && sees(rows, 'Which?') && sees(rows, 'A title'));
    process.kill(program.pid, 'SIGTERM');
    expect((await program.exit).code).toBe(7);
    await program.screen.settled();
    expect(program.screen.terminal.buffer.active.type).toBe('normal');
  });

  it.each([
    ['out of a pipe, into one', `echo data | "$0" "$1" ask 'Which?' red green | sed 's/^/got /'`, 'got green'],
    ['by a command substitution', `x=$("$0" "$1" ask 'Which?' red green </dev/null) && echo "got $x"`, 'got green'],
    ['with its output in a file', `"$0" "$1" ask 'Which?' red green >out 2>&1; sed 's/^/got /' out`, 'got green'],
  ])('asks a caller that stands %s', async (_where, script, said) => {
    const program = world.run(['sh', '-c', `${script}; read -r _`, process.execPath, MPLEX]);
    await program.until(ARMED);
    program.press('Down Enter');
    await program.until(said);
  });

  it('draws without colours where none are wanted', async () => {
    const program = world.run([process.execPath, MPLEX, 'ask', '--title', 'Plain', 'Which?'], {
      env: { NO_COLOR: '1' },
      keepBytes: true,
    });
    await program.until(ARMED);
    expect(program.screen.bytes).not.toMatch(/\x1b\[[0-9;:]*\b(?:[349][0-7]|10[0-7]|[34]8)\b[0-9;:]*m/);
    program.press('Escape');
    expect((await program.exit).code).toBe(4);
  });

  it('does not draw on a terminal that cannot be drawn on', async () => {
    const program = world.run([process.execPath, MPLEX, 'ask', 'Which?', 'red'], { env: { TERM: 'dumb' } });
    expect((await program.exit).code).toBe(5);
    await program.screen.settled();
    expect(program.screen.text()).toContain('mplex ask: no terminal to ask on: TERM is dumb');
  });

  it('has nobody to ask without a terminal', async () => {
    const call = await world.call(['ask', '--backend', 'tty', 'Anybody?']);
    if (call.code === 5) expect(call.stderr).toMatch(/^mplex ask: no terminal to ask on/);
    else await waitFor(() => existsSync('/dev/tty'), { name: 'a terminal of the test itself' });
  });
});
