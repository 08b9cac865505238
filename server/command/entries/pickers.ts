/** Commands that put a pane into a picker: choose-tree, choose-buffer, choose-client, find-window. */

import { isTrue } from '../../format/format-expand.ts';
import type { FormatContext } from '../../format/format-variables.ts';
import { BufferSource } from '../../mode/buffer-source.ts';
import { ClientSource } from '../../mode/client-source.ts';
import { type ListModeInit, openList } from '../../mode/list-mode.ts';
import type { ListCall, ListServices, ListSource, ListTemplate } from '../../mode/list-source.ts';
import { type TreePlace, TreeSource } from '../../mode/tree-source.ts';
import type { ClientSession } from '../../model/client-session.ts';
import type { PasteBuffer } from '../../model/paste-buffers.ts';
import type { ListState } from '../../model/reopening.ts';
import { type Args, anyArgument } from '../args.ts';
import { OK } from '../command-queue.ts';
import type { CurrentState } from '../target.ts';
import { clientState } from './client-state.ts';
import type { CommandContext, Entry } from './context.ts';
import { openEditor } from './editor-popup.ts';
import { openPlainMenu } from './menus.ts';
import { parseTemplate } from './parse-template.ts';
import { messageStyle, PromptOverlay } from './prompt-overlay.ts';

/** What pickers need of the server, by way of the command that opened one. */
function listServices(context: CommandContext): ListServices {
  const { services, registry } = context;
  return {
    registry,
    after: (delayMs, callback) => services.after(delayMs, callback),
    prompt: (client, { label, initial = '', kind, history = 'command', reopening, reopened }, done) => {
      const overlay = new PromptOverlay(services, client, {
        purpose: kind === 'confirm' ? 'confirm-before' : 'command-prompt',
        mode: kind,
        questions: [{ label, initial }],
        type: history,
        style: messageStyle(context, client),
        reopening,
        reopened,
        done: (answers) => {
          if (answers) done(answers[0] ?? '');
        },
      });
      services.overlays.open(client, overlay);
    },
    menu: (client, menu, done) => openPlainMenu(context, client, { ...menu, done }),
    showMessage: (client, text) => services.showMessage(client, capitalised(text)),
  };
}

