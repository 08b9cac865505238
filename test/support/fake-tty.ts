/** A terminal without a device: streams for the client, a headless xterm behind them, a process that takes signals. */
import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import type { Size } from '../../protocol/geometry.ts';
import { openScreen, screenText } from './screen-of.ts';

export function openFakeTty(size: Size) {
  let current = size;
  const screen = openScreen(size);
  const state = { isRaw: false, output: '', writes: 0, killed: [] as string[], isAnswering: true };
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(isRaw: boolean) {
      state.isRaw = isRaw;
    },
  });
  const stdout = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        state.output += chunk.toString('utf8');
        state.writes++;
        screen.write(chunk, () => done());
      },
    }),
    { isTTY: false, getWindowSize: (): [number, number] => [current.cols, current.rows] },
  );
  screen.onData((answer) => {
    if (state.isAnswering) stdin.write(answer);
  });
  const process = Object.assign(new EventEmitter(), {
    pid: 4242,
    kill(_pid: number, signal: string) {
      state.killed.push(signal);
    },
  });
  return {
    stdin,
    stdout,
    process,
    screen,
    state,
    text: () => screenText(screen),
    resize(next: Size) {
      current = next;
      screen.resize(next.cols, next.rows);
      process.emit('SIGWINCH');
    },
  };
}
