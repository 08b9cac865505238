/** mplex's own command about sessions that were lost with the machine or the pty host: list them, bring them back, forget them. */
import { formatTime } from '../../format/strftime.ts';
import { failed, OK } from '../command-queue.ts';
import type { Entry, LostSession } from './context.ts';

const resurrect: Entry = {
  name: 'resurrect',
  own: true,
  args: { template: 'dlt:y', min: 0, max: -1 },
  usage: '[-dly] [-t target-client] [session-name ...]',
  client: { flag: 't', canFail: true },
  startsServer: true,
  help: 'Bring lost sessions back: ask a client, or at once (-y, or by name); list (-l) or forget (-d) them',
  async exec(context, args) {
    const { client, services } = context;
    const lost = services.lostSessions;
    const names = args.strings(0);
    if (args.has('l')) {
      for (const session of await lost.list()) context.print(lostLine(session));
      return OK;
    }
    if (args.has('d')) {
      return (await lost.forget()) > 0 ? OK : failed('no lost sessions');
    }
    if (args.has('y') || names.length > 0) {
      const back = await lost.bringBack(names);
      if (typeof back === 'string') return failed(back);
      for (const session of back) context.print(`${session.name}:`);
      return OK;
    }
    if (!client) return failed('no current client: -y brings them back, -l lists them');
    return (await lost.ask(client)) ? OK : failed('no lost sessions');
  },
};

function lostLine({ name, windows, time, isElsewhere, programs }: LostSession): string {
  const kept = formatTime('%F %T', new Date(time * 1000));
  const ran = programs.length === 0 ? '' : ` (${programs.join(', ')})`;
  return `${name}: ${windows} windows, kept ${kept}${ran}${isElsewhere ? ' on another host' : ''}`;
}

export const RESURRECT_ENTRIES: readonly Entry[] = [resurrect];
