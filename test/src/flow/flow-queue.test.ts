import { describe, expect, it } from 'vitest';
import type { DialogResult } from '../../../protocol/dialog.ts';
import { parseFlowLimits } from '../../../src/flow/flow.ts';
import { CHOICE, FlowWorld, MESSAGE, START, TEXT } from '../../support/flow-world.ts';

describe('a question', () => {
  it('is shown unarmed, armed after half a second without a key, and answered by Enter', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const flow = world.queue.show(CHOICE);
    expect(client.shown?.phase).toBe('unarmed');
    expect(client.shown?.asker).toEqual({ pane: '%1', program: 'bash', pid: 7 });
    world.arm(client);
    expect(client.shown?.phase).toBe('armed');
    expect(world.keys(client, 'j Enter')).toEqual(['consumed', 'consumed']);
    expect(world.result(flow)).toEqual({ done: true, outcome: 'ok', value: 1, by: 'key' });
  });

  it('is answered with a text, an acknowledgement, a dismissal or an interrupt', () => {
    const cases = [
      [TEXT, 'v 1 Enter', { done: true, outcome: 'ok', value: 'v1', by: 'key' }],
      [TEXT, 'Enter', { done: true, outcome: 'ok', value: '', by: 'key' }],
      [TEXT, 'q Enter', { done: true, outcome: 'ok', value: 'q', by: 'key' }],
      [MESSAGE, 'Enter', { done: true, outcome: 'ok', value: null, by: 'key' }],
      [CHOICE, 'q', { done: true, outcome: 'cancelled', by: 'escape' }],
      [TEXT, 'a Escape', { done: true, outcome: 'cancelled', by: 'escape' }],
      [MESSAGE, 'C-c', { done: true, outcome: 'cancelled', by: 'interrupt' }],
    ] as const;
    for (const [ask, keys, outcome] of cases) {
      const world = new FlowWorld();
      const client = world.attach();
      const flow = world.queue.show(ask);
      world.arm(client);
      world.keys(client, keys);
      expect(world.result(flow)).toEqual(outcome);
    }
  });

  it('passes keys and pastes to the pane until it is armed, and starts the time again at each', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const flow = world.queue.show(CHOICE);
    expect(world.keys(client, 'Enter')).toEqual(['pass']);
    world.queue.painted(client);
    world.clock.advance(499);
    expect(world.queue.key(client, { kind: 'paste', text: 'y\n' })).toBe('pass');
    world.clock.advance(499);
    expect(world.keys(client, 'y Enter')).toEqual(['pass', 'pass']);
    world.clock.advance(499);
    world.queue.noteKey(client);
    world.clock.advance(499);
    expect(client.shown?.phase).toBe('unarmed');
    world.clock.advance(1);
    expect(client.shown?.phase).toBe('armed');
    expect(world.result(flow)).toEqual({ done: false, state: 'shown' });
  });

  it('is not delayed by a moving mouse, and focus always passes', () => {
    const world = new FlowWorld();
    const client = world.attach();
    world.queue.show(CHOICE);
    world.queue.painted(client);
    const mouse = { kind: 'mouse', button: 'none', x: 1, y: 1, ctrl: false, meta: false, shift: false } as const;
    for (let i = 0; i < 5; i++) {
      expect(world.queue.key(client, { ...mouse, action: 'motion' })).toBe('pass');
      world.clock.advance(100);
    }
    expect(client.shown?.phase).toBe('armed');
    expect(world.queue.key(client, { kind: 'focus', focused: true })).toBe('pass');
  });

  it('is armed at once by the person, but not before it was painted', () => {
    const world = new FlowWorld();
    const client = world.attach();
    world.queue.show(CHOICE);
    expect(world.queue.armNow(client)).toBe(false);
    world.queue.painted(client);
    expect(world.queue.armNow(client)).toBe(true);
    expect(world.queue.armNow(client)).toBe(false);
    expect(world.keys(client, 'Enter')).toEqual(['consumed']);
  });

  it('times out from its first paint on, with no value', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const flow = world.queue.show({ ...CHOICE, timeout: 2.5 });
    world.clock.advance(60_000);
    expect(world.result(flow)).toMatchObject({ state: 'shown' });
    world.queue.painted(client);
    world.clock.advance(2499);
    expect(world.result(flow)).toMatchObject({ done: false });
    world.clock.advance(1);
    expect(world.result(flow)).toEqual({ done: true, outcome: 'timeout', by: 'timeout' });
    expect(client.shown).toBeUndefined();
  });

  it('expires unseen, and only unseen', () => {
    const world = new FlowWorld();
    const unseen = world.queue.show({ ...CHOICE, wait_client: true, expires: 5 });
    world.clock.advance(4999);
    expect(world.result(unseen)).toEqual({ done: false, state: 'waiting_client' });
    world.clock.advance(1);
    expect(world.result(unseen)).toEqual({ done: true, outcome: 'timeout', by: 'timeout' });
    const client = world.attach();
    const seen = world.queue.show({ ...CHOICE, expires: 5 });
    world.arm(client);
    world.clock.advance(10_000);
    expect(world.result(seen)).toEqual({ done: false, state: 'shown' });
  });

  it('ends with its pane, its asker or the server', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const first = world.queue.show(CHOICE);
    world.queue.paneClosed('%9');
    expect(world.result(first)).toMatchObject({ done: false });
    world.queue.paneClosed('%1');
    expect(world.result(first)).toEqual({ done: true, outcome: 'cancelled', by: 'pane_closed' });
    expect(client.shown).toBeUndefined();
    const second = world.queue.show(CHOICE);
    world.queue.cancel(second);
    expect(world.result(second)).toEqual({ done: true, outcome: 'cancelled', by: 'asker' });
    world.queue.cancel('gone');
    const heard: DialogResult[] = [];
    world.queue.result(world.queue.show(CHOICE), { ms: 60_000 }, (result) => heard.push(result));
    world.queue.close();
    expect(heard).toEqual([{ done: true, outcome: 'cancelled', by: 'server' }]);
    expect(world.refusal(CHOICE)).toBe('no_client');
    expect(world.clock.waiting).toBe(0);
  });
});

