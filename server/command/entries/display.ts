/** Commands that show things: display-message, capture-pane, show-messages, display-panes, clock-mode, copy-mode. */

import { cleanText } from '../../../protocol/clean-text.ts';
import { FORMAT_VARIABLES } from '../../format/format-variables.ts';
import { openClockMode } from '../../mode/clock-mode.ts';
import { leaveAllModes, openCopyMode } from '../../mode/copy-mode.ts';
import type { ClientSession } from '../../model/client-session.ts';
import type { Pane } from '../../model/pane.ts';
import { captureRange, captureText, escapeOctal } from '../../terminal/capture.ts';
import { savedScreenOf, viewOf } from '../../terminal/history.ts';
import type { Args } from '../args.ts';
import { anyArgument } from '../args.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import { isTakenFor } from './caller.ts';
import type { CommandContext, Entry } from './context.ts';
import { modeMouse } from './mode-mouse.ts';
import { ownPlace } from './own-target.ts';
import { PaneNumbers } from './pane-numbers.ts';

const MESSAGE_TEMPLATE =
  '[#{session_name}] #{window_index}:#{window_name}, current pane #{pane_index} - (%H:%M %d-%b-%y)';
/** Delays and durations at most, ms (UINT_MAX). */
const DELAY_MAX = 4_294_967_295;

const displayMessage: Entry = {
  name: 'display-message',
  alias: 'display',
  args: { template: 'ac:d:IlNpt:F:v', min: 0, max: 1 },
  usage: '[-aINpv] [-c target-client] [-d delay] [-F format] [-t target-pane] [message]',
  client: { flag: 'c', canFail: true },
  help: 'Show a message in the status line, or print it (-p)',
  exec(context, args) {
    const target = ownPlace(context, args, 'pane');
    if (args.has('I')) return fillPane(context, target.pane);
    const format = args.value('F');
    const words = args.string(0);
    if (format !== undefined && words !== undefined) return failed('only one of -F or argument must be given');
    const delay = args.has('d') ? args.number('d', { min: 0, max: DELAY_MAX, name: 'delay' }) : undefined;
    if (delay && !delay.ok) return failed(delay.error);
    const { client } = context;
    const about = { ...target, client: !target.session || client?.session === target.session ? client : undefined };
    if (args.has('a')) {
      for (const { name } of FORMAT_VARIABLES) {
        const value = context.expand(`#{${name}}`, about);
        if (value !== '') context.print(`${name}=${value}`);
      }
      return OK;
    }
    const template = words ?? format ?? MESSAGE_TEMPLATE;
    const trace = (depth: number, step: string) => context.print(`#${' '.repeat(depth)}${step}`);
    // -l (tmux 3.4): as it is.
    const text = args.has('l')
      ? template
      : context.expand(template, about, { time: true, trace: args.has('v') ? trace : undefined });
    if (args.has('p')) context.print(text);
    else if (client) {
      context.services.showMessage(client, text, {
        ...(delay ? { delayMs: delay.value } : {}),
        ignoresKeys: args.has('N'),
      });
    }
    return OK;
  },
};

/** Prints standard input on the screen of an empty pane (display-message -I). */
async function fillPane(context: CommandContext, pane: Pane | undefined): Promise<CommandResult> {
  if (!pane) return OK;
  if (pane.pty) return failed('pane is not empty');
  const bytes = await context.caller.readStdin?.();
  if (!bytes) return OK;
  // A program's line feed goes through a pty that makes it CR LF; here there is none.
  pane.emulator.write(Buffer.from(Buffer.from(bytes).toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1'));
  context.registry.markPane(pane);
  return OK;
}

const capturePane: Entry = {
  name: 'capture-pane',
  alias: 'capturep',
  args: { template: 'ab:CeE:JNpPqS:t:', min: 0, max: 0 },
  usage: '[-aCeJNpPq] [-b buffer-name] [-E end-line] [-S start-line] [-t target-pane]',
  target: { flag: 't', kind: 'pane' },
  help: "Take a pane's text, to standard output (-p) or a buffer",
  exec(context, args) {
    const captured = args.has('P') ? pendingText(context, args) : screenText(context, args);
    if (!captured.ok) return failed(captured.error);
    const { registry } = context;
    if (args.has('p')) {
      const { text } = captured;
      context.caller.print(text.endsWith('\n') ? text : `${text}\n`);
      return OK;
    }
    const name = args.value('b');
    if (name !== undefined) registry.buffers.set(name, captured.text);
    else registry.buffers.add(captured.text, registry.serverOptions.number('buffer-limit'));
    return OK;
  },
};

type Captured = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string };

/** What the program has begun to send and not finished. */
function pendingText(context: CommandContext, args: Args): Captured {
  const text = Buffer.from(context.target.pane.emulator.pendingBytes).toString('latin1');
  return { ok: true, text: args.has('C') ? escapeOctal(text) : text };
}

function screenText(context: CommandContext, args: Args): Captured {
  const { emulator } = context.target.pane;
  const view = args.has('a') ? savedScreenOf(emulator) : viewOf(emulator);
  if (!view) return args.has('q') ? { ok: true, text: '' } : { ok: false, error: 'no alternate screen' };
  const range = captureRange(view, args.value('S'), args.value('E'));
  const text = captureText(view, range, {
    styles: args.has('e'),
    octal: args.has('C'),
    join: args.has('J'),
    keepSpaces: args.has('N'),
  });
  return { ok: true, text };
}

/** Code points of a command line in the list of jobs. */
const JOB_MAX = 1000;

const showMessages: Entry = {
  name: 'show-messages',
  alias: 'showmsgs',
  args: { template: 'JTt:', min: 0, max: 0 },
  usage: '[-JT] [-t target-client]',
  client: { flag: 't' },
  help: 'Show the messages of the server, newest first',
  exec(context, args) {
    if (!context.client) return failed('no current client');
    if (args.has('T')) for (const line of terminalLines(context)) context.print(line);
    if (args.has('J')) for (const line of jobLines(context)) context.print(line);
    if (args.has('T') || args.has('J')) return OK;
    for (const { time, text } of context.registry.messages.list.toReversed())
      context.print(`${clockTime(time)}: ${text}`);
    return OK;
  },
};

/** Seconds since the epoch as `14:05`. */
function clockTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}

