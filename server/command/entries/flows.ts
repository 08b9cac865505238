/** mplex's own command about waiting questions: list, hide, bring back, mute. */
import { isTaken } from '../../model/client-session.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import type { CommandContext, Entry } from './context.ts';
import { FlowInbox } from './flow-inbox.ts';
import { cleanName } from './names.ts';

const flowQueue: Entry = {
  name: 'flow-queue',
  own: true,
  args: { template: 'dhilmpsu:t:', min: 0, max: 1 },
  usage: '[-dhilmps] [-u pane] [-t target-client] [number]',
  client: { flag: 't', canFail: true },
  help: 'List waiting questions and muted panes, here or to choose from (-i); show one (-p), dismiss it (-d), hide the one shown (-h), bring it back (-s), mute its asker (-m), unmute a pane (-u)',
  exec(context, args) {
    const { queue } = context.services.flows;
    if (args.has('t') && !context.client) return failed(`can't find client: ${args.value('t')}`);
    const unmuted = args.value('u');
    if (unmuted !== undefined) {
      return queue.unmute(unmuted === '' ? undefined : unmuted) ? OK : failed(`not muted: ${unmuted}`);
    }
    if (args.has('i')) return openInbox(context);
    if (args.has('p') || args.has('d')) {
      const { client } = context;
      const number = args.string(0);
      if (number === undefined) return failed('the number of a question is needed');
      const serial = Number(number);
      if (!client) return failed('no current client');
      const done = args.has('p') ? queue.pull(client, serial) : queue.dismiss(client, serial);
      return done ? OK : failed(`no such question: ${number}`);
    }
    if (args.has('h') || args.has('s') || args.has('m')) {
      const { client } = context;
      if (!client) return failed('no current client');
      const serial = args.string(0);
      if (args.has('h')) return queue.hide(client) ? OK : failed('no question to hide');
      if (args.has('m')) return queue.mute(client) ? OK : failed('no question to mute');
      return queue.bringBack(client, serial === undefined ? undefined : Number(serial))
        ? OK
        : failed('no question was put aside');
    }
    for (const flow of queue.list()) {
      const seconds = Math.round(flow.ageMs / 1000);
      context.print(
        `${flow.serial}: ${flow.kind} (${flow.state}, ${seconds}s) ${flow.pane ?? '-'} ${flow.program || '-'}: ${cleanName(flow.text)}`,
      );
    }
    for (const pane of queue.mutedPanes) context.print(`muted: ${pane ?? 'outside any pane'}`);
    return OK;
  },
};

function openInbox(context: CommandContext): CommandResult | Promise<CommandResult> {
  const { client, services } = context;
  if (!client) return failed('no current client');
  const { queue } = services.flows;
  if (isTaken(client) && !queue.hasDialog(client)) return OK;
  if (queue.list(client).length === 0) {
    services.showMessage(client, 'No questions wait');
    return OK;
  }
  return new Promise((resolve) => {
    const done = () => resolve(OK);
    services.overlays.open(client, new FlowInbox({ overlays: services.overlays, queue, client, done }));
  });
}

export const FLOW_ENTRIES: readonly Entry[] = [flowQueue];