describe('refusals', () => {
  it('come with the code that says why', () => {
    const world = new FlowWorld({ max: 2, keepS: 300 });
    expect(world.refusal(CHOICE)).toBe('no_client');
    expect(world.refusal({ ...CHOICE, client: 'b', wait_client: false })).toBe('no_client');
    const client = world.attach();
    world.deadPanes.add('%9');
    expect(world.refusal({ ...CHOICE, pane: '%9' })).toBe('no_pane');
    expect(world.refusal({ ...CHOICE, after: 'unknown' })).toBe('not_found');
    client.isBusy = true;
    expect(world.refusal(CHOICE)).toBe('busy');
    client.isBusy = false;
    const flow = world.queue.show(CHOICE);
    expect(world.refusal(CHOICE)).toBe('busy');
    expect(world.refusal({ ...CHOICE, after: flow })).toBe('bad_request');
    world.queue.show({ ...CHOICE, queue: true });
    expect(world.refusal({ ...CHOICE, queue: true })).toBe('too_many');
    world.queue.mute(client);
    world.queue.cancel(flow);
    expect(world.refusal(CHOICE)).toBe('forbidden');
    expect(() => world.queue.result('unknown', { ms: 0 }, () => {})).toThrow(/no such flow/);
  });
});

describe('clients', () => {
  it('get the question of a pane of theirs, the most recently used first', () => {
    const world = new FlowWorld();
    const other = world.attach('other', ['%5']);
    const old = world.attach('old');
    const recent = world.attach('recent');
    world.queue.show(CHOICE);
    expect([other.shown, old.shown].every((shown) => shown === undefined)).toBe(true);
    expect(recent.shown).toBeDefined();
    world.queue.show({ ...CHOICE, client: 'old' });
    expect(old.shown).toBeDefined();
    expect(world.refusal({ ...CHOICE, pane: undefined })).toBe('busy');
  });

  it('take over a dialog with its draft when one detaches, unarmed again', () => {
    const world = new FlowWorld();
    const second = world.attach('second');
    const first = world.attach('first');
    const flow = world.queue.show(TEXT);
    world.arm(first);
    world.keys(first, 'v 2');
    world.detach(first);
    expect(second.shown?.phase).toBe('unarmed');
    world.arm(second);
    world.keys(second, '! Enter');
    expect(world.result(flow)).toMatchObject({ value: 'v2!' });
  });

  it('get a half-filled dialog back when they attach again, and its clock has run on', () => {
    const world = new FlowWorld();
    const first = world.attach();
    const flow = world.queue.show({ ...TEXT, timeout: 10 });
    world.arm(first);
    world.keys(first, 'a b');
    world.detach(first);
    expect(world.result(flow)).toEqual({ done: false, state: 'waiting_client' });
    world.clock.advance(5000);
    const again = world.attach();
    world.arm(again);
    world.keys(again, 'Enter');
    expect(world.result(flow)).toMatchObject({ value: 'ab' });
  });

  it('see queued questions one after the other, in order', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const flows = ['1', '2', '3'].map((label) => world.queue.show({ ...CHOICE, label, queue: true }));
    expect(flows.map((flow) => world.result(flow))).toEqual([
      { done: false, state: 'shown' },
      { done: false, state: 'queued', position: 1 },
      { done: false, state: 'queued', position: 2 },
    ]);
    world.arm(client);
    world.keys(client, 'q');
    expect(client.shown).toMatchObject({ phase: 'unarmed', content: { label: '2' } });
    expect(world.result(flows[2]!)).toEqual({ done: false, state: 'queued', position: 1 });
  });

  it('that are busy get a queued question when they are free', () => {
    const world = new FlowWorld();
    const client = world.attach();
    client.isBusy = true;
    world.queue.show({ ...CHOICE, queue: true });
    expect(client.shown).toBeUndefined();
    client.isBusy = false;
    world.queue.clientsChanged();
    expect(client.shown).toBeDefined();
  });
});

