/** Commands about options and hooks (tmux(1) OPTIONS, HOOKS). Both are kept in the same table. */
import { listOptions, printOption } from '../../options/option-list.ts';
import { matchOption, type OptionMatch, type OptionSet } from '../../options/option-set.ts';
import type { OptionScope } from '../../options/option-table.ts';
import { type Args, argumentsFrom } from '../args.ts';
import { printCommands } from '../command-print.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import type { PartialTarget } from '../target.ts';
import type { CommandContext, Entry } from './context.ts';
import { followedTarget, noTarget } from './own-target.ts';

type FoundOption = Extract<OptionMatch, { kind: 'found' }>;

/** Where an option is set or shown. */
type Place =
  | { readonly ok: true; readonly set: OptionSet; readonly scope: OptionScope }
  | { readonly ok: false; readonly error: string };

interface PlaceFlags {
  readonly args: Args;
  readonly target: PartialTarget;
  /** The command is about window options whatever its flags say. */
  readonly isWindow: boolean;
}

function placeAt(registrySet: OptionSet, own: OptionSet | undefined, flags: PlaceFlags, scope: OptionScope): Place {
  if (scope !== 'pane' && flags.args.has('g')) return { ok: true, set: registrySet, scope };
  if (own) return { ok: true, set: own, scope };
  return { ok: false, error: noTarget(flags.args, scope === 'pane' || scope === 'window' ? scope : 'session') };
}

/** The place for an option of a scope; `-p` counts for pane options, `-g` for all but those. */
function placeOfScopes(context: CommandContext, scopes: readonly OptionScope[], flags: PlaceFlags): Place {
  const { registry } = context;
  const { args, target } = flags;
  if (scopes.includes('server')) return { ok: true, set: registry.serverOptions, scope: 'server' };
  if (scopes.includes('pane') && args.has('p'))
    return placeAt(registry.windowOptions, target.pane?.options, flags, 'pane');
  if (scopes.includes('window')) return placeAt(registry.windowOptions, target.window?.options, flags, 'window');
  return placeAt(registry.sessionOptions, target.session?.options, flags, 'session');
}

/** The place that the flags alone name: for user options, and for listing. */
function placeOfFlags(context: CommandContext, flags: PlaceFlags): Place {
  const { args, isWindow } = flags;
  if (args.has('s')) return placeOfScopes(context, ['server'], flags);
  if (args.has('p')) return placeOfScopes(context, ['pane'], flags);
  return placeOfScopes(context, isWindow || args.has('w') ? ['window'] : ['session'], flags);
}

function placeOfOption(context: CommandContext, option: FoundOption, flags: PlaceFlags): Place {
  return option.entry ? placeOfScopes(context, option.entry.scopes, flags) : placeOfFlags(context, flags);
}

function setEntry(entry: Pick<Entry, 'name' | 'alias' | 'args' | 'usage' | 'help'>, isWindow: boolean): Entry {
  return {
    ...entry,
    exec(context, args) {
      const target = followedTarget(context, args, isWindow ? 'window' : 'pane');
      const spec = context.expand(args.string(0) ?? '', target);
      if (args.has('R')) return runHook(context, spec, target);
      const option = matchOption(spec);
      if (option.kind === 'unknown') return unknownOption(context, args, option);
      const place = placeOfOption(context, option, { args, target, isWindow });
      if (!place.ok) return args.has('q') ? OK : failed(place.error);
      if (option.index !== undefined && !option.entry?.array) return failed(`not an array: ${spec}`);
      if (args.has('o') && !args.has('u') && isSetHere(place.set, option))
        return args.has('q') ? OK : failed(`already set: ${spec}`);
      if (args.has('U') && place.scope === 'window') {
        for (const pane of target.window?.panes ?? []) pane.options.unset(option);
      }
      if (args.has('u') || args.has('U')) return toResult(place.set.unset(option));
      const block = args.commands(1);
      const given = block ? printCommands(block, 'nested') : args.string(1);
      const text = given !== undefined && args.has('F') ? context.expand(given, target) : given;
      return toResult(place.set.set(option, text, { append: args.has('a') }));
    },
  };
}

/**
 * No such option. One that tmux had once is passed over for a caller on the command line, with a word in the messages; a
 * configuration and a person at a prompt are told as tmux tells them.
 */
function unknownOption(
  context: CommandContext,
  args: Args,
  option: Extract<OptionMatch, { readonly kind: 'unknown' }>,
): CommandResult {
  if (args.has('q')) return OK;
  if (!option.obsolete || context.caller.kind !== 'call') return failed(option.error);
  context.registry.logMessage(option.error.replace('invalid', 'obsolete'));
  return OK;
}

