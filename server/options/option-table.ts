/**
 * Every option: one row each, in the order in which show-options lists them. Names, scopes, defaults and limits are
 * those of tmux 3.3a (tmux(1) OPTIONS, HOOKS); a row marked `own` is mplex's.
 */
export type OptionScope = 'server' | 'session' | 'window' | 'pane';

interface OptionCommon {
  readonly name: string;
  /** Where it may be set. A pane option can be set on a window too and then holds for its panes. */
  readonly scopes: readonly OptionScope[];
  /** One line for the documentation. */
  readonly help: string;
  /** What a number counts: `ms`, `s`, `lines`, `cells`. */
  readonly unit?: string;
  /** Not one of tmux's. */
  readonly own?: true;
  /** Present if the option is a list: the characters that separate members in one value ('' for none). */
  readonly array?: { readonly separators: string };
  /** The option is a hook: listed only when hooks are asked for. */
  readonly hook?: true;
}

/** The default is a value's text, as `set-option` takes it; of an array, the text of each member from index 0 on. */
type Default<T> = { readonly default: T } | { readonly default: readonly string[] };

export type OptionEntry = OptionCommon &
  (
    | ({
        readonly type: 'string';
        /** fnmatch(3) pattern that a value must fit. */
        /** What a value must look like. */
        readonly pattern?: RegExp;
        /** The value must name an executable file that can be a login shell. */
        readonly shell?: true;
      } & Default<string>)
    | { readonly type: 'number'; readonly min: number; readonly max: number; readonly default: number }
    | { readonly type: 'key'; readonly default: string }
    | ({ readonly type: 'colour' } & Default<string>)
    | { readonly type: 'flag'; readonly default: boolean }
    | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string }
    /** A string that is a style, or a format that gives one; appended values are joined by a comma. */
    | { readonly type: 'style'; readonly default: string }
    /** A command sequence, kept as its printed form. */
    | { readonly type: 'command'; readonly default: readonly string[] }
  );

const INT_MAX = 2147483647;
const SHORT_MAX = 32767;
const USHORT_MAX = 65535;

const SERVER = ['server'] as const;
const SESSION = ['session'] as const;
const WINDOW = ['window'] as const;
const PANE = ['window', 'pane'] as const;

const ALERT_CHOICES = ['none', 'any', 'current', 'other'];
const KEYS_CHOICES = ['emacs', 'vi'];
const VISUAL_CHOICES = ['off', 'on', 'both'];
const LIST_SEPARATORS = ' ,';

const STATUS_FORMAT_0 = [
  '#[align=left range=left #{E:status-left-style}]#[push-default]#{T;=/#{status-left-length}:status-left}',
  '#[pop-default]#[norange default]#[list=on align=#{status-justify}]#[list=left-marker]<#[list=right-marker]>',
  '#[list=on]#{W:#[range=window|#{window_index} #{E:window-status-style}',
  '#{?#{&&:#{window_last_flag},#{!=:#{E:window-status-last-style},default}}, #{E:window-status-last-style},}',
  '#{?#{&&:#{window_bell_flag},#{!=:#{E:window-status-bell-style},default}}, #{E:window-status-bell-style},',
  '#{?#{&&:#{||:#{window_activity_flag},#{window_silence_flag}},#{!=:#{E:window-status-activity-style},default}}, ',
  '#{E:window-status-activity-style},}}]#[push-default]#{T:window-status-format}#[pop-default]#[norange default]',
  '#{?window_end_flag,,#{window-status-separator}},#[range=window|#{window_index} list=focus ',
  '#{?#{!=:#{E:window-status-current-style},default},#{E:window-status-current-style},#{E:window-status-style}}',
  '#{?#{&&:#{window_last_flag},#{!=:#{E:window-status-last-style},default}}, #{E:window-status-last-style},}',
  '#{?#{&&:#{window_bell_flag},#{!=:#{E:window-status-bell-style},default}}, #{E:window-status-bell-style},',
  '#{?#{&&:#{||:#{window_activity_flag},#{window_silence_flag}},#{!=:#{E:window-status-activity-style},default}}, ',
  '#{E:window-status-activity-style},}}]#[push-default]#{T:window-status-current-format}#[pop-default]',
  '#[norange list=on default]#{?window_end_flag,,#{window-status-separator}}}#[nolist align=right range=right ',
  '#{E:status-right-style}]#[push-default]#{T;=/#{status-right-length}:status-right}#[pop-default]#[norange default]',
].join('');

