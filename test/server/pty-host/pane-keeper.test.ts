import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realSystem } from '../../../server/pty-host/headroom.ts';
import { REST_MS } from '../../../server/pty-host/hidden-panes.ts';
import { FrameDecoder } from '../../../server/pty-host/host-frame.ts';
import { decodeReport } from '../../../server/pty-host/host-protocol.ts';
import { PaneKeeper } from '../../../server/pty-host/pane-keeper.ts';
import { ManualClock } from '../../support/manual-delay.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Pieces of output after input that are read at once. */
const ANSWERS = 8;
let directory: string;
let clock: ManualClock;
let keeper: PaneKeeper;
/** Buffers that went to the server. */
let sent: number;
/** Each pane's output so far. */
let texts: Record<number, string>;
/** How often the keeper said that it has caught up. */
let caughtUp: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keeper-'));
  clock = new ManualClock();
  sent = 0;
  texts = {};
  caughtUp = 0;
  keeper = new PaneKeeper({ delay: clock.delay, system: realSystem, log: () => {}, onFewer: () => {} });
  const decoder = new FrameDecoder();
  keeper.connect((frame) => {
    sent++;
    for (const part of decoder.push(frame)) {
      const report = decodeReport(part);
      if (report?.kind === 'caught-up') caughtUp++;
      if (report?.kind === 'data')
        texts[report.pane] = (texts[report.pane] ?? '') + Buffer.from(report.bytes).toString();
    }
  });
});

afterEach(() => {
  keeper.closeAll();
  rmSync(directory, { recursive: true, force: true });
});

/** A program that says `got` and makes a file for each SIGUSR1, and `line TEXT` for each line of input. */
async function start(pane: number): Promise<void> {
  const script = `trap 'n=$((n+1)); echo got $n; touch ${directory}/${pane}.$n' USR1
    stty -echo; n=0; echo ready; while :; do if read x; then echo line $x; fi; done`;
  const size = { cols: 80, rows: 24, pixelWidth: 0, pixelHeight: 0 };
  const env = [`PATH=${process.env.PATH}`, `HOME=${directory}`];
  keeper.handle({ kind: 'spawn', pane, argv: ['sh', '-c', script], env, cwd: '/', size });
  await has(pane, 'ready');
}

/** The n-th time that the pane prints of its own accord; the kernel has it when this is done. */
async function poke(pane: number, n: number): Promise<void> {
  keeper.handle({ kind: 'kill', pane, signal: 'SIGUSR1' });
  await waitUntil(`output ${n}`, () => existsSync(`${directory}/${pane}.${n}`));
}

/** The same, once the server has it. */
async function printed(pane: number, n: number): Promise<void> {
  await poke(pane, n);
  await has(pane, `got ${n}`);
}

const has = (pane: number, text: string) => waitUntil(text, () => texts[pane]?.includes(`${text}\r\n`) === true);

describe('a pane that nobody looks at', () => {
  beforeEach(async () => {
    await start(1);
    await start(2);
    keeper.handle({ kind: 'pace', pane: 1, isHidden: true });
    // Output that may still answer input does not make it rest.
    for (let n = 1; n <= ANSWERS; n++) await printed(1, n);
  });

  it('is read at once after quiet, and then not before the next common reading', async () => {
    await printed(1, ANSWERS + 1);
    await poke(1, ANSWERS + 2);
    await poke(1, ANSWERS + 3);
    // What comes after it from somebody else shows that it was not read.
    await printed(2, 1);
    expect(texts[1]).not.toContain(`got ${ANSWERS + 2}`);
    const before = sent;
    clock.advance(REST_MS);
    expect(texts[1]).toContain(`got ${ANSWERS + 2}\r\ngot ${ANSWERS + 3}`);
    expect(sent).toBe(before + 1);
  });

  it('is read in the turn in which the server asks to catch up, and the word of it comes last', async () => {
    await printed(1, ANSWERS + 1);
    await poke(1, ANSWERS + 2);
    keeper.handle({ kind: 'catch-up' });
    expect(texts[1]).toContain(`got ${ANSWERS + 2}`);
    expect(caughtUp).toBe(1);
  });

  it('answers input at once', async () => {
    await printed(1, ANSWERS + 1);
    keeper.handle({ kind: 'write', pane: 1, bytes: Buffer.from('a\n') });
    await has(1, 'line a');
    keeper.handle({ kind: 'write', pane: 1, bytes: Buffer.from('b\n') });
    await has(1, 'line b');
  });

  it('is read again when somebody looks', async () => {
    await printed(1, ANSWERS + 1);
    await poke(1, ANSWERS + 2);
    keeper.handle({ kind: 'pace', pane: 1, isHidden: false });
    await has(1, `got ${ANSWERS + 2}`);
    await printed(1, ANSWERS + 3);
  });

  it('is read to the end when its program ends, before the end is told', async () => {
    await printed(1, ANSWERS + 1);
    await poke(1, ANSWERS + 2);
    keeper.handle({ kind: 'kill', pane: 1, signal: 'SIGKILL' });
    await waitUntil('its end', () => keeper.running === 1);
    expect(texts[1]).toContain(`got ${ANSWERS + 2}`);
  });
});