describe('a conversation', () => {
  function answered(world = new FlowWorld()) {
    const client = world.attach();
    const flow = world.queue.show(CHOICE);
    world.arm(client);
    world.keys(client, 'Enter');
    return { world, client, flow };
  }

  it('keeps the answered dialog dimmed, the client for itself and typed keys for a text prompt', () => {
    const { world, client, flow } = answered();
    expect(client.shown?.phase).toBe('dimmed');
    expect(world.refusal(CHOICE)).toBe('busy');
    const waiting = world.queue.show({ ...MESSAGE, queue: true });
    expect(world.keys(client, 'v 3 Enter Escape')).toEqual(Array(4).fill('consumed'));
    const next = world.queue.show({ ...TEXT, after: flow });
    expect(world.result(waiting)).toMatchObject({ state: 'queued' });
    expect(world.keys(client, '! Enter')).toEqual(['consumed', 'consumed']);
    world.queue.painted(client);
    world.clock.advance(149);
    expect(client.shown?.phase).toBe('unarmed');
    world.clock.advance(1);
    expect(client.shown?.phase).toBe('armed');
    world.keys(client, 'Enter');
    expect(world.result(next)).toMatchObject({ value: 'v3!' });
    expect(client.forwarded).toEqual([]);
  });

  it('has others wait until it is clear whether it goes on', () => {
    const tried: string[] = [];
    const tryOn = ({ world }: ReturnType<typeof answered>, ask = CHOICE) => {
      tried.length = 0;
      world.queue.whenDecided(ask, () => tried.push(world.refusal(ask)));
    };
    const over = answered();
    tryOn(over);
    over.world.clock.advance(999);
    expect(tried).toEqual([]);
    over.world.clock.advance(1);
    expect(tried).toEqual(['none']);

    const goesOn = answered();
    tryOn(goesOn);
    goesOn.world.queue.show({ ...CHOICE, after: goesOn.flow });
    expect(tried).toEqual(['busy']);

    const letGo = answered();
    tryOn(letGo);
    letGo.world.queue.cancel(letGo.flow);
    expect(tried).toEqual(['none']);

    const gone = answered();
    tryOn(gone);
    gone.world.detach(gone.client);
    expect(tried).toEqual(['no_client']);

    const lined = answered();
    lined.world.queue.show({ ...MESSAGE, queue: true });
    tryOn(lined);
    lined.world.clock.advance(1000);
    expect(tried).toEqual(['busy']);
  });

  it('has nobody wait for a dialog that is not answered, nor its own next question', () => {
    const { world, flow } = answered();
    let tries = 0;
    world.queue.whenDecided({ ...CHOICE, after: flow }, () => tries++);
    world.queue.whenDecided({ ...CHOICE, queue: true }, () => tries++);
    world.queue.show({ ...CHOICE, after: flow });
    world.queue.whenDecided(CHOICE, () => tries++);
    expect(tries).toBe(3);
  });

  it('drops keys of the gap for a choice', () => {
    const { world, client, flow } = answered();
    world.keys(client, 'j Enter');
    const next = world.queue.show({ ...CHOICE, after: flow });
    expect(world.keys(client, 'j Enter')).toEqual(['consumed', 'consumed']);
    world.queue.painted(client);
    world.keys(client, 'j Enter');
    world.clock.advance(150);
    expect(world.result(next)).toMatchObject({ done: false });
    world.keys(client, 'Enter');
    expect(world.result(next)).toMatchObject({ value: 0 });
    expect(client.forwarded).toEqual([]);
  });

  it('gives the keys of the gap to the pane when no question follows within a second', () => {
    const { world, client, flow } = answered();
    world.keys(client, 'l s');
    world.clock.advance(999);
    expect(client.shown?.phase).toBe('dimmed');
    world.clock.advance(1);
    expect(client.shown).toBeUndefined();
    expect(client.forwarded.map((event) => event.kind === 'key' && event.key)).toEqual(['l', 's']);
    world.queue.show({ ...CHOICE, after: flow });
    world.queue.painted(client);
    expect(world.keys(client, 'x')).toEqual(['pass']);
  });

  it('gives the keys of the gap to the pane before a key of the server takes the client elsewhere', () => {
    const { world, client, flow } = answered();
    world.queue.noteKey(client);
    expect(client.shown?.phase).toBe('dimmed');
    world.keys(client, 'l s');
    world.queue.noteKey(client);
    expect(client.shown).toBeUndefined();
    expect(client.forwarded.map((event) => event.kind === 'key' && event.key)).toEqual(['l', 's']);
    const next = world.queue.show({ ...CHOICE, after: flow });
    expect(world.result(next)).toMatchObject({ done: false, state: 'shown' });
  });

  it('has a double press of the key that answered for nobody, one that is held down too', () => {
    const { world, client, flow } = answered();
    expect(world.keys(client, 'Enter')).toEqual(['consumed']);
    world.queue.cancel(flow);
    for (let at = 0; at < 2000; at += 200) {
      world.clock.advance(200);
      expect(world.keys(client, 'Enter')).toEqual(['consumed']);
    }
    expect(world.keys(client, 'x')).toEqual(['pass']);
    world.clock.advance(300);
    expect(world.queue.takesKeys(client)).toBe(false);
    expect(world.keys(client, 'Enter')).toEqual(['pass']);
    expect(client.forwarded).toEqual([]);
  });

  it('has a letter that answered begin a word in the pane', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const flow = world.queue.show({ kind: 'choice', options: ['a', 'b'], keys: ['y', 'n'] });
    world.arm(client);
    world.keys(client, 'y');
    world.queue.cancel(flow);
    expect(world.keys(client, 'y e s')).toEqual(['pass', 'pass', 'pass']);
  });

  it('has a second Escape for nobody', () => {
    const world = new FlowWorld();
    const client = world.attach();
    world.queue.show(CHOICE);
    world.arm(client);
    expect(world.keys(client, 'Escape Escape j')).toEqual(['consumed', 'consumed', 'pass']);
  });

  it('takes the key that ended it for meant again once something else was typed', () => {
    const world = new FlowWorld();
    const client = world.attach();
    world.queue.show(CHOICE);
    world.arm(client);
    expect(world.keys(client, 'Escape j Escape')).toEqual(['consumed', 'pass', 'pass']);
  });

  it('is over at once when the asker lets go of the answered question', () => {
    const { world, client, flow } = answered();
    world.queue.cancel(flow);
    expect(client.shown).toBeUndefined();
    expect(() => world.result(flow)).toThrow(/no such flow/);
  });

  it('does not go on after a dismissal: nothing is kept', () => {
    const world = new FlowWorld();
    const client = world.attach();
    world.queue.show(CHOICE);
    world.arm(client);
    world.keys(client, 'Escape');
    expect(client.shown).toBeUndefined();
    expect(world.keys(client, 'a')).toEqual(['pass']);
  });
});

