/** The calls that well-known tools make, each of which some script, program or configuration here makes as well. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** A tool's calls: the command and what stands in it, in this order. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  'gpakosz/.tmux': [
    ...['run .*cut', 'bind -N', 'if -b', 'send -X', 'source', 'set-environment -g', 'display -p', 'list-clients'],
    ...['%if .*m/ri:', '%if .*>=:#{version}'],
  ],
  tpm: [
    ...['show-option -gqv @', 'bind-key I run-shell', 'show-environment -g', 'set-environment -g', 'source-file'],
    "set -g @plugin '",
  ],
  sensible: [
    ...[
      'show-option -gv history-limit',
      'show-option -sv escape-time',
      'set-option -s escape-time',
      'list-keys.* grep',
    ],
    'unbind-key C-b',
  ],
  resurrect: [
    ...[
      'list-panes -a -F .pane',
      'list-windows -a -F .window',
      'capture-pane -epJ -S',
      'TMUX="" tmux -S .*new-session -d',
    ],
    ...[
      'new-window -d -t',
      'split-window -t',
      'resize-pane -t .* -U 999',
      'select-layout -t',
      'move-window',
      'select-pane .*-T',
    ],
    ...[
      'switch-client -t',
      'set-option -u .*automatic-rename',
      'display-message -p .state',
      'history_size',
      'session_grouped',
    ],
  ],
  continuum: ['list-clients', 'status-right .*#\\(', 'start_time'],
  'yank, open, copycat': [
    ...[
      'bind(?:-key)? -T copy-mode-vi',
      'send-keys -X copy-pipe-and-cancel',
      'set-buffer',
      'paste-buffer -p',
      'list-keys -T',
    ],
  ],
  catppuccin: [
    ...[
      '%hidden',
      '%elif',
      'source -F .*d:current_file',
      'set -ogqF?',
      'set -agF',
      '#{E:@',
      'set -gF?.* "?@[a-z_]*\\${',
    ],
  ],
  'dracula, powerline': ['list-clients', 'show-option -gqv', '#\\(cut'],
  'vim-tmux-navigator, smart-splits': [
    ...["if-shell .*ps -o state= -o comm= -t '#{pane_tty}'", 'select-pane -L', 'display-message -p .#{pane_at_left}'],
    'set-option -pt .*@pane-is-vim',
  ],
  fzf: ['display-popup .*-E', 'split-window', 'swap-pane', 'wait', 'list-commands new-pane', 'fzf-tmux'],
  'tmux-fzf, thumbs, fingers, sessionx, floax, sesh': [
    ...['list-sessions -F', 'capture-pane -ep', 'capture-pane -pJ', 'swap-pane -d -s .* -t', 'new-window -P -d? ?-F'],
    ...['resize-window', 'switch-client -c', 'display-menu', 'command-alias', 'key-table', 'wait-for -S'],
  ],
  'tmuxinator, tmuxp, smug': [
    ...[
      'new-session -d -s .* -n',
      'new-window -P -F',
      'new-window -c',
      'new-window -k',
      'split-window -P -F',
      'send-keys .* C-m',
    ],
    ...['select-layout -t', 'set-window-option', 'set-hook', 'set-environment', 'show-options? -gv base-index'],
    ...['show-options -gv pane-base-index', 'show-messages'],
  ],
  libtmux: ['list-panes -a -F .*␞', 'list-windows .*-F .*␞', 'list-sessions -F .*␞', 'new-session -P -F'],
  'claude-squad': [
    ...['new-session -d -s .* -c', 'has-session -t=', 'set-option -t .* history-limit', 'set-option -t .* mouse on'],
    ...['%attach', 'capture-pane -p -e -J -S .* -E', 'ls'],
  ],
  'agent-deck': ['-C', 'list-windows -a', 'list-panes -a', 'capture-pane -p -e', 'pipe-pane .*-o .cat', 'send-keys -l'],
  gastown: [
    ...[
      'send-keys -t .* -l',
      'capture-pane -p .*-S',
      'respawn-pane -k',
      'remain-on-exit',
      'pane-died',
      'list-sessions .*-f',
    ],
    ...[
      'resize-window -t .* -x',
      'display-popup -E',
      'status-right',
      'exit-empty off',
      'MouseDown1StatusRight',
      'detach-client .*-E',
    ],
  ],
  'tmux-cli, skills': [
    ...[
      'new -d -s .* -n',
      'send-keys .*-l --',
      'capture-pane -p -J .*-S -200',
      'load-buffer -b .* -',
      'paste-buffer',
      'kill-session',
    ],
    ...['kill-server', 'tmux -S '],
  ],
  'Terminal-Bench': [
    ...[
      'new-session -x 160 -y 40 -d',
      'history-limit 10000000',
      "pipe-pane .*'cat >",
      'send-keys .*--',
      'load-buffer',
      'wait done',
    ],
    ...['capture-pane -p -S -', 'has-session'],
  ],
  'Claude Code agent teams': [
    ...['split-window', 'select-layout', 'send-keys', 'list-panes', 'display-message .*-p', 'select-pane .*-T'],
    'set-option -p .*pane-border-style',
  ],
  // Its refresh-client -r is newer than tmux 3.3a.
  'iTerm2 at its start': [
    ...[
      'display-message -p .#{version}',
      'show-options',
      'list-windows -F',
      'list-sessions -F',
      'capture-pane -peqJN? .*-S',
    ],
    ...[
      'capture-pane -p -P -C',
      'list-panes .*-F',
      'refresh-client -fpause-after=0,wait-exit',
      'refresh-client .*-C',
      'refresh-client .*-B',
    ],
    ...['select-layout', 'resize-window'],
  ],
};

const FOLDERS = ['scripts', 'programs', 'configs', 'clients'];

function everyLine(): string[] {
  const files = FOLDERS.flatMap((folder) => {
    const path = join(import.meta.dirname, folder);
    return readdirSync(path).map((name) => join(path, name));
  });
  const texts = [...files, join(import.meta.dirname, 'control-mode.test.ts')].map((file) => readFileSync(file, 'utf8'));
  return texts.flatMap((text) => text.split('\n')).filter((line) => !/^\s*#/.test(line));
}

describe('calls of well-known tools', () => {
  const lines = everyLine();
  it.each(Object.entries(CALLS))('of %s are all made beside tmux', (_tool, calls) => {
    const missing = calls.filter((call) => {
      const pattern = new RegExp(`(?:^|[^\\w])${call}`);
      return !lines.some((line) => pattern.test(line));
    });
    expect(missing).toEqual([]);
  });
});
