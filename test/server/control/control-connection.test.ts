import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTROL_LINE_MAX } from '../../../protocol/dialog.ts';
import { MplexError } from '../../../protocol/errors.ts';
import {
  type CommandOutput,
  type ControlCommand,
  ControlConnection,
  type Grant,
} from '../../../server/control/control-connection.ts';
import { FlowWorld } from '../../support/flow-world.ts';

interface Reply {
  readonly [field: string]: unknown;
  readonly flow: string;
  readonly error: { readonly code: string; readonly message: string; readonly path?: string };
}

const CHOICE = { op: 'show', kind: 'choice', options: ['a', 'b'], pane: '%1' };

class Peer {
  readonly world = new FlowWorld({ max: 2, keepS: 300 });
  readonly replies: Reply[] = [];
  readonly commands: ControlCommand[] = [];
  readonly bugs: unknown[] = [];
  isFast = true;
  /** What tokens are worth; '' is none. */
  readonly grants = new Map<string, Grant>([['', { access: 'full', pane: undefined }]]);
  isPaused = false;
  /** How often the connection was ended. */
  ends = 0;
  finish: (output: CommandOutput) => void = () => {};
  fail: (error: unknown) => void = () => {};
  readonly connection = this.connect();

  connect(): ControlConnection {
    return new ControlConnection(
      {
        flows: this.world.queue,
        version: '1.2.3',
        grantOf: (token) => this.grants.get(token ?? ''),
        checkHealth: () => [{ name: 'server', status: 'pass', text: 'well' }],
        runCommand: (command) => {
          this.commands.push(command);
          return new Promise((resolve, reject) => {
            this.finish = resolve;
            this.fail = reject;
          });
        },
        failed: (error) => this.bugs.push(error),
      },
      {
        write: (line) => {
          expect(line.indexOf('\n')).toBe(line.length - 1);
          this.replies.push(JSON.parse(line) as Reply);
          return this.isFast;
        },
        pause: () => {
          this.isPaused = true;
        },
        resume: () => {
          this.isPaused = false;
        },
        end: () => {
          this.ends++;
        },
      },
    );
  }