describe('the person', () => {
  it('hides a dialog and brings it back, its draft kept', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const flow = world.queue.show(TEXT);
    world.arm(client);
    world.keys(client, 'a');
    expect(world.queue.hide(client)).toBe(true);
    expect(client.shown).toBeUndefined();
    expect(world.keys(client, 'l s Enter')).toEqual(['pass', 'pass', 'pass']);
    expect(world.result(flow)).toMatchObject({ done: false, state: 'queued' });
    expect(world.queue.list()).toMatchObject([{ serial: 1, kind: 'text', text: 'Tag', state: 'hidden', pane: '%1' }]);
    expect(world.queue.bringBack(client, 99)).toBe(false);
    expect(world.queue.bringBack(client)).toBe(true);
    expect(world.keys(client, 'b')).toEqual(['consumed']);
    world.queue.painted(client);
    world.clock.advance(150);
    world.keys(client, 'Enter');
    expect(world.result(flow)).toMatchObject({ value: 'ab' });
  });

  it('mutes an asker: its open questions are dismissed, its further ones refused, those of others are not', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const flow = world.queue.show({ ...CHOICE, meta: true });
    const waiting = world.queue.show({ ...CHOICE, queue: true });
    const other = world.queue.show({ ...CHOICE, pane: '%2', queue: true });
    expect(world.queue.mute(client)).toBe(true);
    expect(world.result(flow)).toMatchObject({ outcome: 'cancelled', by: 'escape', meta: { client: 'a' } });
    expect(world.result(waiting)).toMatchObject({ outcome: 'cancelled', by: 'escape' });
    expect(world.result(other)).toEqual({ done: false, state: 'shown' });
    expect(world.queue.list().map(({ state }) => state)).toEqual(['shown']);
    expect(world.queue.mutedPanes).toEqual(['%1']);
    expect(world.refusal({ ...CHOICE, queue: true })).toBe('forbidden');
    expect(world.queue.unmute('%1')).toBe(true);
    expect(world.refusal({ ...CHOICE, queue: true })).toBe('none');
  });

  it('sees no flow id in the list', () => {
    const world = new FlowWorld();
    world.attach();
    const flow = world.queue.show(CHOICE);
    expect(JSON.stringify(world.queue.list().map(({ client: _client, ...rest }) => rest))).not.toContain(flow);
  });
});

