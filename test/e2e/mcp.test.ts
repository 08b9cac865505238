/** The MCP server under the official SDK's client, as an agent in a pane would run it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MPLEX, type TerminalProgram, World } from '../support/program.ts';

const ARMED = /┏|● /;

const world = new World();
let terminal: TerminalProgram;
let client: Client;

beforeAll(async () => {
  terminal = world.attach(['-f', '/dev/null', 'new-session', '-s', 'main', 'echo ready; exec cat']);
  await terminal.until('ready');
  client = await connect();
});
afterAll(async () => {
  await client.close();
  await world.close();
});

async function connect(env: Record<string, string> = {}): Promise<Client> {
  const agent = new Client({ name: 'test', version: '0' });
  await agent.connect(
    new StdioClientTransport({ command: process.execPath, args: [MPLEX, 'mcp'], env: { ...world.env, ...env } }),
  );
  return agent;
}

async function armed(text: string): Promise<void> {
  await terminal.until((rows) => rows.some((row) => row.includes(text)) && ARMED.test(rows.join('\n')), {
    name: `an armed dialog that says ${text}`,
  });
}

interface Result {
  readonly isError: boolean;
  readonly text: string;
  readonly value: unknown;
}

async function call(name: string, args: Record<string, unknown>, options = {}): Promise<Result> {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const [first] = result.content as { text: string }[];
  return { isError: result.isError === true, text: first?.text ?? '', value: result.structuredContent };
}

const choice = (label: string) => ({
  screens: [{ id: 's', fields: [{ id: 'env', type: 'choice', label, options: ['staging', 'prod'] }] }],
});

describe('mplex mcp', () => {
  it('lists its tools', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'plexer_show',
      'plexer_list_panes',
      'plexer_read_pane',
      'plexer_send',
      'plexer_wait',
    ]);
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      'plexer_send',
    ]);
    for (const { description, inputSchema } of tools) {
      expect(description?.length).toBeGreaterThan(20);
      expect(inputSchema.type).toBe('object');
    }
    expect(client.getInstructions()).toContain('plexer_show');
    expect(client.getServerVersion()).toMatchObject({ name: 'mplex' });
  });

  it('shows a flow and gives its outcome, telling meanwhile that the person is thinking', async () => {
    const progress: Progress[] = [];
    const asked = call(
      'plexer_show',
      { spec: choice('Where to?') },
      { onprogress: (one: Progress) => progress.push(one) },
    );
    await armed('Where to?');
    terminal.press('j Enter');
    const outcome = { status: 'done', answers: { env: 'prod' }, action: null };
    expect(await asked).toEqual({ isError: false, text: JSON.stringify(outcome), value: outcome });
    expect(progress.map(({ message }) => message)).toContain('the person sees the question (screen s)');
  });

  it('takes a spec that came as a string, or without its wrapping', async () => {
    for (const args of [{ spec: JSON.stringify(choice('As a string?')) }, choice('As arguments?')]) {
      const asked = call('plexer_show', args);
      await armed('spec' in args ? 'As a string?' : 'As arguments?');
      terminal.press('Enter');
      expect(await asked).toMatchObject({ isError: false, value: { answers: { env: 'staging' } } });
    }
  });

  it('tells every fault of a bad spec with its place', async () => {
    const bad = { timeout: 1, screens: [{ id: 'a', next: 'b' }] };
    const { isError, text, value } = await call('plexer_show', { spec: bad });
    expect(isError).toBe(true);
    expect(text).toContain('/timeout: expected at least 5, found 1');
    expect(text).toContain('/screens/0: expected a screen with a body, fields or actions');
    expect(value).toMatchObject({
      status: 'error',
      faults: [{ path: '/timeout' }, { path: '/screens/0' }, { path: '/screens/0/next' }],
    });
    for (const args of [{}, { spec: 5 }, { spec: null }, { spec: 'nonsense' }]) {
      expect((await call('plexer_show', args)).isError).toBe(true);
    }
  });

  it('says that the person cancelled', async () => {
    const asked = call('plexer_show', { spec: choice('Not this?'), meta: true });
    await armed('Not this?');
    terminal.press('Escape');
    expect(await asked).toMatchObject({
      isError: false,
      value: { status: 'cancelled', at: 's', answers: {}, meta: { cause: 'escape', asks: [{ at: 's' }] } },
    });
  });

  it('says that time ran out', async () => {
    const asked = call('plexer_show', { spec: { ...choice('Too slow?'), timeout: 5 } });
    await terminal.until('Too slow?');
    expect(await asked).toMatchObject({ isError: false, value: { status: 'timeout', at: 's', answers: {} } });
    await terminal.until((rows) => !rows.some((row) => row.includes('Too slow?')), { name: 'no dialog' });
  });

  it('takes the question back when the call is cancelled', async () => {
    const stop = new AbortController();
    const asked = call('plexer_show', { spec: choice('Never mind?') }, { signal: stop.signal });
    const failed = expect(asked).rejects.toThrow();
    await terminal.until('Never mind?');
    stop.abort();
    await failed;
    await terminal.until((rows) => !rows.some((row) => row.includes('Never mind?')), { name: 'no dialog' });
  });

  it('asks two things at once one after the other', async () => {
    const first = call('plexer_show', { spec: choice('First?') });
    await armed('First?');
    const second = call('plexer_show', { spec: choice('Second?') });
    terminal.press('Enter');
    expect(await first).toMatchObject({ value: { status: 'done' } });
    await armed('Second?');
    terminal.press('j Enter');
    expect(await second).toMatchObject({ value: { answers: { env: 'prod' } } });
  });

  it('lists, reads, types into and waits on panes', async () => {
    const pane = await world.output('split-window', '-d', '-P', '-F', '#{pane_id}', 'PS1="$ " exec sh');
    // By its prompt the shell runs; before that its command line is all there is.
    await call('plexer_wait', { pane, pattern: '\\$' });
    const { value } = await call('plexer_list_panes', {});
    expect(value).toMatchObject({ panes: [{ session_name: 'main' }, { pane_id: pane, pane_current_command: 'sh' }] });
    expect(await call('plexer_send', { pane, text: 'echo a$((1+1))b; echo "-x"', keys: ['Enter'] })).toMatchObject({
      isError: false,
    });
    expect(await call('plexer_wait', { pane, pattern: '^a2b$', timeout: 20 })).toMatchObject({
      value: { reason: 'pattern' },
    });
    expect((await call('plexer_read_pane', { pane, history: 10 })).text).toContain('a2b\n-x\n');
    expect(await call('plexer_wait', { pane, quiet: 0.3 })).toMatchObject({ value: { reason: 'quiet' } });
    expect(await call('plexer_wait', { pane, pattern: 'never', timeout: 0.5 })).toMatchObject({
      value: { reason: 'timeout' },
    });
  });

  it('says what is wrong with a call', async () => {
    expect(await call('plexer_read_pane', { pane: '%99' })).toMatchObject({
      isError: true,
      text: "can't find pane: %99",
    });
    expect((await call('plexer_read_pane', {})).text).toBe('"pane" must be a pane id such as "%3"');
    expect((await call('plexer_send', { pane: '%0' })).text).toBe('nothing to send: give "text" or "keys"');
    expect((await call('plexer_wait', { pane: '%0', pattern: '(' })).isError).toBe(true);
    await expect(call('no_such_tool', {})).rejects.toThrow('-32602: unknown tool: no_such_tool');
  });

  it('says that nobody is there, and ends with its input', async () => {
    const alone = await connect({ MPLEX_TMPDIR: world.directory, MPLEX_CONTROL: `${world.directory}/none` });
    const result = await alone.callTool({ name: 'plexer_show', arguments: { spec: choice('Anybody?') } });
    expect(result).toMatchObject({ isError: true, structuredContent: { status: 'error', code: 'no_client' } });
    await alone.close();
    expect(await world.call(['mcp'], { input: '' })).toMatchObject({ code: 0, stdout: '' });
    expect((await world.call(['mcp', 'x'])).code).toBe(2);
  });
});
