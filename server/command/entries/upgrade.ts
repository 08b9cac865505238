/** mplex's own command that puts a new server in the place of the running one; programs and clients stay. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { STATE_VERSION } from '../../../protocol/version.ts';
import { failed, OK } from '../command-queue.ts';
import type { Entry } from './context.ts';

const upgradeServer: Entry = {
  name: 'upgrade-server',
  own: true,
  args: { template: 's:', min: 0, max: 1 },
  usage: '[-s state-version] [script]',
  help: 'Put a new server in the place of this one, of the code that is installed now or of a script; programs run on',
  exec(context, args) {
    const version = args.value('s');
    if (version !== undefined && version !== String(STATE_VERSION)) {
      return failed(`the new server reads state of version ${version}, this one writes ${STATE_VERSION}`);
    }
    const script = args.string(0);
    if (script !== undefined && !(isAbsolute(script) && existsSync(script))) return failed(`no such script: ${script}`);
    context.services.upgrade(script);
    return OK;
  },
};

export const UPGRADE_ENTRIES: readonly Entry[] = [upgradeServer];