describe('waiting for a result', () => {
  it('is told of the answer at once, or how things stand when the time is up', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const flow = world.queue.show(CHOICE);
    const heard: DialogResult[] = [];
    world.queue.result(flow, { ms: 1000 }, (result) => heard.push(result));
    world.clock.advance(1000);
    expect(heard).toEqual([{ done: false, state: 'shown' }]);
    world.queue.result(flow, { ms: 25_000 }, (result) => heard.push(result));
    world.queue.result(flow, { ms: 25_000 }, (result) => heard.push(result));
    const leave = world.queue.result(flow, { ms: 25_000 }, () => heard.push({ done: false, state: 'shown' }));
    leave();
    world.arm(client);
    world.keys(client, 'Enter');
    expect(heard.slice(1)).toEqual(Array(2).fill({ done: true, outcome: 'ok', value: 0, by: 'key' }));
    expect(world.result(flow)).toEqual(heard[1]);
  });

  it('keeps a flow alive; one that nobody asks about is reclaimed and its dialog closed', () => {
    const world = new FlowWorld({ max: 16, keepS: 10 });
    const client = world.attach();
    const flow = world.queue.show(CHOICE);
    world.clock.advance(9000);
    world.result(flow);
    world.clock.advance(9000);
    world.queue.result(flow, { ms: 60_000 }, () => {});
    world.clock.advance(60_000 + 9000);
    expect(client.shown).toBeDefined();
    world.clock.advance(1000);
    expect(client.shown).toBeUndefined();
    expect(() => world.result(flow)).toThrow(/no such flow/);
    expect(world.clock.waiting).toBe(0);
  });

  it('can read an answer until the time of grace is over, and the newest 64 at most', () => {
    const world = new FlowWorld({ max: 100, keepS: 10 });
    const client = world.attach();
    const flows = Array.from({ length: 65 }, () => {
      const flow = world.queue.show(MESSAGE);
      world.queue.painted(client);
      world.queue.armNow(client);
      world.keys(client, 'q');
      return flow;
    });
    expect(() => world.result(flows[0]!)).toThrow(/no such flow/);
    expect(world.result(flows[1]!)).toMatchObject({ done: true });
    world.clock.advance(10_000);
    expect(() => world.result(flows[64]!)).toThrow(/no such flow/);
  });

  it('hears of what happens by subscription', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const kinds: string[] = [];
    const end = world.queue.subscribe((event) => kinds.push(`${event.kind} ${event.serial}`));
    const flow = world.queue.show(CHOICE);
    world.arm(client);
    world.queue.hide(client);
    world.queue.cancel(flow);
    end();
    world.queue.show(CHOICE);
    expect(kinds).toEqual(['queued 1', 'shown 1', 'hidden 1', 'answered 1']);
  });
});

