import { afterAll, describe, expect, it } from 'vitest';
import { ModelServer } from '../../../support/model-server.ts';
import { TmuxTwin } from '../../../support/tmux-twin.ts';

const twin = await TmuxTwin.start();
afterAll(() => twin?.stop());

async function started(): Promise<ModelServer> {
  const server = new ModelServer();
  await server.run('new-session', '-d', '-s', 'one', '-n', 'w', '-x', '40', '-y', '8', 'cat');
  return server;
}

function typed(server: ModelServer): string {
  return server.ptys.of(server.pane().id).takeWritten();
}

describe.skipIf(!twin)('scripting commands compared with tmux 3.3a', () => {
  it('answers and fails as tmux does', async () => {
    await twin?.sameLines(`
      send -N 0 x
      send -N abc x
      send -N -3 x
      send -t nosuch x
      send -X foo
      send -M
      send -N 5
      send-prefix x
      run-shell
      run-shell 'exit 3'
      copy-mode -q
      run-shell 'kill -9 $$'
      display -p '#{pane_mode}'
      copy-mode -q
      run-shell true
      display -p '[#{pane_mode}]'
      run-shell -d abc 'echo x'
      run-shell -C 'display -p inner'
      run-shell -C nosuch
      run-shell -C
      run-shell ''
      run-shell -b 'exit 3'
      run-shell a b
      run-shell nosuchcmdx
      copy-mode -q
      if-shell true 'display -p yes' 'display -p no'
      if false 'display -p yes' 'display -p no'
      if false 'display -p yes'
      if -F 1 'display -p yes'
      if -F 0 'display -p yes' 'display -p no'
      if -F '' 'display -p yes' 'display -p no'
      if -F '#{session_name}' 'display -p "#{pane_id}"'
      if true nosuch
      if true
      if true a b c
      if -t nosuch true 'display -p x'
      if -t nosuch -F 1 'display -p x'
      if true 'display -p a ; display -p b'
      if false nosuch 'display -p ok'
      wait-for
      wait-for -U foo
      wait -S bar
      wait-for bar
      wait -L baz
      wait -U baz
      wait -U baz
    `);
  });
});

describe('send-keys', () => {
  it('types text as it is and keys by their names', async () => {
    const server = await started();
    await server.run('send-keys', 'abc', 'Enter', '-x');
    expect(server.asked).toMatchObject([{ kind: 'key', key: 'Enter' }]);
    expect(typed(server)).toBe('abc-x');
    await server.run('send-keys', '-l', 'Enter', 'é\\;');
    expect(typed(server)).toBe('Enteré;');
    await server.run('send-keys', '-H', '41', '1b', 'zz', '100');
    expect(typed(server)).toBe('A\x1b');
    await server.run('send-keys', '-N', '3', 'ab');
    expect(typed(server)).toBe('ababab');
    await server.run('send-keys', '0x41', '0x20ac', 'MouseDown1Pane');
    expect(typed(server)).toBe('A€MouseDown1Pane');
  });

  it('keeps the order of text and keys', async () => {
    const server = await started();
    const written: string[] = [];
    const { services } = server;
    Object.assign(services, { sendKey: () => written.push(typed(server)) });
    await server.run('send-keys', 'a', 'Up', 'b');
    expect(written).toEqual(['a']);
    expect(typed(server)).toBe('b');
  });

  it('types into all panes of a window with synchronize-panes', async () => {
    const server = await started();
    await server.run('split-window', 'cat');
    await server.run('setw', 'synchronize-panes', 'on');
    await server.run('send-keys', '-l', 'both');
    expect(server.ptys.ptys.map((pty) => pty.takeWritten())).toEqual(['both', 'both']);
  });

  it("runs a mode's bindings for keys that go to a pane in a mode", async () => {
    const server = await started();
    await server.run('setw', '-g', 'mode-keys', 'vi');
    await server.run('copy-mode');
    await server.run('send-keys', 'q');
    expect(server.pane().mode).toBeUndefined();
    expect(typed(server)).toBe('');
  });

  it('gives a repeat count ahead to the next command of a mode', async () => {
    const server = await started();
    server.ptys.of(server.pane().id).emitData('one two three four');
    await server.run('copy-mode');
    await server.run('send-keys', '-N', '5');
    await server.run('send-keys', '-X', 'cursor-left');
    expect((await server.run('display', '-p', '#{copy_cursor_x}')).stdout).toBe('13\n');
    await server.run('send-keys', '-X', 'cursor-left');
    expect((await server.run('display', '-p', '#{copy_cursor_x}')).stdout).toBe('12\n');
  });

  it('resets the terminal with -R', async () => {
    const server = await started();
    server.ptys.of(server.pane().id).emitData('some text\x1b[?1000h');
    await server.run('send-keys', '-R');
    expect((await server.run('display', '-p', '#{mouse_any_flag}')).stdout).toBe('0\n');
  });
});

describe('run-shell', () => {
  it('shows output and a failure in view mode', async () => {
    const server = await started();
    await server.run('run-shell', 'echo out; exit 3');
    expect((await server.run('display', '-p', '#{pane_mode}')).stdout).toBe('view-mode\n');
    await server.run('send-keys', '-X', 'select-line');
    await server.run('send-keys', '-X', 'copy-selection');
    expect(server.registry.buffers.newest()?.text).toMatch(/^out/);
  });

  it('waits -d seconds before it begins', async () => {
    const server = await started();
    const call = server.run('run-shell', '-d', '5', '-C', 'set -g @done yes');
    await Promise.resolve();
    expect(server.clock.waiting).toBeGreaterThan(0);
    expect(server.registry.sessionOptions.string('@done')).toBe('');
    server.clock.advance(5000);
    await call;
    expect(server.registry.sessionOptions.string('@done')).toBe('yes');
  });
});

describe('wait-for', () => {
  it('wakes all that wait, in any order of signal and wait', async () => {
    const server = await started();
    const waiting = [server.run('wait-for', 'done'), server.run('wait-for', 'done')];
    await server.run('wait-for', '-S', 'done');
    expect(await Promise.all(waiting)).toMatchObject([{ code: 0 }, { code: 0 }]);
    await server.run('wait-for', '-S', 'early');
    expect(await server.run('wait-for', 'early')).toMatchObject({ code: 0 });
  });

  it('hands a lock from one to the next', async () => {
    const server = await started();
    const order: string[] = [];
    await server.run('wait-for', '-L', 'lock');
    const next = server.run('wait-for', '-L', 'lock').then(() => order.push('next'));
    order.push('unlocking');
    await server.run('wait-for', '-U', 'lock');
    await next;
    expect(order).toEqual(['unlocking', 'next']);
    expect(await server.run('wait-for', '-U', 'lock')).toMatchObject({ code: 0 });
    expect(await server.run('wait-for', '-U', 'lock')).toMatchObject({ code: 1 });
  });
});