/** Runs a template for what was chosen, as if the client had typed it. */
function runChosen(
  context: CommandContext,
  template: ListTemplate,
  chosen: { readonly value: string; readonly call: ListCall; readonly current?: CurrentState },
): void {
  const { value, call, current } = chosen;
  const client = call.client ?? context.client;
  if (!client || (typeof template === 'string' && template === '')) return;
  const filled = parseTemplate(context, template, [value]);
  if (filled.ok)
    context.services.queueOf(client).append(filled.commands, clientState(context.services, client, current));
  else context.services.showMessage(client, capitalised(filled.error));
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function templateOf(args: Args, usual: string): ListTemplate {
  return args.commands(0) ?? args.string(0) ?? usual;
}

function openPicker(
  context: CommandContext,
  args: Args,
  picker: { readonly source: ListSource; readonly start?: string | undefined },
): typeof OK {
  return openSeenList(context, {
    source: picker.source,
    sort: args.value('O'),
    isReversed: args.has('r'),
    filter: args.value('f'),
    start: picker.start,
    hidePreview: args.has('N'),
    zoom: args.has('Z'),
  });
}

/** A list in the target pane, where a client could see it or could before the server was lost. */
export function openSeenList(
  context: CommandContext,
  init: Omit<ListModeInit, 'services' | 'pane' | 'reopening' | 'reopened'>,
): typeof OK {
  const { pane } = context.target;
  const reopened = context.reopened?.kind === 'list' ? context.reopened : undefined;
  const isSeen = reopened !== undefined || context.registry.attachedClients().length > 0;
  if (!isSeen || pane.mode?.name === init.source.modeName) return OK;
  const reopening = (state: ListState) => context.reopening(state);
  openList({ ...init, services: listServices(context), pane, reopening, reopened });
  return OK;
}

function expander<Thing>(context: CommandContext, about: (thing: Thing) => Partial<FormatContext>) {
  return (format: string, thing: Thing, extra?: Readonly<Record<string, string>>) =>
    context.expand(format, { ...about(thing), ...(extra ? { extra } : {}) });
}

const aboutPlace = ({ session, winlink, pane }: TreePlace): Partial<FormatContext> => ({
  client: undefined,
  session,
  winlink,
  window: winlink?.window,
  pane,
});

function treeSource(context: CommandContext, args: Args): TreeSource {
  return new TreeSource(
    {
      registry: context.registry,
      expand: expander(context, aboutPlace),
      isTrue,
      run: (template, value, call, { session, winlink, pane }) => {
        const chosen = winlink ?? session.current;
        const current = { session, winlink: chosen, pane: pane ?? chosen.window.active, mousePane: undefined };
        runChosen(context, template, { value, call, current });
      },
    },
    {
      depth: args.has('s') ? 'session' : args.has('w') ? 'window' : 'pane',
      format: args.value('F'),
      keyFormat: args.value('K'),
      template: templateOf(args, "switch-client -Zt '%%'"),
      showsGroups: args.has('G'),
      own: context.target.pane,
    },
  );
}

/** The line of the pane that the tree is opened in. */
function treeStart({ target: { session, winlink, window, pane } }: CommandContext, args: Args): string {
  if (args.has('s')) return `$${session.id}`;
  const line = `$${session.id}:${winlink.index}@${window.id}`;
  return args.has('w') || window.panes.length === 1 ? line : `${line}%${pane.id}`;
}

const chooseTree: Entry = {
  name: 'choose-tree',
  args: { template: 'F:f:GK:NO:rst:wZ', min: 0, max: 1, blocks: anyArgument },
  usage: '[-GNrswZ] [-F format] [-f filter] [-K key-format] [-O sort-order] [-t target-pane] [template]',
  target: { flag: 't', kind: 'pane' },
  help: 'Choose a session, window or pane from a tree',
  exec: (context, args) =>
    openPicker(context, args, { source: treeSource(context, args), start: treeStart(context, args) }),
};

const chooseClient: Entry = {
  name: 'choose-client',
  args: { template: 'F:f:K:NO:rt:Z', min: 0, max: 1, blocks: anyArgument },
  usage: '[-NrZ] [-F format] [-f filter] [-K key-format] [-O sort-order] [-t target-pane] [template]',
  target: { flag: 't', kind: 'pane' },
  help: 'Choose a client from a list',
  exec(context, args) {
    const source = new ClientSource(
      {
        registry: context.registry,
        expand: expander(context, (client: ClientSession) => ({ client, session: client.session })),
        isTrue,
        run: (template, value, call) => runChosen(context, template, { value, call }),
      },
      {
        format: args.value('F'),
        keyFormat: args.value('K'),
        template: templateOf(args, "detach-client -t '%%'"),
      },
    );
    return openPicker(context, args, { source });
  },
};

const chooseBuffer: Entry = {
  name: 'choose-buffer',
  args: { template: 'F:f:K:NO:rt:Z', min: 0, max: 1, blocks: anyArgument },
  usage: '[-NrZ] [-F format] [-f filter] [-K key-format] [-O sort-order] [-t target-pane] [template]',
  target: { flag: 't', kind: 'pane' },
  help: 'Choose a paste buffer from a list',
  exec(context, args) {
    if (!context.registry.buffers.newest()) return OK;
    const { session, winlink, pane } = context.target;
    const current = { session, winlink, pane, mousePane: undefined };
    const source = new BufferSource(
      {
        registry: context.registry,
        expand: expander(context, (buffer: PasteBuffer) => ({ buffer })),
        isTrue,
        run: (template, value, call) => runChosen(context, template, { value, call, current }),
        edit: (buffer, { client, list }) => {
          if (!client) return;
          openEditor(context, client, { name: 'buffer', text: buffer.text, buffer, done: () => list.refresh() });
        },
      },
      {
        format: args.value('F'),
        keyFormat: args.value('K'),
        template: templateOf(args, "paste-buffer -p -b '%%'"),
      },
    );
    return openPicker(context, args, { source });
  },
};

const findWindow: Entry = {
  name: 'find-window',
  alias: 'findw',
  args: { template: 'CiNrt:TZ', min: 1, max: 1 },
  usage: '[-CiNrTZ] [-t target-pane] match-string',
  target: { flag: 't', kind: 'pane' },
  help: 'Search names, titles and contents of windows',
  exec(context, args) {
    const filter = findFilter(args, args.string(0) ?? '');
    const source = new TreeSource(
      {
        registry: context.registry,
        expand: expander(context, aboutPlace),
        isTrue,
        run: (template, value, call) => runChosen(context, template, { value, call }),
      },
      {
        depth: 'pane',
        format: undefined,
        keyFormat: undefined,
        template: "switch-client -Zt '%%'",
        showsGroups: false,
        own: context.target.pane,
      },
    );
    return openSeenList(context, { source, filter, zoom: args.has('Z') });
  },
};

/** The filter that finds a text in window names (-N), titles (-T) or contents (-C), as -r a regular expression, -i in any case. */
function findFilter(args: Args, text: string): string {
  const flags = (args.has('r') ? 'r' : '') + (args.has('i') ? 'i' : '');
  const modifier = flags === '' ? '' : `/${flags}`;
  const wanted = args.has('r') ? text : `*${text}*`;
  const parts = [
    `#{C${modifier}:${text}}`,
    `#{m${modifier}:${wanted},#{window_name}}`,
    `#{m${modifier}:${wanted},#{pane_title}}`,
  ];
  const chosen = parts.filter((_, at) => args.has('CNT'[at] ?? ''));
  return (chosen.length === 0 ? parts : chosen).reduceRight((rest, part) => `#{||:${part},${rest}}`);
}

export const PICKER_ENTRIES: readonly Entry[] = [chooseBuffer, chooseClient, chooseTree, findWindow];