describe('the limits', () => {
  it('are read from the environment, with defaults', () => {
    expect(parseFlowLimits({})).toEqual({ max: 16, keepS: 300 });
    expect(parseFlowLimits({ MPLEX_FLOW_MAX: '', MPLEX_FLOW_KEEP: '7' })).toEqual({ max: 16, keepS: 7 });
  });

  it('are refused by name and value when they make no sense', () => {
    for (const bad of ['0', '-1', '1.5', 'many', '1e3', ' 3', '99999999999']) {
      expect(() => parseFlowLimits({ MPLEX_FLOW_MAX: bad })).toThrow(`MPLEX_FLOW_MAX must be a whole number`);
      expect(() => parseFlowLimits({ MPLEX_FLOW_KEEP: bad })).toThrow(JSON.stringify(bad));
    }
  });
});

describe('an asker that wants to know', () => {
  it('hears of another state at once, and only then', () => {
    const world = new FlowWorld();
    const flow = world.queue.show({ ...CHOICE, wait_client: true });
    const heard: unknown[] = [];
    world.queue.result(flow, { ms: 60_000, known: 'waiting_client' }, (result) => heard.push(result));
    world.clock.advance(1000);
    expect(heard).toEqual([]);
    const client = world.attach();
    expect(heard).toEqual([{ done: false, state: 'shown' }]);
    world.queue.result(flow, { ms: 60_000, known: 'shown' }, (result) => heard.push(result));
    world.queue.result(flow, { ms: 60_000, known: 'queued' }, (result) => heard.push(result));
    expect(heard).toHaveLength(2);
    world.queue.painted(client);
    world.queue.hide(client);
    expect(heard.at(-1)).toEqual({ done: false, state: 'queued', position: 1 });
    world.queue.result(flow, { ms: 60_000, known: 'queued' }, (result) => heard.push(result));
    world.queue.bringBack(client);
    expect(heard.at(-1)).toEqual({ done: false, state: 'shown' });
    world.queue.result(flow, { ms: 60_000, known: 'shown' }, (result) => heard.push(result));
    world.detach(client);
    expect(heard.at(-1)).toEqual({ done: false, state: 'waiting_client' });
    expect(world.clock.waiting).toBe(2);
  });

  it('is told who answered, and when it was asked, shown, seen and answered', () => {
    const world = new FlowWorld();
    const client = world.attach('/dev/pts/7');
    const flow = world.queue.show({ ...CHOICE, meta: true });
    const at = (ms: number) => new Date(START + ms).toISOString();
    world.clock.advance(100);
    world.queue.painted(client);
    world.clock.advance(1000);
    world.keys(client, 'j');
    world.clock.advance(1000);
    world.keys(client, 'Enter');
    expect(world.result(flow)).toEqual({
      done: true,
      outcome: 'ok',
      value: 1,
      by: 'key',
      meta: {
        client: '/dev/pts/7',
        tty: '/dev/pts/7',
        asked_at: at(0),
        shown_at: at(100),
        seen_at: at(1100),
        answered_at: at(2100),
      },
    });
  });

  it('is not told that a person did what a clock or the asker did', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const late = world.queue.show({ ...CHOICE, meta: true, timeout: 1 });
    world.queue.painted(client);
    world.clock.advance(1000);
    expect(world.result(late)).toEqual({
      done: true,
      outcome: 'timeout',
      by: 'timeout',
      meta: { asked_at: expect.any(String), shown_at: expect.any(String), answered_at: expect.any(String) },
    });
  });
});

