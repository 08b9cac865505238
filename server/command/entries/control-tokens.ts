/** mplex's own command about tokens of the control socket: make one, list them, take them back. */
import { createHash, randomBytes } from 'node:crypto';
import { matchOption } from '../../options/option-set.ts';
import { failed, OK } from '../command-queue.ts';
import type { Entry } from './context.ts';

/** As a UUID has, and more: nobody guesses it. */
const TOKEN_BYTES = 32;
/** Tokens that are valid at the same time. */
const TOKENS_MAX = 256;

const controlToken: Entry = {
  name: 'control-token',
  own: true,
  args: { template: 'a:d:lt:', min: 0, max: 0 },
  usage: '[-l] [-a dialogs|read|full] [-d number] [-t target-pane]',
  target: { flag: 't', kind: 'pane', canFail: true },
  help: 'Print a new token of the control socket for dialogs or more access (-a), bound to a pane (-t); list (-l) or revoke (-d) tokens',
  exec(context, args) {
    const options = context.registry.serverOptions;
    const members = options.array('control-tokens');
    if (args.has('l')) {
      for (const [index, value] of members) context.print(`${index}: ${String(value).replace(/:.*/, '')}`);
      return OK;
    }
    const revoked = args.value('d');
    if (revoked !== undefined) {
      if (!members.some(([index]) => String(index) === revoked)) return failed(`no such token: ${revoked}`);
      const unset = options.unset(matchOption(`control-tokens[${revoked}]`));
      return unset.ok ? OK : failed(unset.error);
    }
    if (members.length >= TOKENS_MAX) return failed(`too many tokens: ${TOKENS_MAX}`);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const hash = createHash('sha256').update(token).digest('hex');
    const pane = args.has('t') ? `@%${context.target.pane.id}` : '';
    const set = options.setText('control-tokens', `${args.value('a') ?? 'dialogs'}${pane}:${hash}`, { append: true });
    if (!set.ok) return failed(`unknown access: ${args.value('a')}`);
    context.print(token);
    return OK;
  },
};

export const CONTROL_TOKEN_ENTRIES: readonly Entry[] = [controlToken];