/** Each job as tmux lists it, without a descriptor. Its command line may hold anything. */
function jobLines({ services }: CommandContext): string[] {
  return services
    .runningJobs()
    .map(({ command, pid }, at) => `Job ${at}: ${cleanText(command, { max: JOB_MAX })} [pid=${pid ?? -1}, status=0]`);
}

/** What each client's terminal can do. */
function terminalLines({ registry }: CommandContext): string[] {
  return registry.attachedClients().flatMap((client, index) => {
    const head = `Terminal ${index}: ${client.term} for ${client.name}:`;
    const known = Object.entries(client.capabilities ?? {}).map(
      ([name, value], at) => `${String(at).padStart(4)}: ${name}: ${value}`,
    );
    return [head, ...known];
  });
}

const displayPanes: Entry = {
  name: 'display-panes',
  alias: 'displayp',
  args: { template: 'bd:Nt:', min: 0, max: 1, blocks: anyArgument },
  usage: '[-bN] [-d duration] [-t target-client] [template]',
  client: { flag: 't' },
  help: 'Show the numbers of the panes; a digit chooses one',
  exec(context, args) {
    const { client } = context;
    const session = client?.session;
    if (!client || !session) return failed('no current client');
    if (isTakenFor(context, client)) return OK;
    const given = args.has('d') ? args.number('d', { min: 0, max: DELAY_MAX, name: 'delay' }) : undefined;
    if (given && !given.ok) return failed(given.error);
    const durationMs = given?.value ?? session.options.number('display-panes-time');
    const template = args.commands(0) ?? args.string(0) ?? 'select-pane -t "%%"';
    const shown = new Promise<CommandResult>((resolve) => {
      const overlay = new PaneNumbers(context, client, {
        durationMs,
        ignoresKeys: args.has('N'),
        template,
        done: resolve,
      });
      context.services.overlays.open(client, overlay);
    });
    return args.has('b') ? OK : shown;
  },
};

const clockMode: Entry = {
  name: 'clock-mode',
  args: { template: 't:', min: 0, max: 0 },
  usage: '[-t target-pane]',
  target: { flag: 't', kind: 'pane' },
  help: 'Show a clock in a pane',
  exec(context) {
    const { services, registry } = context;
    const reopening = () => context.reopening({ kind: 'clock' });
    openClockMode({ registry, after: services.after, reopening }, context.target.pane);
    return OK;
  },
};

const copyMode: Entry = {
  name: 'copy-mode',
  args: { template: 'eHMqs:t:u', min: 0, max: 0 },
  usage: '[-eHMuq] [-s src-pane] [-t target-pane]',
  source: { flag: 's', kind: 'pane' },
  target: { flag: 't', kind: 'pane' },
  help: "Scroll, search and copy a pane's text",
  exec(context, args) {
    const { services, registry, mouse } = context;
    if (args.has('q')) {
      leaveAllModes(registry, context.target.pane);
      return OK;
    }
    const client = args.has('M') ? mouseClient(context) : undefined;
    if (args.has('M') && (!client || !mouse?.pane)) return OK;
    const pane = args.has('M') && mouse?.pane ? mouse.pane : context.target.pane;
    const mode = openCopyMode({
      services,
      pane,
      source: args.value('s') === undefined ? undefined : context.source.pane,
      scrollUp: args.has('u'),
      exitAtBottom: args.has('e'),
      hidePosition: args.has('H'),
    });
    if (client && mouse) mode.selectFromMouse(client, modeMouse(mouse));
    return OK;
  },
};

/** The client whose mouse event ran the command. */
function mouseClient({ state, mouse }: CommandContext): ClientSession | undefined {
  return mouse ? state.client : undefined;
}

export const DISPLAY_ENTRIES: readonly Entry[] = [
  capturePane,
  clockMode,
  copyMode,
  displayMessage,
  displayPanes,
  showMessages,
];
