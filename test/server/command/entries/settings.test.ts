import { afterAll, describe, expect, it } from 'vitest';
import { ModelServer } from '../../../support/model-server.ts';
import { TmuxTwin } from '../../../support/tmux-twin.ts';

const twin = await TmuxTwin.start();
afterAll(() => twin?.stop());

describe.skipIf(!twin)('options compared with tmux 3.3a', () => {
  it('sets, toggles, appends and unsets', async () => {
    await twin?.sameLines(`
      set mouse
      show mouse
      set mouse
      show mouse
      set -g mouse ''
      show -g mouse
      set status-left
      set -o status-left x
      set -o status-left y
      set -oq status-left y
      show status-left
      set -a status-left ' more'
      show status-left
      set -u status-left
      show status-left
      set -g status ''
      set -g status
      show -g status
      set -gu status
      show -g status
      set status 9
      set status on extra
      set
      set -g prefix C-Foo
      set -g prefix None
      show -g prefix
      set -gu prefix
      set -g status-style fg=zzz
      set -g status-style bg=blue
      set -ga status-style fg=green
      show -g status-style
      set -g history-limit -1
      set -g history-limit abc
      set -g history-limit
      set -g base-index ' 1'
      show -g base-index
      set -gu base-index
      set -g lock-after-time 99999999999
      set -g default-shell /nope
      set -g default-shell tmux
      set -g default-shell sh
      set -g display-panes-colour nope
      set -g display-panes-color red
      show -g display-panes-colour
      setw -g xterm-keys on
      setw -gp mode-keys vi
    `);
  });

  it('passes over options of older versions, with a word in the messages', async () => {
    if (!twin) return;
    for (const argv of [
      ['set', '-g', 'utf8', 'on'],
      ['setw', 'mode-mouse', 'on'],
      ['show', '-gv', 'message-fg'],
    ]) {
      expect(await twin.model.call(argv)).toEqual({ code: 0, stdout: '', stderr: '' });
    }
    expect(twin.model.registry.messages.lasting.at(-1)?.text).toBe('obsolete option: message-fg');
  });

  it('finds options by abbreviation and scope by name', async () => {
    await twin?.sameLines(`
      set nosuch x
      set -q nosuch x
      set s x
      set status- x
      show s
      show -gv status-l
      set -g mode-k vi
      show -g mode-keys
      show -gw mode-keys
      setw mode-keys emacs
      showw mode-keys
      showw -v mode-keys
      showw -g mode-keys
      showw status
      set -u mode-keys
      show -A mode-keys
      show -wA mode-keys
      show -Av history-limit
      set -s status on
      show -gw status
      set -s escape-time 5
      show -g escape-time
      show -sv escape-time
      set -gp remain-on-exit on
      show -p
      show -gw remain-on-exit
      set -pu remain-on-exit
    `);
  });

  it('keeps user options where they are set', async () => {
    await twin?.sameLines(`
      set -F @x '#{session_name}-#{window_index}'
      show @x
      set @x
      set -u @x
      show @x
      show -q @x
      show -v @x
      show -qv @x
      set -p @pp 1
      set -w @ww 2
      show -p
      show -w
      show
      show -pA @ww
      show -p @ww
      show -pv @ww
      set -ga @o b
      set -ga @o c
      show -g @o
      show -A @o
      set '@#{session_name}' fmt
      show '@#{session_name}'
      show @one
      set -s @srv 1
      show -s @srv
      show @srv
      set @x[3] on
      set status[3] on
      set -gF @ff '#{nosuch}x#{session_name}'
      show -gv @ff
      set -og @once a
      set -og @once b
      set -gu @once
      show -g @once
    `);
  });

  it('keeps arrays', async () => {
    await twin?.sameLines(`
      set command-alias[9] foo=bar
      show -s command-alias[9]
      show command-alias
      show -v command-alias[9]
      show -v command-alias[19]
      show command-alias[19]
      set -u command-alias[9]
      show command-alias[9]
      set -o command-alias[3] on
      set -o command-alias[33] on
      set -a command-alias x=y
      show command-alias
      set -u command-alias
      show command-alias
      set -g update-environment 'A B,C'
      set -ga update-environment ' D'
      show -g update-environment
      set -g update-environment[1] ''
      show -gv update-environment
      set -gu update-environment[1]
      show -g update-environment
      set -ga update-environment[0] zz
      show -g update-environment
      set -g update-environment[x] ''
      set -g update-environment[
      set -g user-keys
      set -gu update-environment
      show -g update-environment
    `);
  });

  it('names targets that are not there', async () => {
    await twin?.sameLines(`
      set -t nosuch status on
      set -wt nosuch mode-keys vi
      set -pt nosuch remain-on-exit on
      set -st nosuch escape-time 3
      set -gt nosuch status on
      set -qt nosuch status on
      show -t nosuch
      show -qt nosuch
      show -t nosuch status
      show -gt nosuch status
      show -pt nosuch
      show -wt one:9 @t
      show -wt one:9
      show-hooks -t nosuch
      set -t one:0 @t 1
      set -pt one:0.0 @t 2
      show -t one @t
      show -pt one:0.0 @t
    `);
  });

  it('takes an option away from all panes of a window', async () => {
    await twin?.sameLines(`
      set -p remain-on-exit on
      set -w remain-on-exit on
      show -p remain-on-exit
      set -wU remain-on-exit
      show -p remain-on-exit
      show -w remain-on-exit
      set -U remain-on-exit
      set -U -w mode-keys
    `);
  });

  it('keeps hooks as commands with full names', async () => {
    await twin?.sameLines(`
      set-hook -g window-linked 'set @a hi'
      show-hooks -g window-linked
      show-hooks -g nosuch
      set-hook -g nosuch 'display hi'
      set-hook -g window-linked nosuchcmd
      set-hook -g window-linked 'set @a "'
      set-hook window-linked 'set -gq @a "a b" ; neww'
      show-hooks
      show-hooks window-linked
      show -H window-linked
      show-hooks -p
      set-hook -w window-renamed 'set @a x'
      show-hooks -w
      show-hooks -wg
      set-hook -ag window-linked 'set @a ho'
      set-hook -g window-linked[5] 'set @a five'
      show-hooks -g window-linked
      show-hooks -g window-linked[5]
      set-hook -gu window-linked[5]
      show-hooks -g window-linked
      set-hook -gu window-linked
      show-hooks -g window-linked
      show -gv window-linked
      set-hook
      set-hook -g window-linked
      set-hook -u window-linked
    `);
  });

  it('runs a hook, or the commands of a user option, at once', async () => {
    await twin?.sameLines(`
      set-hook -g session-renamed 'set -gF @ran "#{hook}"'
      set-hook -R session-renamed
      show -g @ran
      set -g @mine 'set -gF @ran "mine #{hook}" ; show -g @ran'
      set-hook -R @mine
      set-hook -R nosuch
      set-hook -gR status
      set-hook -gu session-renamed
    `);
  });
});

describe('a block as a value', () => {
  it('is kept as its text', async () => {
    const server = new ModelServer();
    await server.run('new-session', '-d');
    const client = server.addClient();
    await server.press(client, 'set -g @blk { neww ; set @a "y z" }');
    expect((await server.run('show', '-gv', '@blk')).stdout).toBe('new-window ; set-option @a "y z"\n');
  });
});
