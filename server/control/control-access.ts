/**
 * Who may do what on the control socket. A connection without a token has what the option `control-access` says; one with a
 * token has what the token's entry in `control-tokens` says, more or less. Entries hold hashes only: who reads the options
 * does not learn a token. Both are ordinary options, so that tokens can be set in a config file, are kept when the server
 * is lost, and end with `set-option -u`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ACCESS, type Access } from '../../protocol/access.ts';
import { MplexError } from '../../protocol/errors.ts';
import { type Args, parseArgs } from '../command/args.ts';
import { findEntry } from '../command/command.ts';
import type { Entry } from '../command/entries/context.ts';
import type { ParsedCommand } from '../command/parser.ts';
import type { OptionSet } from '../options/option-set.ts';
import { TOKEN_ENTRY } from '../options/option-table.ts';
import type { Grant } from './control-connection.ts';

/** What the bearer of a token, or of none, may do; undefined for an unknown token. */
export function grantOf(options: OptionSet, token: string | undefined): Grant | undefined {
  if (token === undefined) return { access: accessNamed(options.choice('control-access')), pane: undefined };
  const hash = createHash('sha256').update(token).digest();
  for (const entry of options.strings('control-tokens')) {
    const [, access = '', pane, known = ''] = TOKEN_ENTRY.exec(entry) ?? [];
    if (known !== '' && timingSafeEqual(hash, Buffer.from(known, 'hex'))) return { access: accessNamed(access), pane };
  }
  return undefined;
}

function accessNamed(name: string): Access {
  return ACCESS.find((access) => access === name) ?? 'none';
}

/**
 * Commands that only look, with the flags that they need (or their only ones) to do no more: without -p a capture makes a
 * buffer and a message goes to a client.
 */
const LOOKING: Readonly<Record<string, { readonly needs?: string; readonly never?: string }>> = {
  'capture-pane': { needs: 'p' },
  'display-message': { needs: 'p', never: 'I' },
  'flow-queue': { never: 'hsmu' },
  'has-session': {},
  'list-buffers': {},
  'list-clients': {},
  'list-commands': {},
  'list-keys': {},
  'list-panes': {},
  'list-sessions': {},
  'list-windows': {},
  'show-buffer': {},
  'show-environment': {},
  'show-hooks': {},
  'show-messages': {},
  'show-options': {},
  'show-prompt-history': {},
  'show-window-options': {},
};

/** Refuses checked commands that would change something. Throws MplexError 'forbidden'. */
export function checkLooking(commands: readonly ParsedCommand[], entries: readonly Entry[]): void {
  for (const { name, args } of commands) {
    const found = findEntry(entries, name);
    const rule = LOOKING[name];
    const parsed = found.ok ? parseArgs(args, found.entry.args) : undefined;
    if (!rule || !parsed?.ok || !fits(parsed.args, rule))
      throw new MplexError('forbidden', `read access does not allow this: ${name}`, '/argv');
  }
}

function fits(args: Args, { needs, never = '' }: { readonly needs?: string; readonly never?: string }): boolean {
  return (needs === undefined || args.has(needs)) && ![...never].some((flag) => args.has(flag));
}