const STATUS_FORMAT_1 =
  '#[align=centre]#{P:#{?pane_active,#[reverse],}#{pane_index}[#{pane_width}x#{pane_height}]#[default] }';

const REMAIN_ON_EXIT_FORMAT =
  'Pane is dead (#{?#{!=:#{pane_dead_status},},status #{pane_dead_status},}' +
  '#{?#{!=:#{pane_dead_signal},},signal #{pane_dead_signal},}, #{t:pane_dead_time})';

/** A member of control-tokens: what its bearer may do, the pane that it may speak for, the token's SHA-256. */
export const TOKEN_ENTRY = /^(dialogs|read|full)(?:@(%\d+))?:([0-9a-f]{64})$/;

const SERVER_OPTIONS: readonly OptionEntry[] = [
  { name: 'backspace', scopes: SERVER, type: 'key', default: 'C-?', help: 'key sent for the backspace key' },
  {
    name: 'buffer-limit',
    scopes: SERVER,
    type: 'number',
    min: 1,
    max: INT_MAX,
    default: 50,
    help: 'automatic paste buffers kept',
  },
  {
    name: 'command-alias',
    scopes: SERVER,
    type: 'string',
    array: { separators: ',' },
    default: [
      'split-pane=split-window',
      'splitp=split-window',
      'server-info=show-messages -JT',
      'info=show-messages -JT',
      'choose-window=choose-tree -w',
      'choose-session=choose-tree -s',
    ],
    help: 'commands of your own: name=value',
  },
  {
    name: 'control-access',
    scopes: SERVER,
    type: 'choice',
    choices: ['none', 'dialogs', 'read', 'full'],
    default: 'full',
    own: true,
    help: 'what programs on the control socket may do without a token: nothing, ask, look as well, everything',
  },
  {
    name: 'control-tokens',
    scopes: SERVER,
    type: 'string',
    array: { separators: ',' },
    pattern: TOKEN_ENTRY,
    default: [],
    own: true,
    help: 'tokens of the control socket, made by control-token: access[@pane]:SHA-256',
  },
  {
    name: 'flow-log',
    scopes: SERVER,
    type: 'string',
    pattern: /^(?:\/.*)?$/,
    default: '',
    own: true,
    help: 'file that says who asked and answered what and when, never what was typed; an absolute path, empty for none',
  },
  {
    name: 'copy-command',
    scopes: SERVER,
    type: 'string',
    default: '',
    help: 'command that copy-pipe feeds by default',
  },
  {
    name: 'default-terminal',
    scopes: SERVER,
    type: 'string',
    default: 'tmux-256color',
    help: 'TERM of new panes',
  },
  {
    name: 'editor',
    scopes: SERVER,
    type: 'string',
    default: '/usr/bin/vi',
    help: 'editor that is run to edit a buffer',
  },
  {
    name: 'escape-time',
    scopes: SERVER,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 500,
    unit: 'ms',
    help: 'how long an escape may be the start of a key',
  },
  { name: 'exit-empty', scopes: SERVER, type: 'flag', default: true, help: 'exit when no session is left' },
  { name: 'exit-unattached', scopes: SERVER, type: 'flag', default: false, help: 'exit when no client is attached' },
  {
    name: 'extended-keys',
    scopes: SERVER,
    type: 'choice',
    choices: ['off', 'on', 'always'],
    default: 'off',
    help: 'ask the terminal for keys with all modifiers: when the program does, always, or for all programs',
  },
  {
    name: 'extended-keys-format',
    scopes: SERVER,
    type: 'choice',
    choices: ['csi-u', 'xterm'],
    default: 'csi-u',
    own: true,
    help: 'how keys are written for programs that asked by modifyOtherKeys',
  },
  { name: 'focus-events', scopes: SERVER, type: 'flag', default: false, help: 'tell programs when focus changes' },
  {
    name: 'get-clipboard',
    scopes: SERVER,
    type: 'choice',
    choices: ['off', 'buffer', 'request', 'both'],
    default: 'off',
    own: true,
    help: 'what programs that ask for the clipboard get: nothing, the newest buffer, what the terminal answers, that and a buffer of it',
  },
  {
    name: 'history-bytes-limit',
    scopes: SERVER,
    type: 'number',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 1 << 30,
    unit: 'bytes',
    own: true,
    help: 'memory for the histories of all panes; the largest loses its oldest lines; 0 for no limit',
  },
  { name: 'history-file', scopes: SERVER, type: 'string', default: '', help: 'file that keeps the prompt history' },
  {
    name: 'kitty-keys',
    scopes: SERVER,
    type: 'flag',
    default: true,
    own: true,
    help: 'speak the kitty keyboard protocol, with terminals that know it and programs that ask for it',
  },
  {
    name: 'message-limit',
    scopes: SERVER,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 1000,
    help: 'server messages kept',
  },
  {
    name: 'prompt-history-limit',
    scopes: SERVER,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 100,
    help: 'prompt answers kept for each kind of prompt',
  },
  {
    name: 'set-clipboard',
    scopes: SERVER,
    type: 'choice',
    choices: ['off', 'external', 'on'],
    default: 'external',
    help: 'who may set the clipboard: nobody, mplex, or programs too',
  },
  {
    name: 'terminal-overrides',
    scopes: SERVER,
    type: 'string',
    array: { separators: ',' },
    default: [],
    help: 'terminal:capability settings',
  },
  {
    name: 'terminal-features',
    scopes: SERVER,
    type: 'string',
    array: { separators: ',' },
    default: ['xterm*:clipboard:ccolour:cstyle:focus:title', 'screen*:title'],
    help: 'terminal:feature lists',
  },
  {
    name: 'tmux-shim',
    scopes: SERVER,
    type: 'flag',
    default: true,
    own: true,
    help: 'programs in panes and jobs find mplex under the name tmux',
  },
  {
    name: 'user-keys',
    scopes: SERVER,
    type: 'string',
    array: { separators: ',' },
    default: [],
    help: 'escape sequences that are the keys User0, User1 ...',
  },
];

