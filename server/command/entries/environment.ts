/** Commands about the environment that new processes get (tmux(1) GLOBAL AND SESSION ENVIRONMENT). */
import type { EnvironEntry } from '../../model/environ.ts';
import { failed, OK } from '../command-queue.ts';
import type { Entry } from './context.ts';
import { noTarget, ownPlace } from './own-target.ts';

const setEnvironment: Entry = {
  name: 'set-environment',
  alias: 'setenv',
  args: { template: 'Fhgrt:u', min: 1, max: 2 },
  usage: '[-Fhgru] [-t target-session] name [value]',
  help: 'Set, mark for removal (-r) or forget (-u) an environment variable',
  exec(context, args) {
    const name = args.string(0) ?? '';
    if (name === '') return failed('empty variable name');
    if (name.includes('=')) return failed('variable name contains =');
    const target = ownPlace(context, args, 'session');
    const given = args.string(1);
    const value = given !== undefined && args.has('F') ? context.expand(given, target) : given;
    const environ = args.has('g') ? context.registry.environ : target.session?.environ;
    if (!environ) return failed(noTarget(args, 'session'));
    if (args.has('u')) {
      if (value !== undefined) return failed("can't specify a value with -u");
      environ.unset(name);
    } else if (args.has('r')) {
      if (value !== undefined) return failed("can't specify a value with -r");
      environ.clear(name);
    } else {
      if (value === undefined) return failed('no value specified');
      environ.set(name, value, args.has('h'));
    }
    return OK;
  },
};

const showEnvironment: Entry = {
  name: 'show-environment',
  alias: 'showenv',
  args: { template: 'hgst:', min: 0, max: 1 },
  usage: '[-hgs] [-t target-session] [name]',
  help: 'Show the environment of a session or (-g) the global one',
  exec(context, args) {
    const { session } = ownPlace(context, args, 'session');
    if (!session && (args.value('t') !== undefined || !args.has('g'))) return failed(noTarget(args, 'session'));
    const environ = args.has('g') ? context.registry.environ : session?.environ;
    if (!environ) return failed(noTarget(args, 'session'));
    const print = (name: string, entry: EnvironEntry) => {
      if (entry.hidden !== args.has('h')) return;
      context.print(args.has('s') ? shellLine(name, entry) : plainLine(name, entry));
    };
    const name = args.string(0);
    if (name === undefined) {
      for (const [each, entry] of environ.entries()) print(each, entry);
      return OK;
    }
    const entry = environ.get(name);
    if (!entry) return failed(`unknown variable: ${name}`);
    print(name, entry);
    return OK;
  },
};

function plainLine(name: string, entry: EnvironEntry): string {
  return entry.value === undefined ? `-${name}` : `${name}=${entry.value}`;
}

/** A line for `eval` in a Bourne shell. */
function shellLine(name: string, entry: EnvironEntry): string {
  if (entry.value === undefined) return `unset ${name};`;
  return `${name}="${entry.value.replace(/[$`"\\]/g, '\\$&')}"; export ${name};`;
}

export const ENVIRONMENT_ENTRIES: readonly Entry[] = [setEnvironment, showEnvironment];
