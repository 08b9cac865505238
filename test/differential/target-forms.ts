/** Every command of tmux with every form of every target it takes, and with what it cannot take: made from `list-commands`. */
import { tmuxCommands } from './flag-use.ts';
import { type Section, type Step, splitWords } from './script.ts';

/** The forms of tmux(1) COMMANDS, found and not found. */
const SESSION_FORMS = ['$0', 'one', 'tw', 't*', '=two', 'two:', '=two:', 'two:0', '', '=tw', 'nothing', '$9'];
const WINDOW_FORMS = [
  ...['@1', ':1', '1', 'two:', 'two:0', 'win', 'wi', 'o*r', '=win', 'one:=win', '+', '-', ':+2', '!', '^', '$'],
  ...['{next}', '{previous}', '{last}', '{start}', '{end}', '{marked}', '=', '@9', ':9', '=wi', 'two:win', 'nothing'],
];
const PANE_FORMS = [
  ...['%1', '.1', '1', '0.1', 'one:0.1', 'win.0', 'two', '=two:', 'two:0.0', ':.0', '!', '+', '-', ':.+', ':0.-2'],
  ...['{last}', '{next}', '{previous}', '{top}', '{bottom}', '{left}', '{right}', '{top-left}', '{bottom-right}'],
  ...['{up-of}', '{down-of}', '{left-of}', '{right-of}', '{marked}', '~', '{mouse}', '%9', '.9', 'nothing', ':9.0'],
];
const CLIENT_FORMS = ['/dev/nothing', 'nothing', ''];

/** The forms for what the usage says of a flag's value. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  'target-client': CLIENT_FORMS,
  'target-session': SESSION_FORMS,
  'target-window': WINDOW_FORMS,
  'src-window': WINDOW_FORMS,
  'dst-window': WINDOW_FORMS,
  'target-pane': PANE_FORMS,
  'src-pane': PANE_FORMS,
  'dst-pane': PANE_FORMS,
};

/** What a command is given beside the target, where it needs something, or says too much without. */
const WITH: Readonly<Record<string, string>> = {
  'bind-key': '-T mine x next-window',
  'break-pane': '-d',
  'capture-pane': '-p',
  'clear-prompt-history': '',
  'command-prompt': "-p x 'display-message %%'",
  'confirm-before': 'next-window',
  'delete-buffer': '-b none',
  'display-menu': "'' '' ''",
  'display-message': "-p '#{session_name}:#{window_index}.#{pane_index} #{pane_id}'",
  'display-popup': 'true',
  'find-window': 'w',
  'has-session': '',
  'if-shell': "-F '#{pane_id}' 'display-message -p yes' 'display-message -p no'",
  'join-pane': '-d',
  'link-window': '-d',
  'list-keys': '-T mine',
  'list-clients': "-F '#{client_name}'",
  'list-panes': "-F '#{session_name}:#{window_index}.#{pane_index}'",
  'list-windows': "-F '#{session_name}:#{window_index}'",
  'load-buffer': '{home}/none',
  'move-pane': '-d',
  'move-window': '-d',
  'new-session': '-d',
  'new-window': '-d cat',
  'paste-buffer': '',
  'pipe-pane': '',
  'refresh-client': '',
  'rename-session': 'renamed',
  'rename-window': 'renamed',
  'resize-pane': '-x 30',
  'resize-window': '-x 70',
  'respawn-pane': '-k cat',
  'respawn-window': '-k cat',
  'run-shell': "-C 'display-message -p x'",
  'save-buffer': '{home}/saved',
  'select-layout': 'tiled',
  'send-keys': 'x',
  'set-buffer': 'text',
  'set-environment': 'NAME value',
  'set-hook': "pane-exited 'set -g @x y'",
  'set-option': '@x y',
  'set-window-option': '@x y',
  'show-environment': 'NAME',
  'show-hooks': 'pane-exited',
  'show-options': '@x',
  'show-window-options': '@x',
  'source-file': '-q {home}/none',
  'split-window': '-d -l 3 cat',
  'swap-pane': '-d',
  'swap-window': '-d',
  'unbind-key': '-q -T mine y',
  'wait-for': '-S x',
};