  send(...requests: readonly object[]): Reply {
    return this.raw(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
  }

  /** The last reply after some bytes. */
  raw(bytes: string | Uint8Array): Reply {
    this.connection.receive(Buffer.from(bytes));
    return this.replies.at(-1)!;
  }

  show(fields: object = {}): Reply {
    return this.send({ ...CHOICE, ...fields });
  }
}

describe('the control connection', () => {
  it('says what it is', () => {
    expect(new Peer().send({ op: 'hello', id: 'x' })).toEqual({
      id: 'x',
      ok: true,
      server: 'mplex',
      version: '1.2.3',
      protocol: 1,
      features: [
        'choice',
        'text',
        'message',
        'queue',
        'wait_client',
        'after',
        'expires',
        'keys',
        'long_poll',
        'command',
        'meta',
        'state',
        'access',
        'doctor',
      ],
      access: 'full',
      limits: { flow_max: 2, flow_keep: 300 },
    });
  });

  it('shows a question, tells how it stands and how it ended', () => {
    const peer = new Peer();
    const client = peer.world.attach();
    const { flow } = peer.show({ id: 1 });
    expect(peer.replies).toEqual([{ id: 1, ok: true, flow }]);
    expect(peer.send({ op: 'result', flow })).toEqual({ ok: true, done: false, state: 'shown' });
    peer.world.arm(client);
    peer.world.keys(client, 'j Enter');
    expect(peer.send({ op: 'result', flow })).toEqual({ ok: true, done: true, outcome: 'ok', value: 1, by: 'key' });
    expect(peer.send({ op: 'cancel', flow })).toEqual({ ok: true });
    expect(peer.send({ op: 'cancel', flow })).toEqual({ ok: true });
    expect(peer.send({ op: 'result', flow }).error).toMatchObject({ code: 'not_found', path: '/flow' });
  });

  it('holds a result until it is there, while a cancel behind it takes effect at once', () => {
    const peer = new Peer();
    peer.world.attach();
    const { flow } = peer.show();
    peer.send({ op: 'result', flow, wait: 25, id: 1 });
    expect(peer.replies).toHaveLength(1);
    peer.send({ op: 'hello', id: 2 });
    expect(peer.replies).toHaveLength(1);
    peer.send({ op: 'cancel', flow, id: 3 });
    expect(peer.replies.slice(1).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(peer.replies[1]).toMatchObject({ done: true, outcome: 'cancelled', by: 'asker' });
  });

  it('answers a held result when its time is up, and forgets it with the connection', () => {
    const peer = new Peer();
    peer.world.attach();
    const { flow } = peer.show();
    peer.send({ op: 'result', flow, wait: 0.5 });
    peer.world.clock.advance(500);
    expect(peer.replies.at(-1)).toEqual({ ok: true, done: false, state: 'shown' });
    peer.send({ op: 'result', flow, wait: 60 });
    peer.connection.closed();
    peer.world.clock.advance(60_000);
    expect(peer.replies).toHaveLength(2);
    expect(peer.world.result(flow)).toMatchObject({ state: 'shown' });
  });

  it('answers a peer that has closed its side: the line without an end too, a held result as it stands', async () => {
    const peer = new Peer();
    peer.world.attach();
    const { flow } = peer.show();
    peer.send({ op: 'result', flow, wait: 60, id: 1 });
    peer.send({ op: 'command', argv: ['list-panes'], id: 2 });
    peer.raw(JSON.stringify({ op: 'result', flow, wait: 60, id: 3 }));
    expect(peer.replies).toHaveLength(1);
    peer.connection.ended();
    expect(peer.replies.slice(1)).toEqual([{ id: 1, ok: true, done: false, state: 'shown' }]);
    expect(peer.ends).toBe(0);
    peer.finish({ code: 0, stdout: 'x', stderr: '' });
    await setImmediate();
    expect(peer.replies.slice(2)).toEqual([
      { id: 2, ok: true, code: 0, stdout: 'x', stderr: '' },
      { id: 3, ok: true, done: false, state: 'shown' },
    ]);
    expect(peer.ends).toBe(1);
  });

  it('takes a question that comes right after an answer, as soon as nothing follows that one', () => {
    const peer = new Peer();
    const client = peer.world.attach();
    peer.show();
    peer.world.arm(client);
    peer.world.keys(client, 'Enter');
    peer.send({ ...CHOICE, id: 'next' }, { op: 'hello', id: 'behind' });
    expect(peer.replies).toHaveLength(1);
    peer.world.clock.advance(1000);
    expect(peer.replies.slice(1)).toMatchObject([
      { id: 'next', ok: true },
      { id: 'behind', ok: true },
    ]);
    expect(client.shown?.phase).toBe('unarmed');
  });

  it('ends at once for a peer that closes its side when all is answered', () => {
    const peer = new Peer();
    peer.send({ op: 'hello' });
    peer.connection.ended();
    expect([peer.replies.length, peer.ends]).toEqual([1, 1]);
  });

  it('reaches every code of its contract', async () => {
    const peer = new Peer();
    const codes: unknown[] = [peer.show().error.code];
    const client = peer.world.attach();
    peer.world.deadPanes.add('%9');
    codes.push(peer.show({ pane: '%9' }).error.code);
    const { flow } = peer.show();
    codes.push(peer.show().error.code);
    peer.show({ queue: true });
    codes.push(peer.show({ queue: true }).error.code);
    codes.push(peer.send({ op: 'result', flow: 'x' }).error.code);
    peer.world.queue.mute(client);
    peer.send({ op: 'cancel', flow });
    codes.push(peer.show().error.code);
    codes.push(peer.raw('nonsense\n').error.code);
    expect(codes).toEqual(['no_client', 'no_pane', 'busy', 'too_many', 'not_found', 'forbidden', 'bad_request']);
    peer.send({ op: 'command', argv: ['x'], pane: '%9' });
    peer.fail(new MplexError('no_pane', "can't find pane: %9", '/pane'));
    await setImmediate();
    expect(peer.replies.at(-1)).toEqual({
      ok: false,
      error: { code: 'no_pane', message: "can't find pane: %9", path: '/pane' },
    });
  });

  it('does for its peer what it may, no more, and at once no more when a token is revoked', () => {
    const peer = new Peer();
    peer.world.attach();
    peer.grants.set('', { access: 'none', pane: undefined });
    peer.grants.set('asks', { access: 'dialogs', pane: undefined });
    peer.grants.set('looks', { access: 'read', pane: undefined });
    const tried = () => [
      peer.show().error?.code,
      peer.send({ op: 'result', flow: 'x' }).error.code,
      peer.send({ op: 'doctor' }).error?.code,
      peer.send({ op: 'command', argv: ['kill-server'] }).error?.code,
    ];
    expect(peer.send({ op: 'hello' })).toMatchObject({ access: 'none' });
    expect(tried()).toEqual(['forbidden', 'forbidden', 'forbidden', 'forbidden']);
    expect(peer.send({ op: 'hello', token: 'guess' }).error).toMatchObject({ code: 'forbidden', path: '/token' });
    expect(tried()).toEqual(['forbidden', 'forbidden', 'forbidden', 'forbidden']);
    expect(peer.send({ op: 'hello', token: 'asks' })).toMatchObject({ access: 'dialogs' });
    expect(tried()).toEqual([undefined, 'not_found', 'forbidden', 'forbidden']);
    expect(peer.commands).toEqual([]);
    expect(peer.send({ op: 'hello', token: 'looks' })).toMatchObject({ access: 'read' });
    expect(peer.send({ op: 'doctor' })).toMatchObject({ ok: true, checks: [{ name: 'server', text: 'well' }] });
    peer.grants.delete('looks');
    expect(peer.send({ op: 'doctor' }).error).toMatchObject({ code: 'forbidden' });
    expect(peer.send({ op: 'hello' }).error).toMatchObject({ code: 'forbidden' });
  });

  it('lets a token of a pane speak for that pane alone', () => {
    const peer = new Peer();
    peer.world.attach();
    peer.grants.set('one', { access: 'dialogs', pane: '%1' });
    peer.send({ op: 'hello', token: 'one' });
    expect(peer.show({ pane: '%2' }).error).toMatchObject({ code: 'forbidden', path: '/pane' });
    expect(peer.show({ pane: undefined })).toMatchObject({ ok: true });
    expect(peer.world.queue.list().map(({ pane }) => pane)).toEqual(['%1']);
  });

  it('runs a command of a peer that may look as one that changes nothing', () => {
    const peer = new Peer();
    peer.grants.set('', { access: 'read', pane: undefined });
    peer.send({ op: 'command', argv: ['list-panes'] });
    expect(peer.commands).toEqual([{ argv: ['list-panes'], readOnly: true }]);
  });

  it('runs commands one after the other, requests behind them wait', async () => {
    const peer = new Peer();
    peer.send(
      { op: 'command', argv: ['a', '-b'], pane: '%1', cwd: '/x' },
      { op: 'command', argv: ['c'] },
      { op: 'hello' },
    );
    expect(peer.commands).toEqual([{ argv: ['a', '-b'], pane: '%1', cwd: '/x', readOnly: false }]);
    expect(peer.isPaused).toBe(true);
    peer.finish({ code: 3, stdout: 'out\n', stderr: 'err' });
    await setImmediate();
    expect(peer.replies).toEqual([{ ok: true, code: 3, stdout: 'out\n', stderr: 'err' }]);
    expect(peer.commands[1]).toEqual({ argv: ['c'], readOnly: false });
    peer.fail(new TypeError('secret detail'));
    await setImmediate();
    expect(peer.replies.slice(1)).toMatchObject([
      { error: { message: 'the server failed on this request' } },
      { ok: true },
    ]);
    expect(peer.bugs).toHaveLength(1);
    expect(peer.isPaused).toBe(false);
  });

  it('stops reading while the peer does not, and goes on where it stopped', () => {
    const peer = new Peer();
    peer.isFast = false;
    const lines = Array.from({ length: 20_000 }, (_, id) => ({ op: 'hello', id }));
    peer.send(...lines);
    expect(peer.replies).toHaveLength(1);
    expect(peer.isPaused).toBe(true);
    peer.isFast = true;
    peer.connection.drained();
    expect(peer.replies.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
    expect(peer.isPaused).toBe(false);
  });

  it('stops reading when too many replies are held', () => {
    const peer = new Peer();
    peer.world.attach();
    const { flow } = peer.show();
    peer.send(...Array.from({ length: 100 }, () => ({ op: 'result', flow, wait: 60 })));
    expect(peer.isPaused).toBe(true);
    peer.world.queue.cancel(flow);
    expect(peer.replies.filter(({ done }) => done === true)).toHaveLength(100);
    expect(peer.isPaused).toBe(false);
  });

  it('gives the same replies however the bytes are cut', () => {
    const bytes = Buffer.from('{"op":"hello","id":"é世"}\r\n\n{"op":\n{"op":"hello","id":2}\n');
    const whole = new Peer();
    whole.raw(bytes);
    expect(whole.replies).toHaveLength(4);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const peer = new Peer();
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        for (let i = 1; i < edges.length; i++) peer.raw(bytes.subarray(edges[i - 1], edges[i]));
        expect(peer.replies).toEqual(whole.replies);
      }),
    );
  });

  it('takes a line of 256 KiB and refuses a longer one in a bounded way', () => {
    const peer = new Peer();
    const fits = `{"op":"hello"${' '.repeat(CONTROL_LINE_MAX - 14)}}`;
    expect(fits).toHaveLength(CONTROL_LINE_MAX);
    expect(peer.raw(`${fits}\n`)).toMatchObject({ ok: true });
    const message = `the line is longer than ${CONTROL_LINE_MAX} bytes`;
    expect(peer.raw(`${fits} \n`).error).toEqual({ code: 'bad_request', message });
    // Told before its end is there, and once.
    for (let i = 0; i < 17; i++) expect(peer.raw('x'.repeat(1 << 20)).error).toEqual({ code: 'bad_request', message });
    peer.raw('\n');
    expect(peer.replies).toHaveLength(3);
    expect(peer.send({ op: 'hello' })).toMatchObject({ ok: true });
  });

  it('answers 100,000 malformed requests each with a typed error, soon', () => {
    const peer = new Peer();
    const bad = [
      'not json',
      '['.repeat(100_000),
      '{"op":"hello","op":"hello"}',
      '{"__proto__":{"op":"hello"}}',
      '{"op":"hello","id":"\\ud800"}',
      '{"op":"hello\u0000"}',
      '\ufeff{"op":"hello"}',
      '{"op":"nope"}',
      '{"op":"show","kind":"choice","options":"x"}',
      '{}',
    ].map((line) => Buffer.from(`${line}\n`));
    bad.push(Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]));
    const counts = new Map<string, number>();
    const started = performance.now();
    for (let i = 0; i < 100_000; i++) {
      // The deep one is big: now and then is enough.
      const line = i % bad.length === 1 && i % 50 !== 1 ? bad[0]! : bad[i % bad.length]!;
      peer.connection.receive(line);
      const [reply] = peer.replies.splice(0);
      const code = reply?.error?.code ?? 'none';
      counts.set(code, (counts.get(code) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({ bad_request: 100_000 });
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(peer.bugs).toEqual([]);
    expect(peer.send({ op: 'hello' })).toMatchObject({ ok: true });
  }, 60_000);
});
