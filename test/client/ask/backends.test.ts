import { describe, expect, it } from 'vitest';
import { chooseBackend, controlPathOf } from '../../../client/ask/backends.ts';

const IN_TMUX = { TMUX: '/tmp/tmux-1000/default,1,0', TERM_PROGRAM: 'tmux' };

describe('the backend of an asker', () => {
  it.each([
    ['in mplex', { MPLEX: '/tmp/mplex-0/default,1,0', TMUX: '/tmp/mplex-0/default,1,0' }, {}, 'native'],
    ['in a popup of mplex', { MPLEX: '/tmp/mplex-0/default,1,0', MPLEX_POPUP: '1' }, { isTerminal: true }, 'tty'],
    ['in a popup, without a terminal', { MPLEX: '/tmp/mplex-0/default,1,0', MPLEX_POPUP: '1' }, {}, 'native'],
    ['with only the control socket known', { MPLEX_CONTROL: '/x.ctl' }, {}, 'native'],
    ['where TMUX alone names a socket of mplex', { TMUX: '/tmp/mplex-1000/default,1,0' }, {}, 'native'],
    ['in tmux', { TMUX: '/tmp/tmux-1000/default,1,0' }, {}, 'tmux'],
    ['in tmux on a terminal', { TMUX: '/tmp/tmux-1000/default,1,0' }, { isTerminal: true }, 'tmux'],
    ['in a pane of tmux', { ...IN_TMUX, TMUX_PANE: '%0' }, { isTerminal: true }, 'tmux'],
    ['in a popup of tmux', IN_TMUX, { isTerminal: true }, 'tty'],
    ['in a job of tmux', IN_TMUX, {}, 'tmux'],
    ['in tmux, a server of mplex named', { TMUX: '/tmp/tmux-1000/default,1,0' }, { isServerNamed: true }, 'native'],
    ['on a plain terminal', {}, { isTerminal: true }, 'tty'],
    ['on a plain terminal, a server named', {}, { isTerminal: true, isServerNamed: true }, 'native'],
    ['without a terminal', {}, {}, 'native'],
  ] as const)('%s is the right one', (_where, env, rest, expected) => {
    expect(chooseBackend({ env, isServerNamed: false, isTerminal: false, ...rest })).toBe(expected);
  });

  it('has its control socket from the environment', () => {
    expect(controlPathOf({ MPLEX_CONTROL: '/a', MPLEX: '/b,1,2' })).toBe('/a');
    expect(controlPathOf({ MPLEX: '/b,1,2' })).toBe('/b.ctl');
    expect(controlPathOf({ TMUX: '/tmp/mplex-0/x,1,2' })).toBe('/tmp/mplex-0/x.ctl');
    expect(controlPathOf({ TMUX: '/tmp/tmux-0/x,1,2' })).toBeUndefined();
    expect(controlPathOf({})).toBeUndefined();
  });
});