const SESSION_OPTIONS: readonly OptionEntry[] = [
  {
    name: 'activity-action',
    scopes: SESSION,
    type: 'choice',
    choices: ALERT_CHOICES,
    default: 'other',
    help: 'windows whose activity alerts',
  },
  {
    name: 'assume-paste-time',
    scopes: SESSION,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 1,
    unit: 'ms',
    help: 'keys that come faster are taken for a paste',
  },
  {
    name: 'base-index',
    scopes: SESSION,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 0,
    help: 'index of the first window',
  },
  {
    name: 'bell-action',
    scopes: SESSION,
    type: 'choice',
    choices: ALERT_CHOICES,
    default: 'any',
    help: 'windows whose bell alerts',
  },
  {
    name: 'copy-notice',
    scopes: SESSION,
    type: 'flag',
    default: true,
    own: true,
    help: 'tell after a copy whether the terminal has got the text for its clipboard',
  },
  {
    name: 'default-command',
    scopes: SESSION,
    type: 'string',
    default: '',
    help: 'command of new panes; empty for a login shell',
  },
  {
    name: 'default-shell',
    scopes: SESSION,
    type: 'string',
    shell: true,
    default: '/bin/sh',
    help: 'shell of new panes and jobs',
  },
  {
    name: 'default-size',
    scopes: SESSION,
    type: 'string',
    pattern: /^[0-9].*x[0-9].*$/s,
    default: '80x24',
    unit: 'cells',
    help: 'size of windows that no client shows',
  },
  {
    name: 'destroy-unattached',
    scopes: SESSION,
    type: 'flag',
    default: false,
    help: 'destroy the session when its last client detaches',
  },
  {
    name: 'detach-on-destroy',
    scopes: SESSION,
    type: 'choice',
    choices: ['off', 'on', 'no-detached'],
    default: 'on',
    help: 'whether a client leaves when its session is destroyed',
  },
  {
    name: 'display-panes-active-colour',
    scopes: SESSION,
    type: 'colour',
    default: 'red',
    help: 'display-panes: number of the active pane',
  },
  {
    name: 'display-panes-colour',
    scopes: SESSION,
    type: 'colour',
    default: 'blue',
    help: 'display-panes: numbers of the other panes',
  },
  {
    name: 'display-panes-time',
    scopes: SESSION,
    type: 'number',
    min: 1,
    max: INT_MAX,
    default: 1000,
    unit: 'ms',
    help: 'how long display-panes shows numbers',
  },
  {
    name: 'display-time',
    scopes: SESSION,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 750,
    unit: 'ms',
    help: 'how long a message is shown; 0 until a key',
  },
  {
    name: 'history-limit',
    scopes: SESSION,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 2000,
    unit: 'lines',
    help: 'history of new panes',
  },
  {
    name: 'key-table',
    scopes: SESSION,
    type: 'string',
    default: 'root',
    help: 'key table used when no prefix was typed',
  },
  {
    name: 'live-scroll',
    scopes: SESSION,
    type: 'flag',
    default: false,
    own: true,
    help: 'the wheel and S-PPage scroll a pane back without a mode: it stays live, typing returns to the bottom',
  },
  {
    name: 'lock-after-time',
    scopes: SESSION,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 0,
    unit: 's',
    help: 'lock the client after so long without a key; 0 never',
  },
  { name: 'lock-command', scopes: SESSION, type: 'string', default: 'lock -np', help: 'command that locks a client' },
  {
    name: 'message-command-style',
    scopes: SESSION,
    type: 'style',
    default: 'bg=black,fg=yellow',
    help: 'the command prompt with vi keys in command mode',
  },
  {
    name: 'message-style',
    scopes: SESSION,
    type: 'style',
    default: 'bg=yellow,fg=black',
    help: 'messages and the command prompt',
  },
  {
    name: 'flow-marker',
    scopes: SESSION,
    type: 'flag',
    default: true,
    own: true,
    help: 'show in the status line how many questions wait and where they come from',
  },
  {
    name: 'flow-notify',
    scopes: SESSION,
    type: 'choice',
    choices: ['off', 'bell', 'osc9', 'osc777', 'osc99', 'auto'],
    default: 'bell',
    own: true,
    help: 'how the terminal calls when a program asks something: by bell or a notice, if it can show one',
  },
  { name: 'mouse', scopes: SESSION, type: 'flag', default: false, help: 'use the mouse' },
  {
    name: 'mouse-keep-selection',
    scopes: SESSION,
    type: 'flag',
    default: false,
    own: true,
    help: 'stay in copy mode, selection and all, when the mouse button that selected is released',
  },
  {
    name: 'pane-notify',
    scopes: SESSION,
    type: 'choice',
    choices: ['off', 'bell', 'osc9', 'osc777', 'osc99', 'auto'],
    default: 'auto',
    own: true,
    help: 'how the terminal calls when a program sends a notice (OSC 9, 777, 99): by bell or a notice, if it can show one',
  },
  { name: 'prefix', scopes: SESSION, type: 'key', default: 'C-b', help: 'the prefix key' },
  {
    name: 'prefix-hints',
    scopes: SESSION,
    type: 'flag',
    default: true,
    own: true,
    help: 'show what can follow the prefix when nothing is pressed after it',
  },
  {
    name: 'prefix-hints-time',
    scopes: SESSION,
    type: 'number',
    min: 1,
    max: INT_MAX,
    default: 500,
    unit: 'ms',
    own: true,
    help: 'how long after the prefix the hints appear',
  },
  { name: 'prefix2', scopes: SESSION, type: 'key', default: 'None', help: 'a second prefix key' },
  {
    name: 'renumber-windows',
    scopes: SESSION,
    type: 'flag',
    default: false,
    help: 'close gaps in the window numbers when a window closes',
  },
  {
    name: 'repeat-time',
    scopes: SESSION,
    type: 'number',
    min: 0,
    max: SHORT_MAX,
    default: 500,
    unit: 'ms',
    help: 'how long a repeatable key may be repeated without prefix',
  },
  { name: 'set-titles', scopes: SESSION, type: 'flag', default: false, help: "set the terminal's title" },
  {
    name: 'set-titles-string',
    scopes: SESSION,
    type: 'string',
    default: '#S:#I:#W - "#T" #{session_alerts}',
    help: "format of the terminal's title",
  },
  {
    name: 'silence-action',
    scopes: SESSION,
    type: 'choice',
    choices: ALERT_CHOICES,
    default: 'other',
    help: 'windows whose silence alerts',
  },
  {
    name: 'ssh-agent-link',
    scopes: SESSION,
    type: 'flag',
    default: true,
    own: true,
    help: 'give programs a path to the SSH agent that lasts: it follows the agent of the client in use',
  },
  {
    name: 'status',
    scopes: SESSION,
    type: 'choice',
    choices: ['off', 'on', '2', '3', '4', '5'],
    default: 'on',
    help: 'rows of the status line',
  },
  {
    name: 'status-bg',
    scopes: SESSION,
    type: 'colour',
    default: 'default',
    help: "status line background, over status-style's",
  },
  {
    name: 'status-fg',
    scopes: SESSION,
    type: 'colour',
    default: 'default',
    help: "status line foreground, over status-style's",
  },
  {
    name: 'status-format',
    scopes: SESSION,
    type: 'string',
    array: { separators: LIST_SEPARATORS },
    default: [STATUS_FORMAT_0, STATUS_FORMAT_1],
    help: 'format of each status row',
  },
  {
    name: 'status-interval',
    scopes: SESSION,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 15,
    unit: 's',
    help: 'time between two updates of the status line',
  },
  {
    name: 'status-justify',
    scopes: SESSION,
    type: 'choice',
    choices: ['left', 'centre', 'right', 'absolute-centre'],
    default: 'left',
    help: 'where the window list stands',
  },
  {
    name: 'status-keys',
    scopes: SESSION,
    type: 'choice',
    choices: KEYS_CHOICES,
    default: 'emacs',
    help: 'keys of the command prompt',
  },
  {
    name: 'status-left',
    scopes: SESSION,
    type: 'string',
    default: '[#{session_name}] ',
    help: 'left part of the status line',
  },
  {
    name: 'status-left-length',
    scopes: SESSION,
    type: 'number',
    min: 0,
    max: SHORT_MAX,
    default: 10,
    unit: 'cells',
    help: 'most that the left part takes',
  },
  { name: 'status-left-style', scopes: SESSION, type: 'style', default: 'default', help: 'style of the left part' },
  {
    name: 'status-position',
    scopes: SESSION,
    type: 'choice',
    choices: ['top', 'bottom'],
    default: 'bottom',
    help: 'where the status line is',
  },
  {
    name: 'status-right',
    scopes: SESSION,
    type: 'string',
    default: '#{?window_bigger,[#{window_offset_x}#,#{window_offset_y}] ,}"#{=21:pane_title}" %H:%M %d-%b-%y',
    help: 'right part of the status line',
  },
  {
    name: 'status-right-length',
    scopes: SESSION,
    type: 'number',
    min: 0,
    max: SHORT_MAX,
    default: 40,
    unit: 'cells',
    help: 'most that the right part takes',
  },
  { name: 'status-right-style', scopes: SESSION, type: 'style', default: 'default', help: 'style of the right part' },
  {
    name: 'status-style',
    scopes: SESSION,
    type: 'style',
    default: 'bg=green,fg=black',
    help: 'style of the status line',
  },
  {
    name: 'update-environment',
    scopes: SESSION,
    type: 'string',
    array: { separators: LIST_SEPARATORS },
    default: [
      'DISPLAY',
      'KRB5CCNAME',
      'SSH_ASKPASS',
      'SSH_AUTH_SOCK',
      'SSH_AGENT_PID',
      'SSH_CONNECTION',
      'WINDOWID',
      'XAUTHORITY',
    ],
    help: 'variables that a session takes over from a client that attaches',
  },
  {
    name: 'visual-activity',
    scopes: SESSION,
    type: 'choice',
    choices: VISUAL_CHOICES,
    default: 'off',
    help: 'activity gives a message, a bell, or both',
  },
  {
    name: 'visual-bell',
    scopes: SESSION,
    type: 'choice',
    choices: VISUAL_CHOICES,
    default: 'off',
    help: 'a bell gives a message, a bell, or both',
  },
  {
    name: 'visual-silence',
    scopes: SESSION,
    type: 'choice',
    choices: VISUAL_CHOICES,
    default: 'off',
    help: 'silence gives a message, a bell, or both',
  },
  {
    name: 'word-separators',
    scopes: SESSION,
    type: 'string',
    default: '!"#$%&\'()*+,-./:;<=>?@[\\]^`{|}~',
    help: 'characters that end a word in copy mode',
  },
];

