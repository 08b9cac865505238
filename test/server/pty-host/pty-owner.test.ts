import { afterEach, describe, expect, it } from 'vitest';
import { realDelay } from '../../../server/pty-host/delay.ts';
import type { ExitStatus } from '../../../server/pty-host/host-protocol.ts';
import { HANG_UP_GRACE_MS, PtyOwner } from '../../../server/pty-host/pty-owner.ts';
import { ManualClock } from '../../support/manual-delay.ts';

const SIZE = { cols: 80, rows: 24, pixelWidth: 0, pixelHeight: 0 };

let running: Program[] = [];

/** A program under test: what it printed, and conditions to wait for. */
class Program {
  readonly owner: PtyOwner;
  output = Buffer.alloc(0);
  exit: ExitStatus | undefined;
  isDone = false;
  refused = 0;
  drained = 0;
  onOutput = (): void => {};
  #waiting: (() => void)[] = [];

  constructor(script: string, delay = realDelay) {
    const env = [`PATH=${process.env.PATH}`, 'TERM=xterm'];
    this.owner = new PtyOwner(
      { file: 'sh', args: ['-c', script], env, cwd: '/', size: SIZE, delay },
      {
        output: (bytes) => {
          this.output = Buffer.concat([this.output, bytes]);
          this.onOutput();
          this.#wake();
        },
        exit: (status) => {
          this.exit = status;
          this.#wake();
        },
        inputFull: (refused) => {
          this.refused += refused;
        },
        inputDrained: () => {
          this.drained++;
          this.#wake();
        },
        done: () => {
          this.isDone = true;
          this.#wake();
        },
      },
    );
    running.push(this);
  }

  get text(): string {
    return this.output.toString('utf8');
  }