/** Commands that are not tried here, with why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'choose-tree': 'docs/mplex.md, modes-need-client; screens.txt has its targets',
  'customize-mode': 'docs/mplex.md, modes-need-client',
  'find-window': 'docs/mplex.md, modes-need-client',
  'kill-server': 'nothing is left to compare',
  'server-access': 'tells of the users of the machine',
  'show-messages': 'docs/mplex.md, message-log',
};

/** Commands after which less is there; more is made before each. */
const TAKES_AWAY = /^(?:kill-|unlink-|break-|join-|move-)/;
/** Commands that change nothing: what they say is compared, the state is not. */
const ONLY_TELLS = /^(?:list-|show-|has-|display-m|capture-|if-|save-)/;

/** Panes in three places, a mark, a session besides, and buffers. */
const PLACES: readonly (readonly string[])[] = [
  ['split-window', '-h', '-t', 'one:0', 'cat'],
  ['split-window', '-t', 'one:0', 'cat'],
  ['new-window', '-d', '-n', 'win', '-t', 'one:1', 'cat'],
  ['new-window', '-d', '-n', 'other', '-t', 'one:2', 'cat'],
  ['new-session', '-d', '-s', 'two', '-n', 'w', '-x', '80', '-y', '24', 'cat'],
  ['select-window', '-t', 'one:2'],
  ['select-window', '-t', 'one:0'],
  ['select-pane', '-t', 'one:0.0'],
  ['select-pane', '-m', '-t', 'one:1.0'],
  ['set-environment', '-t', 'one', 'NAME', 'value'],
];

/** A section for each command: its target flags in every form, then two calls that fail for every command. */
export function targetSections(): Section[] {
  return tmuxCommands()
    .filter(({ name }) => !(name in LEFT_OUT))
    .map(({ name, usage }) => {
      const rest = splitWords(WITH[name] ?? '');
      const before = name === 'kill-session' ? [NEW_SESSION] : TAKES_AWAY.test(name) ? MORE : [];
      const flags = [...usage.matchAll(/\[-([A-Za-z]) ((?:target|src|dst)-[a-z]+)\]/g)];
      const forms = flags.flatMap(([, flag = '', kind = '']) =>
        (FORMS[kind] ?? []).map((form) => [name, `-${flag}`, form, ...rest]),
      );
      const calls = [
        ...PLACES,
        ...(flags.length > 0 ? [[name, ...rest]] : []),
        ...forms.flatMap((argv) => [...before, argv]),
        [name, '-@'],
        [name, ...Array.from({ length: 5 }, () => '--nothing')],
      ];
      return { title: name, steps: stepsOf(calls, { tellsOnly: ONLY_TELLS.test(name) }) };
    });
}

const MORE: readonly (readonly string[])[] = [
  ['split-window', '-d', '-t', 'one:', 'cat'],
  ['new-window', '-d', '-n', 'win', '-t', 'one:', 'cat'],
];

const NEW_SESSION = ['new-session', '-d', 'cat'];

/** After so many calls the state is compared: what differs stays, as a rule. */
const STATE_EVERY = 4;

function stepsOf(calls: readonly (readonly string[])[], { tellsOnly }: { readonly tellsOnly: boolean }): Step[] {
  const steps = calls.flatMap((argv, index): Step[] => {
    const step = call(argv, index);
    const isCompared = index % STATE_EVERY === STATE_EVERY - 1 || index === calls.length - 1;
    return isCompared && !tellsOnly ? [state('on'), step, state('off')] : [step];
  });
  return [state('off'), ...steps];
}

function state(word: 'on' | 'off'): Step {
  return { kind: 'directive', line: 0, name: 'state', words: [word] };
}

function call(argv: readonly string[], line: number): Step {
  return { kind: 'call', line, argv, stdin: undefined, allowed: undefined, isBackground: false };
}