const WINDOW_OPTIONS: readonly OptionEntry[] = [
  { name: 'cursor-colour', scopes: PANE, type: 'colour', default: 'none', help: 'colour of the cursor' },
  {
    name: 'cursor-style',
    scopes: PANE,
    type: 'choice',
    choices: ['default', 'blinking-block', 'block', 'blinking-underline', 'underline', 'blinking-bar', 'bar'],
    default: 'default',
    help: 'shape of the cursor',
  },
  {
    name: 'aggressive-resize',
    scopes: WINDOW,
    type: 'flag',
    default: false,
    help: 'only clients that show the window decide its size',
  },
  {
    name: 'allow-passthrough',
    scopes: PANE,
    type: 'flag',
    default: false,
    help: 'programs may send sequences past mplex to the terminal',
  },
  { name: 'allow-rename', scopes: PANE, type: 'flag', default: false, help: 'programs may rename the window' },
  {
    name: 'alternate-screen',
    scopes: PANE,
    type: 'flag',
    default: true,
    help: 'programs may use the alternate screen',
  },
  {
    name: 'automatic-rename',
    scopes: WINDOW,
    type: 'flag',
    default: true,
    help: 'name the window after what runs in it',
  },
  {
    name: 'automatic-rename-format',
    scopes: WINDOW,
    type: 'string',
    default: '#{?pane_in_mode,[tmux],#{pane_current_command}}#{?pane_dead,[dead],}',
    help: 'format of the automatic name',
  },
  { name: 'clock-mode-colour', scopes: WINDOW, type: 'colour', default: 'blue', help: 'colour of the clock' },
  {
    name: 'clock-mode-style',
    scopes: WINDOW,
    type: 'choice',
    choices: ['12', '24'],
    default: '24',
    help: 'hours of the clock',
  },
  {
    name: 'copy-mode-match-style',
    scopes: WINDOW,
    type: 'style',
    default: 'bg=cyan,fg=black',
    help: 'search matches in copy mode',
  },
  {
    name: 'copy-mode-current-match-style',
    scopes: WINDOW,
    type: 'style',
    default: 'bg=magenta,fg=black',
    help: 'the current search match in copy mode',
  },
  {
    name: 'copy-mode-mark-style',
    scopes: WINDOW,
    type: 'style',
    default: 'bg=red,fg=black',
    help: 'the marked line in copy mode',
  },
  {
    name: 'fill-character',
    scopes: WINDOW,
    type: 'string',
    default: '',
    help: 'character that fills what no window uses',
  },
  {
    name: 'main-pane-height',
    scopes: WINDOW,
    type: 'string',
    default: '24',
    unit: 'cells or %',
    help: 'height of the main pane in main-horizontal',
  },
  {
    name: 'main-pane-width',
    scopes: WINDOW,
    type: 'string',
    default: '80',
    unit: 'cells or %',
    help: 'width of the main pane in main-vertical',
  },
  {
    name: 'mode-keys',
    scopes: WINDOW,
    type: 'choice',
    choices: KEYS_CHOICES,
    default: 'emacs',
    help: 'keys of copy mode',
  },
  {
    name: 'mode-style',
    scopes: WINDOW,
    type: 'style',
    default: 'bg=yellow,fg=black',
    help: 'style of modes and selections',
  },
  { name: 'monitor-activity', scopes: WINDOW, type: 'flag', default: false, help: 'alert on output' },
  { name: 'monitor-bell', scopes: WINDOW, type: 'flag', default: true, help: 'alert on a bell' },
  {
    name: 'monitor-silence',
    scopes: WINDOW,
    type: 'number',
    min: 0,
    max: INT_MAX,
    default: 0,
    unit: 's',
    help: 'alert after so long without output; 0 never',
  },
  {
    name: 'other-pane-height',
    scopes: WINDOW,
    type: 'string',
    default: '0',
    unit: 'cells or %',
    help: 'height of the other panes in main-horizontal',
  },
  {
    name: 'other-pane-width',
    scopes: WINDOW,
    type: 'string',
    default: '0',
    unit: 'cells or %',
    help: 'width of the other panes in main-vertical',
  },
  {
    name: 'pane-active-border-style',
    scopes: WINDOW,
    type: 'style',
    default: '#{?pane_in_mode,fg=yellow,#{?synchronize-panes,fg=red,fg=green}}',
    help: 'border of the active pane',
  },
  {
    name: 'pane-base-index',
    scopes: WINDOW,
    type: 'number',
    min: 0,
    max: USHORT_MAX,
    default: 0,
    help: 'index of the first pane',
  },
  {
    name: 'pane-border-format',
    scopes: PANE,
    type: 'string',
    default: '#{?pane_active,#[reverse],}#{pane_index}#[default] "#{pane_title}"',
    help: 'text in the border of a pane',
  },
  {
    name: 'pane-border-indicators',
    scopes: WINDOW,
    type: 'choice',
    choices: ['off', 'colour', 'arrows', 'both'],
    default: 'colour',
    help: 'how the border shows the active pane',
  },
  {
    name: 'pane-border-lines',
    scopes: WINDOW,
    type: 'choice',
    choices: ['single', 'double', 'heavy', 'simple', 'number'],
    default: 'single',
    help: 'characters of pane borders',
  },
  {
    name: 'pane-border-status',
    scopes: WINDOW,
    type: 'choice',
    choices: ['off', 'top', 'bottom'],
    default: 'off',
    help: 'where the text in the border stands',
  },
  { name: 'pane-border-style', scopes: WINDOW, type: 'style', default: 'default', help: 'border of the other panes' },
  {
    name: 'pane-question-border-style',
    scopes: WINDOW,
    type: 'style',
    default: 'fg=yellow,bold',
    own: true,
    help: 'border of a pane whose program asks something',
  },
  {
    name: 'pane-colours',
    scopes: PANE,
    type: 'colour',
    array: { separators: LIST_SEPARATORS },
    default: [],
    help: 'palette of the pane, 0 to 255',
  },
  { name: 'popup-style', scopes: WINDOW, type: 'style', default: 'default', help: 'inside of a popup' },
  { name: 'popup-border-style', scopes: WINDOW, type: 'style', default: 'default', help: 'border of a popup' },
  {
    name: 'popup-border-lines',
    scopes: WINDOW,
    type: 'choice',
    choices: ['single', 'double', 'heavy', 'simple', 'rounded', 'padded', 'none'],
    default: 'single',
    help: 'characters of popup borders',
  },
  {
    name: 'remain-on-exit',
    scopes: PANE,
    type: 'choice',
    choices: ['off', 'on', 'failed'],
    default: 'off',
    help: 'keep the pane when its program exits',
  },
  {
    name: 'remain-on-exit-format',
    scopes: PANE,
    type: 'string',
    default: REMAIN_ON_EXIT_FORMAT,
    help: 'text at the bottom of a dead pane',
  },
  {
    name: 'scroll-on-clear',
    scopes: PANE,
    type: 'flag',
    default: true,
    help: 'clearing the screen moves it into the history',
  },
  { name: 'synchronize-panes', scopes: PANE, type: 'flag', default: false, help: 'type into all such panes at once' },
  { name: 'window-active-style', scopes: PANE, type: 'style', default: 'default', help: 'the active pane' },
  {
    name: 'window-size',
    scopes: WINDOW,
    type: 'choice',
    choices: ['largest', 'smallest', 'manual', 'latest'],
    default: 'latest',
    help: 'which client decides the size of a window',
  },
  { name: 'window-style', scopes: PANE, type: 'style', default: 'default', help: 'panes' },
  {
    name: 'window-status-activity-style',
    scopes: WINDOW,
    type: 'style',
    default: 'reverse',
    help: 'a window with activity in the list',
  },
  {
    name: 'window-status-bell-style',
    scopes: WINDOW,
    type: 'style',
    default: 'reverse',
    help: 'a window with a bell in the list',
  },
  {
    name: 'window-status-current-format',
    scopes: WINDOW,
    type: 'string',
    default: '#I:#W#{?window_flags,#{window_flags}, }',
    help: 'the current window in the list',
  },
  {
    name: 'window-status-current-style',
    scopes: WINDOW,
    type: 'style',
    default: 'default',
    help: 'style of the current window in the list',
  },
  {
    name: 'window-status-format',
    scopes: WINDOW,
    type: 'string',
    default: '#I:#W#{?window_flags,#{window_flags}, }',
    help: 'a window in the list',
  },
  {
    name: 'window-status-last-style',
    scopes: WINDOW,
    type: 'style',
    default: 'default',
    help: 'style of the last window in the list',
  },
  {
    name: 'window-status-separator',
    scopes: WINDOW,
    type: 'string',
    default: ' ',
    help: 'text between two windows in the list',
  },
  {
    name: 'window-status-style',
    scopes: WINDOW,
    type: 'style',
    default: 'default',
    help: 'style of a window in the list',
  },
  {
    name: 'wrap-search',
    scopes: WINDOW,
    type: 'flag',
    default: true,
    help: 'searches go on at the other end',
  },
  {
    name: 'xterm-keys',
    scopes: WINDOW,
    type: 'flag',
    default: true,
    help: 'kept for old configurations; has no effect',
  },
];

