import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasReference, type Side, Sides, until } from './sides.ts';

/** A control mode client of one program. */
class ControlProgram {
  text = '';
  code: number | undefined;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #side: Side;

  constructor(side: Side, argv: readonly string[]) {
    this.#side = side;
    const [file, ...first] = side.programArgv();
    this.#child = spawn(file, [...first, ...argv], { cwd: side.home, env: side.env });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
    });
    this.#child.on('close', (code) => {
      this.code = code ?? -1;
    });
  }

  send(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  end(): void {
    this.#child.stdin.end();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Waits until what came matches. */
  seen(pattern: RegExp): Promise<void> {
    return until(`${pattern} of ${this.#side.name} in\n${this.text}`, async () => pattern.test(this.text)).catch(() => {
      throw new Error(`${this.#side.name} did not show ${pattern}:\n${this.text}`);
    });
  }

  /** All that came, without times, numbers and the process's id. */
  transcript(): string {
    const text = this.text.replace(/^(%(?:begin|end|error)) \d+ \d+ /gm, '$1 ').replace(/client-\d+/g, 'client-PID');
    return this.#side.normalise(text);
  }
}

describe.skipIf(!hasReference())('control mode says what tmux 3.3a says', () => {
  let sides: Sides;
  let programs: ControlProgram[];
  beforeEach(() => {
    sides = new Sides();
    programs = [];
  });
  afterEach(async () => {
    for (const program of programs) program.kill();
    await sides.stop();
  });

  function start(side: Side, ...argv: string[]): ControlProgram {
    const program = new ControlProgram(side, argv);
    programs.push(program);
    return program;
  }

  /** Sends lines one by one, each when the reply of the one before has come, and compares all that was said. */
  async function same(argv: readonly string[], lines: readonly string[], last?: RegExp): Promise<void> {
    const transcripts = await sides.each(async (side) => {
      const program = start(side, ...argv);
      await program.seen(/^%session-changed.*\n/m);
      for (const [index, line] of lines.entries()) {
        const blocks = (program.text.match(/^%(?:end|error) /gm) ?? []).length;
        program.send(line);
        await until(`the reply to ${line}`, async () => {
          return (program.text.match(/^%(?:end|error) /gm) ?? []).length > blocks;
        });
        // A mark that is told after all that the line caused.
        program.send(`display-message -p mark-${index}`);
        await program.seen(new RegExp(`mark-${index}\\n%end .*\\n`));
      }
      if (last) await program.seen(last);
      program.end();
      await until('the end', async () => program.code !== undefined);
      return `${program.transcript()}exit ${program.code}`;
    });
    expect(transcripts[1]?.answer).toBe(transcripts[0]?.answer);
  }

  const NEW = ['-C', 'new-session', '-s', 'one', '-n', 'w', '-x', '80', '-y', '24', 'cat'];

  it('about replies and mistakes', () =>
    same(NEW, [
      'display-message -p hello',
      'display-message hello',
      'nonsense',
      'has-session -t nope',
      'display-message -p a ; display-message -p b',
      'display-message -p a ; nonsense',
      'display-message -p a ; has-session -t nope ; display-message -p b',
      'if-shell -F 1 { display-message -p x ; display-message -p y }',
      'set -g @x {',
      '%if 1',
      'list-windows',
      "list-clients -F '#{client_control_mode} #{client_width} #{client_height} #{client_tty} #{client_flags}'",
    ]));

  it('about windows and panes', () =>
    same(NEW, [
      'set-option -g automatic-rename off',
      'new-window -d -n two cat',
      'select-window -t 1',
      'rename-window three',
      'split-window -h cat',
      'select-pane -t 0',
      'resize-pane -t 0 -R 5',
      'resize-pane -Z',
      'resize-pane -Z',
      'swap-pane -U',
      'break-pane -d',
      'kill-window -t 2',
      'link-window -s one:0 -t one:7',
      'unlink-window -t one:7',
      'copy-mode',
      'send-keys -X cancel',
      'select-layout even-horizontal',
      'kill-window -t 1',
    ]));

  it('about sessions', () =>
    same(NEW, [
      'rename-session x',
      'new-session -d -s other -n n cat',
      'new-window -d -t other: -n ow cat',
      'rename-window -t other:1 owx',
      'kill-window -t other:1',
      'switch-client -t other',
      'switch-client -t x',
      'kill-session -t other',
      'set-buffer hi',
    ]));

  it('about sessions that it makes at its own size, hooks and a pane that is alone', () =>
    same(NEW, [
      'refresh-client -C 100x30',
      'new-session -d -s other -n n cat',
      "list-windows -a -F '#{session_name} #{window_layout}'",
      'switch-client -t other',
      'resize-pane -Z',
      'resize-pane -Z',
      "set-hook -g after-set-buffer 'display-message -p hooked'",
      'set-buffer hi',
    ]));

  it('about its size', () =>
    same(NEW, [
      'refresh-client -C 100x30',
      'refresh-client -C abc',
      'refresh-client -C 0x0',
      'refresh-client -C 90,20',
      'refresh-client -C @0:50x20',
      'refresh-client -C @0:',
      'refresh-client -f no-output,pause-after=5',
      "list-clients -F '#{client_flags}'",
      'refresh-client -f !no-output,!pause-after,wait-exit',
      "list-clients -F '#{client_flags}'",
      'refresh-client -f !wait-exit',
    ]));

  it('about the contents of a buffer, as lines', () =>
    same(NEW, [
      'set-buffer hello',
      'show-buffer',
      String.raw`set-buffer "a\tb\e[31m\001 c\\d\n\nsecond\n"`,
      'show-buffer',
    ]));

  it('about lines of several commands, hooks and panes that move, in this order', () =>
    same(NEW, [
      'set-option -g automatic-rename off',
      'new-window -d -n two cat ; rename-window a ; new-session -d -s other -n n cat',
      "set-hook -g after-new-window 'display-message -p hooked'",
      'new-window -n r cat ; display-message -p x',
      'set-hook -gu after-new-window',
      'join-pane -s two -t :0',
      'run-shell true ; rename-window b',
      'split-window -t other: cat',
      'select-pane -t other:.0',
      'kill-pane -t other:.0',
      'detach-client -s nothing',
      'kill-session -t other',
    ]));

  it('about the sizes of windows that are not the current one', () =>
    same(NEW, [
      'new-window -d -n two cat',
      'refresh-client -C 100x30',
      'refresh-client -C @1:70x20',
      'refresh-client -C @1:',
      "list-windows -F '#{window_name} #{window_width}x#{window_height}'",
    ]));

  it('when its session ends by another', async () => {
    const transcripts = await sides.each(async (side) => {
      const program = start(side, ...NEW);
      await program.seen(/^%session-changed.*\n/m);
      await side.call(['new-session', '-d', '-s', 'other', '-n', 'n', 'cat']);
      await program.seen(/^%unlinked-window-add.*\n%sessions-changed/m);
      await side.call(['kill-session', '-t', 'one']);
      await until('the end', async () => program.code !== undefined);
      return `${program.transcript()}exit ${program.code}`;
    });
    expect(transcripts[1]?.answer).toBe(transcripts[0]?.answer);
  });

  it('about what it has subscribed to', () =>
    same(
      NEW,
      [
        'refresh-client -B "n1::#{session_name}"',
        'refresh-client -B "n2:%*:#{pane_id}"',
        'refresh-client -B "n3:@*:#{window_name}"',
        'refresh-client -B "n4:%0:#{pane_id}"',
        'refresh-client -B gone::x',
        'refresh-client -B gone',
      ],
      /subscription-changed n4 .*\n/,
    ));

  it('about panes whose output it switches, though tmux tells of it within the reply', async () => {
    const answers = await sides.each(async (side) => {
      const program = start(side, ...NEW);
      await program.seen(/^%session-changed.*\n/m);
      for (const state of ['pause', 'continue', 'off', 'on']) program.send(`refresh-client -A '%0:${state}'`);
      program.send("refresh-client -A '%99:on'");
      program.send('refresh-client -A bad');
      program.end();
      await until('the end', async () => program.code !== undefined);
      return program.transcript().split('\n').sort();
    });
    expect(answers[1]?.answer).toEqual(answers[0]?.answer);
  });

  it('about other clients', async () => {
    const transcripts = await sides.each(async (side) => {
      const first = start(side, ...NEW);
      await first.seen(/^%session-changed.*\n/m);
      first.send('new-session -d -s two -n n cat');
      await first.seen(/^%sessions-changed\n(?:.*\n)*%sessions-changed\n/m);
      const second = start(side, '-C', 'attach-session', '-t', 'one');
      await second.seen(/^%session-changed.*\n/m);
      await first.seen(/%client-session-changed \S+ \$0 one\n/);
      second.send('switch-client -t two');
      await first.seen(/%client-session-changed \S+ \$1 two\n/);
      second.end();
      await first.seen(/%client-detached \S+\n/);
      first.end();
      await until('the end', async () => first.code !== undefined && second.code !== undefined);
      return `${first.transcript()}---\n${second.transcript()}`;
    });
    expect(transcripts[1]?.answer).toBe(transcripts[0]?.answer);
  });

  it('about the output of panes', async () => {
    const outputs = await sides.each(async (side) => {
      const program = start(side, ...NEW);
      await program.seen(/^%session-changed.*\n/m);
      program.send("send-keys 'h\\i é' Enter");
      // The terminal's echo and cat's copy.
      await program.seen(/\\012[\s\S]*\\012\n/);
      program.end();
      const parts = [...program.text.matchAll(/^%output %0 (.*)$/gm)].map((match) => match[1]);
      return parts.join('');
    });
    expect(outputs[1]?.answer).toBe(outputs[0]?.answer);
  });

  it.each([
    ['a command that needs no session', ['-C', 'list-sessions']],
    ['a session that is not there', ['-C', 'attach-session', '-t', 'none']],
  ])('about %s', async (_what, argv) => {
    await sides.start(['new-session', '-d', '-s', 'one', 'cat']);
    const answers = await sides.each(async (side) => {
      const program = start(side, ...argv);
      await until('the end', async () => program.code !== undefined);
      return `${program.transcript()}exit ${program.code}`;
    });
    expect(answers[1]?.answer).toBe(answers[0]?.answer);
  });

  it('about its end by an empty line, a detach and the end of the server', async () => {
    for (const how of ['empty line', 'detach', 'kill-server']) {
      const answers = await sides.each(async (side) => {
        const program = start(side, ...NEW);
        await program.seen(/^%session-changed.*\n/m);
        if (how === 'empty line') program.send('');
        else if (how === 'detach') program.send('detach-client');
        else await side.call(['kill-server']);
        await until('the end', async () => program.code !== undefined);
        await side.call(['kill-server']);
        return program.transcript();
      });
      expect(answers[1]?.answer).toBe(answers[0]?.answer);
    }
  });

  it('about its end with wait-exit, which waits for an empty line', async () => {
    const answers = await sides.each(async (side) => {
      const program = start(side, ...NEW);
      await program.seen(/^%session-changed.*\n/m);
      program.send('refresh-client -f wait-exit');
      program.send('detach-client');
      await program.seen(/^%exit\n/m);
      expect(program.code).toBe(undefined);
      program.send('');
      await until('the end', async () => program.code !== undefined);
      return program.transcript();
    });
    expect(answers[1]?.answer).toBe(answers[0]?.answer);
  });

  it('about its end with wait-exit where no line can come', async () => {
    const answers = await sides.each(async (side) => {
      const program = start(side, ...NEW);
      await program.seen(/^%session-changed.*\n/m);
      program.send('refresh-client -f wait-exit');
      program.send('display-message -p set');
      await program.seen(/^set\n%end/m);
      program.end();
      await until('the end', async () => program.code !== undefined);
      return program.transcript();
    });
    expect(answers[1]?.answer).toBe(answers[0]?.answer);
  });

  it('about -CC, which is wrapped in a device control string', async () => {
    const answers = await sides.each(async (side) => {
      const client = await side.attach(['-CC', 'new-session', '-s', 'one', '-n', 'w', 'cat'], { cols: 80, rows: 24 });
      await until('the start', async () => client.bytes.includes('%session-changed'));
      client.type('display-message -p hello\r');
      await until('the reply', async () => client.bytes.includes('hello\r\n%end'));
      client.type('detach-client\r');
      await until('the end', async () => client.bytes.includes('%exit'));
      await until('the last of it', async () => client.isDone);
      return client.bytes.replace(/(%(?:begin|end)) \d+ \d+ /g, '$1 ');
    });
    expect(answers[1]?.answer).toBe(answers[0]?.answer);
  });
});