describe('the list of waiting questions', () => {
  it('gives any of them first, and the others back as they were', () => {
    const world = new FlowWorld();
    const client = world.attach();
    const text = world.queue.show(TEXT);
    world.arm(client);
    world.keys(client, 'a b');
    const other = world.queue.show({ ...CHOICE, queue: true });
    expect(world.queue.pull(client, 2)).toBe(true);
    expect(client.shown?.content.kind).toBe('choice');
    expect(world.result(text)).toMatchObject({ state: 'queued' });
    world.queue.painted(client);
    world.clock.advance(150);
    world.keys(client, 'Enter');
    world.queue.cancel(other);
    world.arm(client);
    world.keys(client, 'c Enter');
    expect(world.result(text)).toMatchObject({ done: true, value: 'abc' });
  });

  it('takes a question from another client, and gives that one its next', () => {
    const world = new FlowWorld();
    const first = world.attach('a');
    world.queue.show(CHOICE);
    world.queue.show({ ...TEXT, queue: true });
    const second = world.attach('b');
    // The second is the most recently used now, and free: the text is there.
    expect([first.shown?.content.kind, second.shown?.content.kind]).toEqual(['choice', 'text']);
    expect(world.queue.pull(second, 1)).toBe(true);
    expect([first.shown?.content.kind, second.shown?.content.kind]).toEqual([undefined, 'choice']);
    expect(world.queue.list().map(({ serial, state }) => [serial, state])).toEqual([
      [1, 'shown'],
      [2, 'queued'],
    ]);
  });

  it('dismisses as the person does', () => {
    const world = new FlowWorld();
    const client = world.attach();
    world.queue.show(CHOICE);
    const waiting = world.queue.show({ ...TEXT, queue: true });
    expect(world.queue.dismiss(client, 2)).toBe(true);
    expect(world.result(waiting)).toEqual({ done: true, outcome: 'cancelled', by: 'escape' });
    expect(world.queue.dismiss(client, 2)).toBe(false);
    expect(world.queue.dismiss(client, 1)).toBe(true);
    expect(client.shown).toBeUndefined();
  });

  it('has nothing for a client that may not be asked, and does nothing where something else is open', () => {
    const world = new FlowWorld();
    const client = world.attach('a');
    world.attach('b');
    world.queue.show({ ...CHOICE, client: 'b' });
    expect(world.queue.list(client)).toEqual([]);
    expect([world.queue.pull(client, 1), world.queue.dismiss(client, 1)]).toEqual([false, false]);
    world.queue.show({ ...CHOICE, client: 'a' });
    world.queue.hide(client);
    client.isBusy = true;
    expect(world.queue.pull(client, 2)).toBe(false);
    client.isBusy = false;
    expect(world.queue.pull(client, 2)).toBe(true);
    expect(world.queue.pull(client, 2)).toBe(true);
  });
});