/** Commands that fire `after-NAME` when they have run. */
const AFTER_HOOKS = [
  'bind-key',
  'capture-pane',
  'copy-mode',
  'display-message',
  'display-panes',
  'kill-pane',
  'list-buffers',
  'list-clients',
  'list-keys',
  'list-panes',
  'list-sessions',
  'list-windows',
  'load-buffer',
  'lock-server',
  'new-session',
  'new-window',
  'paste-buffer',
  'pipe-pane',
  'queue',
  'refresh-client',
  'rename-session',
  'rename-window',
  'resize-pane',
  'resize-window',
  'save-buffer',
  'select-layout',
  'select-pane',
  'select-window',
  'send-keys',
  'set-buffer',
  'set-environment',
  'set-hook',
  'set-option',
  'show-environment',
  'show-messages',
  'show-options',
  'split-window',
  'unbind-key',
];

const SESSION_HOOKS: readonly (readonly [name: string, help: string])[] = [
  ...AFTER_HOOKS.map((name) => [`after-${name}`, `after ${name}`] as const),
  ['alert-activity', 'a window has activity'],
  ['alert-bell', 'a window has a bell'],
  ['alert-silence', 'a window has been silent'],
  ['client-active', 'a client becomes the latest of its session'],
  ['client-attached', 'a client attaches'],
  ['client-detached', 'a client detaches'],
  ['client-focus-in', 'a client gets the focus'],
  ['client-focus-out', 'a client loses the focus'],
  ['client-resized', 'a client changes its size'],
  ['client-session-changed', 'a client shows another session'],
  ['session-closed', 'a session closes'],
  ['session-created', 'a session is made'],
  ['session-renamed', 'a session is renamed'],
  ['session-window-changed', 'a session shows another window'],
  ['window-linked', 'a window is linked into a session'],
  ['window-unlinked', 'a window is unlinked from a session'],
];

