/** mplex's own command about waiting questions: list, hide, bring back, mute. */
import { failed, OK } from '../command-queue.ts';
import type { Entry } from './context.ts';
import { cleanName } from './names.ts';

const flowQueue: Entry = {
  name: 'flow-queue',
  own: true,
  args: { template: 'hlmsu:t:', min: 0, max: 1 },
  usage: '[-hlms] [-u pane] [-t target-client] [number]',
  client: { flag: 't' },
  help: 'List waiting questions, hide the one shown (-h), bring one back (-s), mute its asker (-m) or unmute a pane (-u)',
  exec(context, args) {
    const { queue } = context.services.flows;
    const unmuted = args.value('u');
    if (unmuted !== undefined) {
      return queue.unmute(unmuted === '' ? undefined : unmuted) ? OK : failed(`not muted: ${unmuted}`);
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
    return OK;
  },
};

export const FLOW_ENTRIES: readonly Entry[] = [flowQueue];
