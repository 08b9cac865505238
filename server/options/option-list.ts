/** What show-options prints, byte for byte as tmux 3.3a does. */
import type { OptionArray, OptionMatch, OptionSet } from './option-set.ts';
import { arrayMembers } from './option-set.ts';
import { OPTION_TABLE, type OptionEntry, type OptionScope } from './option-table.ts';
import { isQuotedType, type OptionValue, printOptionValue, quoteValue } from './option-value.ts';

export interface ListOptions {
  /** Only values, unquoted. */
  readonly valuesOnly?: boolean;
  /** Hooks too. */
  readonly hooks?: boolean;
  /** Nothing but hooks (show-hooks). */
  readonly onlyHooks?: boolean;
  /** Inherited options too, marked by an asterisk. */
  readonly inherited?: boolean;
}

/** Lines for one option; none if it is not set here (or, with `inherited`, anywhere above). */
export function printOption(
  set: OptionSet,
  option: OptionMatch,
  { valuesOnly = false, inherited = false }: ListOptions = {},
): string[] | undefined {
  if (option.kind === 'unknown') return undefined;
  const { name, entry, index } = option;
  const own = set.own(name);
  const value = own ?? (inherited ? set.get(name) : undefined);
  if (value === undefined) return undefined;
  const label = own === undefined ? `${name}*` : name;
  if (typeof value !== 'object') {
    // As in tmux, an index is repeated where there is no array.
    const shown = index !== undefined ? memberLabel(label, index) : label;
    return [printLine(entry, shown, value, valuesOnly)];
  }
  if (index === undefined) return printArray(entry, label, value, valuesOnly);
  return [printLine(entry, memberLabel(label, index), value.get(index) ?? '', valuesOnly)];
}

/** Lines for all options of a scope that are set here: user options, then the table's order. */
export function listOptions(set: OptionSet, scope: OptionScope, options: ListOptions = {}): string[] {
  const lines: string[] = [];
  if (!options.onlyHooks) {
    for (const name of set.userOptions()) {
      lines.push(...(printOption(set, { kind: 'found', name, entry: undefined, index: undefined }, options) ?? []));
    }
  }
  for (const entry of OPTION_TABLE) {
    if (!entry.scopes.includes(scope)) continue;
    if (entry.hook ? !options.hooks && !options.onlyHooks : options.onlyHooks) continue;
    lines.push(...(printOption(set, { kind: 'found', name: entry.name, entry, index: undefined }, options) ?? []));
  }
  return lines;
}

function printArray(entry: OptionEntry | undefined, label: string, array: OptionArray, valuesOnly: boolean): string[] {
  if (array.size === 0) return valuesOnly ? [] : [label];
  return arrayMembers(array).map(([index, value]) => printLine(entry, memberLabel(label, index), value, valuesOnly));
}

/** `name*` becomes `name[0]*`. */
function memberLabel(label: string, index: number): string {
  return label.endsWith('*') ? `${label.slice(0, -1)}[${index}]*` : `${label}[${index}]`;
}

function printLine(entry: OptionEntry | undefined, label: string, value: OptionValue, valuesOnly: boolean): string {
  const text = printOptionValue(entry, value);
  if (valuesOnly) return text;
  return `${label} ${isQuotedType(entry) ? quoteValue(text) : text}`;
}