/** Hooks of windows; those of panes may be set on a pane too. The order is show-options'. */
const WINDOW_HOOKS: readonly (readonly [name: string, scopes: readonly OptionScope[], help: string])[] = [
  ['pane-died', PANE, 'the program of a pane exits and the pane stays'],
  ['pane-exited', PANE, 'the program of a pane exits'],
  ['pane-focus-in', PANE, 'a pane gets the focus'],
  ['pane-focus-out', PANE, 'a pane loses the focus'],
  ['pane-mode-changed', PANE, 'a pane enters or leaves a mode'],
  ['pane-set-clipboard', PANE, 'a program sets the clipboard'],
  ['pane-title-changed', PANE, 'the title of a pane changes'],
  ['window-layout-changed', WINDOW, 'the layout of a window changes'],
  ['window-pane-changed', WINDOW, 'the active pane of a window changes'],
  ['window-renamed', WINDOW, 'a window is renamed'],
  ['window-resized', WINDOW, 'a window changes its size'],
];

/** Hooks of later versions of tmux. */
const LATER_HOOKS: readonly (readonly [name: string, help: string])[] = [
  ['client-dark-theme', "a client's terminal turns dark"],
  ['client-light-theme', "a client's terminal turns light"],
];

function hookEntry(name: string, scopes: readonly OptionScope[], help: string): OptionEntry {
  return { name, scopes, type: 'command', hook: true, array: { separators: '' }, default: [], help: `hook: ${help}` };
}

