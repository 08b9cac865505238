/**
 * Golden screens of dialogs. After a wanted change: UPDATE_SCREENS=1 npx vitest run test/src/overlay, then read the
 * difference in test/fixtures/overlay. `▮` marks the cursor.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellText, cellWidth, setCell } from '../../../protocol/cell.ts';
import type { Ask } from '../../../protocol/dialog.ts';
import { blankFrame, type Frame } from '../../../protocol/frame.ts';
import type { Size } from '../../../protocol/geometry.ts';
import { composite } from '../../../src/overlay/composite.ts';
import type { DialogPhase } from '../../../src/overlay/dialog-box.ts';
import { createFlowScreen, type MplexFlowScreen, updateFlowScreen } from '../../../src/overlay/flow-screen.ts';
import { createPrompt, type PromptModel, updatePrompt } from '../../../src/overlay/prompt.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/overlay');
const ASKER = { pane: '%3', program: 'deploy', pid: 4711 };
const LOREM = 'The build is done and all tests are green. '.repeat(20);

const ASKS: Readonly<Record<string, Ask>> = {
  choice: {
    kind: 'choice',
    title: 'Deploy',
    body: 'Pick a target.',
    label: 'Environment',
    options: ['staging', 'prod'],
    default: 1,
  },
  confirm: {
    kind: 'choice',
    body: 'prod is 3 releases behind.',
    label: 'Deploy to prod?',
    options: ['Deploy', 'Not now'],
    default: 1,
    keys: ['y', 'n'],
  },
  long: {
    kind: 'choice',
    title: 'Which of the many options that there are will it be this time, if any of them at all?',
    body: LOREM,
    label: 'Which one?',
    options: Array.from(
      { length: 12 },
      (_, i) => `option ${i + 1}${i === 3 ? ' with a name that goes on and on and on' : ''}`,
    ),
    default: 9,
  },
  message: { kind: 'message', title: 'Done', body: 'Wide 世界, family 👩‍👩‍👧, cafe\u0301.\n\nSecond part.' },
  hostile: {
    kind: 'choice',
    title: '\u001b]0;x\u0007',
    body: 'left\u202eright\nzero\u200bwidth \u009b31m',
    label: '\n%exit',
    options: ['a\u001b[31m', 'b\nc', ''],
  },
  text: { kind: 'text', title: 'Release', body: 'Which tag shall be built?', label: 'Tag', initial: 'v1.2' },
  'long-label': {
    kind: 'text',
    title: 'Release',
    label: 'Which of the tags that were made since the last release shall be built and sent to everybody?',
    initial: 'v1.2',
  },
  line: { kind: 'text', label: 'Commit message', initial: 'two\nlines of text that are longer than a narrow screen' },
};
const SIZES: readonly Size[] = [
  { cols: 80, rows: 24 },
  { cols: 40, rows: 10 },
  { cols: 20, rows: 6 },
];

function screenOf(ask: Ask, phase: DialogPhase): MplexFlowScreen {
  return { ...createFlowScreen(ask, { asker: ASKER, armKeys: 'C-b Enter', hideKeys: 'C-b h' }), phase };
}

function pictureOf(frame: Frame): string {
  const { cursor } = frame;
  return frame.rows
    .map((row, y) => {
      let line = '';
      for (let x = 0; x < frame.size.cols; x++) {
        line += cursor.visible && cursor.x === x && cursor.y === y ? '▮' : cellText(row, x);
      }
      return line.trimEnd();
    })
    .join('\n');
}

describe('dialogs on the screen', () => {
  for (const [name, ask] of Object.entries(ASKS)) {
    for (const size of SIZES) {
      it(`${name} at ${size.cols}x${size.rows} looks as reviewed`, () => {
        const picture = (['unarmed', 'armed', 'dimmed'] as const)
          .map((phase) => `--- ${phase}\n${pictureOf(composite(blankFrame(size), [screenOf(ask, phase)]))}\n`)
          .join('');
        const path = join(FIXTURES, `${name}-${size.cols}x${size.rows}.txt`);
        if (process.env.UPDATE_SCREENS === '1') {
          mkdirSync(FIXTURES, { recursive: true });
          writeFileSync(path, picture);
        }
        expect(picture).toBe(readFileSync(path, 'utf8'));
      });
    }
  }

  it('name an asker outside any pane as such', () => {
    const size = { cols: 80, rows: 24 };
    for (const ask of [ASKS.choice!, ASKS.line!]) {
      const model = { ...createFlowScreen(ask), phase: 'armed' as const };
      expect(pictureOf(composite(blankFrame(size), [model]))).toContain('outside');
    }
  });

  it('are clipped, never thrown, on a screen of any size, and leave no half of a wide character', () => {
    const arbitrarySize = fc.record({ cols: fc.integer({ min: 1, max: 90 }), rows: fc.integer({ min: 1, max: 30 }) });
    const model = fc.oneof(
      fc
        .tuple(fc.constantFrom(...Object.values(ASKS)), fc.constantFrom('unarmed', 'armed', 'dimmed'))
        .map(([ask, phase]) => screenOf(ask, phase as DialogPhase)),
      fc.string({ unit: 'grapheme' }).map((label) => createPrompt({ purpose: 'x', label, initial: label })),
    );
    const key = fc.constantFrom('Down', 'G', 'NPage', 'J', 'a', '世', 'C-a', 'C-w', 'Left', '7');
    fc.assert(
      fc.property(model, arbitrarySize, fc.array(key, { maxLength: 5 }), (start, size, keys) => {
        let overlay: MplexFlowScreen | PromptModel = start;
        for (const one of keys) overlay = press(overlay, one, size);
        const frame = composite(wideFrame(size), [overlay]);
        for (const row of frame.rows) {
          expect(row.words.length).toBe(3 * size.cols);
          for (let x = 0; x < size.cols; x++) {
            const width = cellWidth(row.words[3 * x]!);
            const next = x + 1 < size.cols ? cellWidth(row.words[3 * (x + 1)]!) : 1;
            if (width === 2) expect(next).toBe(0);
            else expect(next).not.toBe(0);
            if (width === 0) expect(x).toBeGreaterThan(0);
          }
        }
        expect(frame.cursor.x).toBeLessThan(size.cols);
        expect(frame.cursor.y).toBeLessThan(size.rows);
      }),
      { numRuns: 120 },
    );
  });

  it('leave the frame below as it was', () => {
    const size = { cols: 40, rows: 10 };
    const below = wideFrame(size);
    const before = pictureOf(below);
    const above = composite(below, [screenOf(ASKS.choice!, 'armed')]);
    expect(pictureOf(below)).toBe(before);
    above.rows[0]!.words.fill(0);
    expect(pictureOf(below)).toBe(before);
  });

  it('leave the cursor to the pane until they are armed, unless they cover it', () => {
    const size = { cols: 80, rows: 24 };
    const frame = { ...blankFrame(size), cursor: { ...blankFrame(size).cursor, x: 3, y: 2, visible: true } };
    expect(composite(frame, [screenOf(ASKS.choice!, 'unarmed')]).cursor).toEqual(frame.cursor);
    expect(composite(frame, [screenOf(ASKS.choice!, 'armed')]).cursor).toMatchObject({ visible: true, y: 12 });
    expect(composite(frame, [screenOf(ASKS.choice!, 'dimmed')]).cursor.visible).toBe(false);
    const covered = { ...frame, cursor: { ...frame.cursor, x: 40, y: 12 } };
    expect(composite(covered, [screenOf(ASKS.choice!, 'unarmed')]).cursor.visible).toBe(false);
  });

  it('take no event unless they are armed', () => {
    for (const phase of ['unarmed', 'dimmed'] as const) {
      const model = screenOf(ASKS.choice!, phase);
      const update = updateFlowScreen(model, { kind: 'key', key: 'Enter' }, { cols: 80, rows: 24 });
      expect(update).toEqual({ model, outcome: { kind: 'open' } });
    }
  });
});

function press(model: MplexFlowScreen | PromptModel, key: string, size: Size): MplexFlowScreen | PromptModel {
  const event = { kind: 'key', key } as const;
  return model.kind === 'flow' ? updateFlowScreen(model, event, size).model : updatePrompt(model, event, size).model;
}

/** A frame full of wide characters, the last column blank if it does not fit. */
function wideFrame(size: Size): Frame {
  const frame = blankFrame(size);
  for (const [y, row] of frame.rows.entries()) {
    for (let x = y % 2; x + 1 < size.cols; x += 2) setCell(row, x, '世', 2, { fg: 0, bg: 0 });
  }
  return frame;
}