function toResult(result: { readonly ok: true } | { readonly ok: false; readonly error: string }): CommandResult {
  return result.ok ? OK : failed(result.error);
}

function isSetHere(set: OptionSet, option: FoundOption): boolean {
  const own = set.own(option.name);
  if (option.index === undefined || typeof own !== 'object') return own !== undefined;
  return own.has(option.index);
}

/** `set-hook -R`: the commands of a hook, or of a user option, run now. */
function runHook(context: CommandContext, name: string, target: PartialTarget): CommandResult {
  const option = matchOption(name);
  if (option.kind === 'unknown') return OK;
  const sets = [target.session?.options ?? context.registry.sessionOptions, target.pane?.options];
  const set = sets.find((candidate) => candidate?.get(option.name) !== undefined);
  const value = set?.get(option.name);
  if (!set || value === undefined) return OK;
  const texts = typeof value === 'object' ? set.strings(option.name) : option.entry ? [] : [String(value)];
  const variables = { ...context.state.variables, hook: option.name };
  for (const text of texts) {
    const parsed = context.parse(text);
    if (parsed.ok) context.insert(parsed.commands, { isHook: true, variables });
  }
  return OK;
}

function showEntry(
  entry: Pick<Entry, 'name' | 'alias' | 'args' | 'usage' | 'help'>,
  options: { readonly isWindow?: boolean; readonly onlyHooks?: boolean },
): Entry {
  return {
    ...entry,
    exec(context, args) {
      const target = followedTarget(context, args, options.isWindow ? 'window' : 'pane');
      const flags = { args, target, isWindow: options.isWindow ?? false };
      const how = { valuesOnly: args.has('v'), inherited: args.has('A'), hooks: args.has('H') };
      const given = args.string(0);
      if (given === undefined) {
        const place = placeOfFlags(context, flags);
        if (!place.ok) return args.has('q') ? OK : failed(place.error);
        const lines = listOptions(place.set, place.scope, { ...how, onlyHooks: options.onlyHooks ?? false });
        for (const line of lines) context.print(line);
        return OK;
      }
      const spec = context.expand(given, target);
      const option = matchOption(spec);
      if (option.kind === 'unknown') return unknownOption(context, args, option);
      const place = placeOfOption(context, option, flags);
      if (!place.ok) return args.has('q') ? OK : failed(place.error);
      const lines = printOption(place.set, option, how);
      if (!lines && !option.entry && !args.has('q')) return failed(`invalid option: ${spec}`);
      for (const line of lines ?? []) context.print(line);
      return OK;
    },
  };
}

export const SETTING_ENTRIES: readonly Entry[] = [
  setEntry(
    {
      name: 'set-hook',
      args: { template: 'agpRt:uw', min: 1, max: 2, blocks: argumentsFrom(1) },
      usage: '[-agpRuw] [-t target-pane] hook [command]',
      help: 'Set the commands that run at an event, or run them now (-R)',
    },
    false,
  ),
  setEntry(
    {
      name: 'set-option',
      alias: 'set',
      args: { template: 'aFgopqst:uUw', min: 1, max: 2, blocks: argumentsFrom(1) },
      usage: '[-aFgopqsuUw] [-t target-pane] option [value]',
      help: 'Set or unset an option',
    },
    false,
  ),
  setEntry(
    {
      name: 'set-window-option',
      alias: 'setw',
      args: { template: 'aFgoqt:u', min: 1, max: 2, blocks: argumentsFrom(1) },
      usage: '[-aFgoqu] [-t target-window] option [value]',
      help: 'Set or unset a window option',
    },
    true,
  ),
  showEntry(
    {
      name: 'show-hooks',
      args: { template: 'gpt:w', min: 0, max: 1 },
      usage: '[-gpw] [-t target-pane]',
      help: 'Show the commands that run at events',
    },
    { onlyHooks: true },
  ),
  showEntry(
    {
      name: 'show-options',
      alias: 'show',
      args: { template: 'AgHpqst:vw', min: 0, max: 1 },
      usage: '[-AgHpqsvw] [-t target-pane] [option]',
      help: 'Show options and their values',
    },
    {},
  ),
  showEntry(
    {
      name: 'show-window-options',
      alias: 'showw',
      args: { template: 'gvt:', min: 0, max: 1 },
      usage: '[-gv] [-t target-window] [option]',
      help: 'Show window options and their values',
    },
    { isWindow: true },
  ),
];