  async until(name: string, condition: () => boolean): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, 10_000);
    while (!condition()) {
      if (isLate) throw new Error(`waited for ${name}; output: ${JSON.stringify(this.text.slice(-500))}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    clearTimeout(timer);
  }

  ended(): Promise<void> {
    return this.until('the end', () => this.isDone);
  }

  printed(text: string): Promise<void> {
    return this.until(JSON.stringify(text), () => this.text.includes(text));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

afterEach(async () => {
  for (const program of running) {
    program.owner.kill('SIGKILL');
    await program.ended();
  }
  running = [];
});

describe('PtyOwner', () => {
  it('tells output, then the exit code', async () => {
    const program = new Program('printf hello; exit 7');
    await program.ended();
    expect(program.text).toBe('hello');
    expect(program.exit).toEqual({ code: 7, signal: null });
    expect(program.owner.exited).toBe(true);
  });

  it('names the signal that ended a program', async () => {
    const program = new Program('kill -TERM $$');
    await program.ended();
    expect(program.exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('hands on bytes that are not UTF-8 unchanged', async () => {
    const program = new Program("printf 'a\\377\\300\\200b'");
    await program.ended();
    expect([...program.output]).toEqual([0x61, 0xff, 0xc0, 0x80, 0x62]);
  });

  it('sets the tty up for UTF-8 and the size asked for', async () => {
    const program = new Program('tty; stty size; stty -a');
    await program.ended();
    expect(program.text).toContain(' iutf8');
    expect(program.text).toContain('24 80\r\n');
    expect(program.text.startsWith(`${program.owner.tty}\r\n`)).toBe(true);
  });

  it('resizes, pixels included', async () => {
    const program = new Program('trap "stty size; exit" WINCH; echo ready; while :; do read x; done');
    await program.printed('ready');
    program.owner.resize({ cols: 100, rows: 30, pixelWidth: 800, pixelHeight: 600 });
    await program.printed('30 100');
    expect(program.owner.size.pixelWidth).toBe(800);
  });

  it.each([1, 4096, 200_000, 2_000_000])('loses nothing of %i bytes printed just before the exit', async (size) => {
    const script = `head -c ${size} /dev/zero | tr '\\0' x`;
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const program = new Program(script);
        await program.ended();
        expect(program.output.length).toBe(size);
      }),
    );
  });

  it.each([1, 4096, 200_000, 2_000_000])(
    'loses nothing of %i bytes when the reading pauses all the time',
    async (size) => {
      for (let run = 0; run < 4; run++) {
        const program = new Program(`head -c ${size} /dev/zero | tr '\\0' x`);
        program.onOutput = () => {
          program.owner.setReading(false);
          setImmediate(() => program.owner.setReading(true));
        };
        await program.ended();
        expect(program.output.length).toBe(size);
      }
    },
  );

  it('hands over at the exit what was not read because of a pause', async () => {
    const program = new Program("head -c 3000 /dev/zero | tr '\\0' x");
    program.owner.setReading(false);
    await program.ended();
    expect(program.output.length).toBe(3000);
    expect(program.exit?.code).toBe(0);
  });

  it('does not read while paused', async () => {
    const program = new Program("echo first; read x; head -c 1000000 /dev/zero | tr '\\0' y; echo last");
    await program.printed('first');
    program.owner.setReading(false);
    program.owner.write(Buffer.from('\n'));
    const other = new Program('echo other');
    await other.ended();
    expect(program.text).not.toContain('yyy');
    program.owner.setReading(true);
    await program.printed('last');
    expect(program.text.split('y').length - 1).toBe(1_000_000);
  });

  it('gets a large paste through to a program that reads slowly', async () => {
    const size = 1 << 20;
    const program = new Program(`stty raw -echo; echo ready; head -c ${size} | cksum`);
    await program.printed('ready');
    const paste = Buffer.alloc(size, 'abcdefg');
    program.owner.write(paste);
    await program.ended();
    const sum = new Program(`yes abcdefg | tr -d '\\n' | head -c ${size} | cksum`);
    await sum.ended();
    expect(program.text.replace('ready', '').trim()).toBe(sum.text.trim());
  });

  it('does not touch the pty of another program after the exit', async () => {
    const first = new Program('exit 0');
    await first.ended();
    const second = new Program('echo ready; read line; stty size; echo "<$line>"');
    await second.printed('ready');
    first.owner.resize({ ...SIZE, cols: 11, rows: 7 });
    first.owner.write(Buffer.from('stolen\n'));
    first.owner.setReading(false);
    first.owner.close();
    second.owner.write(Buffer.from('typed\n'));
    await second.ended();
    expect(second.text).toContain('24 80\r\n<typed>');
  });

  it('kills a program that does not end at a hang-up, after the grace', async () => {
    const clock = new ManualClock();
    const program = new Program('trap "echo hup" HUP; echo ready; while :; do read x; done', clock.delay);
    await program.printed('ready');
    program.owner.hangUp();
    await program.printed('hup');
    clock.advance(HANG_UP_GRACE_MS - 1);
    expect(program.exit).toBeUndefined();
    clock.advance(1);
    await program.ended();
    expect(program.exit).toEqual({ code: null, signal: 'SIGKILL' });
    expect(clock.waiting).toBe(0);
  });

  it('wakes a stopped program to hang it up', async () => {
    const program = new Program('echo ready; kill -STOP $$; echo never');
    await program.printed('ready');
    program.owner.hangUp();
    await program.ended();
    expect(program.exit).toEqual({ code: null, signal: 'SIGHUP' });
  });

  it('sends a named signal to the whole process group and knows no other names', async () => {
    const program = new Program('sleep 60 & echo ready; wait; echo never');
    await program.printed('ready');
    expect(program.owner.kill('SIGNOTHING')).toBe(false);
    expect(program.owner.kill('SIGTERM')).toBe(true);
    await program.ended();
    expect(program.exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('ends a program that is killed right after its start', async () => {
    for (let run = 0; run < 20; run++) {
      const program = new Program('sleep 60');
      program.owner.kill('SIGKILL');
      await program.ended();
      expect(program.exit).toEqual({ code: null, signal: 'SIGKILL' });
    }
  });

  it('says only done after it was closed', async () => {
    const program = new Program('echo ready; read x; echo more');
    await program.printed('ready');
    program.owner.close();
    program.owner.write(Buffer.from('x\n'));
    await program.ended();
    expect(program.exit).toBeUndefined();
    expect(program.text).toBe('ready\r\n');
  });

  it('tells the exit of a program that had closed its terminal', async () => {
    const program = new Program('trap "" HUP; echo ready; exec 0<&- 1>&- 2>&-; sleep 0.1; exit 3');
    await program.ended();
    expect(program.text).toBe('ready\r\n');
    expect(program.exit).toEqual({ code: 3, signal: null });
  });
});