export const OPTION_TABLE: readonly OptionEntry[] = [
  ...SERVER_OPTIONS,
  ...SESSION_OPTIONS,
  ...WINDOW_OPTIONS,
  ...SESSION_HOOKS.map(([name, help]) => hookEntry(name, SESSION, help)),
  ...LATER_HOOKS.map(([name, help]) => ({ ...hookEntry(name, SESSION, help), own: true as const })),
  ...WINDOW_HOOKS.map(([name, scopes, help]) => hookEntry(name, scopes, help)),
];

const STATUS_STYLE_PARTS = ['', '-activity', '-bell', '-content', '-current', '-last'];

/** Options of older versions, found in configurations that are still in use. They are not set; a warning is enough. */
export const OBSOLETE_OPTIONS: ReadonlySet<string> = new Set([
  'utf8',
  'status-utf8',
  'mode-mouse',
  'mouse-select-pane',
  'mouse-select-window',
  'mouse-resize-pane',
  'mouse-utf8',
  'set-remain-on-exit',
  'default-path',
  'c0-change-interval',
  'c0-change-trigger',
  'layout-history-limit',
  'monitor-content',
  'quiet',
  'visual-content',
  ...['mode', 'message', 'message-command', 'pane-border', 'pane-active-border', 'status-left', 'status-right'].flatMap(
    (part) => ['fg', 'bg', 'attr'].map((side) => `${part}-${side}`),
  ),
  'status-attr',
  ...STATUS_STYLE_PARTS.flatMap((part) => ['fg', 'bg', 'attr'].map((side) => `window-status${part}-${side}`)),
]);

const BY_NAME: ReadonlyMap<string, OptionEntry> = new Map(OPTION_TABLE.map((entry) => [entry.name, entry]));

/** The row of an option by its full name. */
export function optionEntry(name: string): OptionEntry | undefined {
  return BY_NAME.get(name);
}
