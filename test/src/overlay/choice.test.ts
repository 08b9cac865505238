import { describe, expect, it } from 'vitest';
import type { InputEvent, MouseButton } from '../../../protocol/key.ts';
import { type ChoiceModel, createChoice, updateChoice, viewChoice } from '../../../src/overlay/choice.ts';
import { createMessage, type MessageModel, updateMessage, viewMessage } from '../../../src/overlay/message-box.ts';
import type { OverlayOutcome } from '../../../src/overlay/overlay.ts';

const SIZE = { cols: 40, rows: 10 };
const OPTIONS = Array.from({ length: 12 }, (_, index) => `option ${index + 1}`);

function press(model: ChoiceModel, keys: string): { model: ChoiceModel; outcome: OverlayOutcome } {
  let state: { model: ChoiceModel; outcome: OverlayOutcome } = { model, outcome: { kind: 'open' } };
  for (const key of keys.split(' ')) state = updateChoice(state.model, { kind: 'key', key }, SIZE);
  return state;
}

function mouse(button: MouseButton, x: number, y: number): InputEvent {
  return { kind: 'mouse', action: 'press', button, x, y, ctrl: false, meta: false, shift: false };
}

const OPEN = { kind: 'open' };

describe('a choice', () => {
  it.each([
    ['j', 1],
    ['Down Down Up', 1],
    ['k', 0],
    ['G', 11],
    ['End g', 0],
    ['G j', 11],
    ['End Home', 0],
    ['3', 2],
    ['0', 9],
    ['KP4', 3],
    ['NPage', 6],
    ['NPage NPage PPage', 5],
    ['C-n C-n C-p', 1],
    ['Tab Tab BTab', 1],
    ['x J M-q', 0],
  ])('moves its highlight by %s to index %i', (keys, index) => {
    const { model, outcome } = press(createChoice({ options: OPTIONS }), keys);
    expect(model.highlight).toBe(index);
    expect(outcome).toEqual(OPEN);
  });

  it('confirms by Enter only: a digit just moves', () => {
    const model = createChoice({ options: ['a', 'b'], highlight: 1 });
    expect(press(model, '1').outcome).toEqual(OPEN);
    expect(press(model, 'Enter').outcome).toEqual({ kind: 'accept', value: 1 });
    expect(press(model, '9').model.highlight).toBe(1);
    expect(press(model, 'Escape').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    expect(press(model, 'q').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    expect(press(model, 'C-c').outcome).toEqual({ kind: 'dismiss', by: 'interrupt' });
    expect(updateChoice(model, { kind: 'paste', text: '1\n' }, SIZE)).toEqual({ model, outcome: OPEN });
  });

  it('answers at once by a letter that an option has, in either case, and by no letter of another choice', () => {
    const model = createChoice({ options: ['Yes', 'No'], highlight: 1, keys: ['y', 'n'] });
    expect(press(model, 'y').outcome).toEqual({ kind: 'accept', value: 0 });
    expect(press(model, 'N').outcome).toEqual({ kind: 'accept', value: 1 });
    expect(press(model, '1').outcome).toEqual(OPEN);
    expect(press(createChoice({ options: ['Yes', 'No'] }), 'y n').outcome).toEqual(OPEN);
    expect(updateChoice(model, { kind: 'paste', text: 'y' }, SIZE).outcome).toEqual(OPEN);
  });

  it('shows an option that is out of sight before its letter answers', () => {
    const model = createChoice({ options: OPTIONS, keys: [...'abcdefhilmno'] });
    const first = press(model, 'o');
    expect(first).toMatchObject({ outcome: OPEN, model: { highlight: 11 } });
    expect(press(first.model, 'o').outcome).toEqual({ kind: 'accept', value: 11 });
  });

  it('selects by click and confirms by a click on what is selected', () => {
    const model = createChoice({ options: ['a', 'b', 'c'] });
    const { rect, cursor } = viewChoice(model, SIZE);
    const second = mouse('left', rect.x + 3, cursor!.y + 1);
    const clicked = updateChoice(model, second, SIZE);
    expect(clicked.model.highlight).toBe(1);
    expect(clicked.outcome).toEqual(OPEN);
    expect(updateChoice(clicked.model, second, SIZE).outcome).toEqual({ kind: 'accept', value: 1 });
    expect(updateChoice(model, mouse('left', 0, 0), SIZE)).toEqual({ model, outcome: OPEN });
    expect(updateChoice(model, mouse('right', rect.x + 3, cursor!.y), SIZE).outcome).toEqual(OPEN);
  });

  it('scrolls by wheel without moving the highlight, and confirms nothing that is out of sight', () => {
    const model = createChoice({ options: OPTIONS });
    const { rect, cursor } = viewChoice(model, SIZE);
    const down = mouse('wheel-down', rect.x + 3, cursor!.y);
    let state = updateChoice(model, down, SIZE);
    state = updateChoice(state.model, down, SIZE);
    expect(state.model).toMatchObject({ highlight: 0, optionsTop: 2 });
    expect(viewChoice(state.model, SIZE).cursor!.visible).toBe(false);
    const enter = press(state.model, 'Enter');
    expect(enter.outcome).toEqual(OPEN);
    expect(viewChoice(enter.model, SIZE).cursor!.visible).toBe(true);
    expect(press(enter.model, 'Enter').outcome).toEqual({ kind: 'accept', value: 0 });
  });

  it('scrolls a long body on its own', () => {
    const model = createChoice({ options: ['a', 'b'], body: 'line\n'.repeat(30) });
    expect(press(model, 'J J K').model.bodyTop).toBe(1);
    expect(updateChoice(model, mouse('wheel-down', 0, 0), SIZE).model.bodyTop).toBe(1);
    expect(press(model, 'K').model.bodyTop).toBe(0);
  });
});

describe('a message', () => {
  const press1 = (model: MessageModel, key: string) => updateMessage(model, { kind: 'key', key }, SIZE);

  it('is acknowledged by Enter or a click on OK, dismissed by Escape and q, interrupted by C-c', () => {
    const model = createMessage({ body: 'Done' });
    expect(press1(model, 'Enter').outcome).toEqual({ kind: 'accept', value: null });
    expect(press1(model, 'Escape').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    expect(press1(model, 'q').outcome).toEqual({ kind: 'dismiss', by: 'escape' });
    expect(press1(model, 'C-c').outcome).toEqual({ kind: 'dismiss', by: 'interrupt' });
    expect(press1(model, 'Space').outcome).toEqual(OPEN);
    const { cursor } = viewMessage(model, SIZE);
    expect(updateMessage(model, mouse('left', cursor!.x, cursor!.y), SIZE).outcome).toMatchObject({ kind: 'accept' });
    expect(updateMessage(model, mouse('left', cursor!.x, cursor!.y - 1), SIZE).outcome).toEqual(OPEN);
  });

  it('scrolls', () => {
    let model = createMessage({ body: 'line\n'.repeat(30) });
    const top = (key: string) => {
      model = press1(model, key).model;
      return model.bodyTop;
    };
    expect([top('j'), top('Down'), top('k'), top('NPage'), top('PPage')]).toEqual([1, 2, 1, 6, 1]);
    expect([top('G'), top('g')]).toEqual([25, 0]);
  });
});
