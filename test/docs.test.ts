/** The tables in docs/mplex.md are made from the code's own rows; `npm run docs` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../server/command/entries/command-table.ts';
import { FORMAT_VARIABLES } from '../server/format/format-variables.ts';
import { DEFAULT_BINDINGS } from '../server/keys/default-bindings.ts';
import { OPTION_TABLE } from '../server/options/option-table.ts';

const DOCS = resolve(import.meta.dirname, '../docs/mplex.md');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const TABLES: Readonly<Record<string, () => string>> = {
  commands: () =>
    table(
      ['command', 'alias', 'arguments', 'what it does'],
      ENTRIES.map((row) => [`\`${row.name}\``, row.alias ? `\`${row.alias}\`` : '', `\`${row.usage}\``, row.help]),
    ),
  options: () =>
    table(
      ['option', 'scope', 'what it does'],
      OPTION_TABLE.filter((row) => !row.hook).map((row) => [`\`${row.name}\``, row.scopes.join(', '), row.help]),
    ),
  formats: () =>
    table(
      ['variable', 'replaced with'],
      FORMAT_VARIABLES.map((row) => [`\`${row.name}\``, row.help]),
    ),
  keys: () => ['```', ...DEFAULT_BINDINGS.filter((line) => line.includes('-T prefix')), '```'].join('\n'),
};

function generate(text: string): string {
  return text.replace(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_all, start: string, name: string, end: string) => `${start}\n${TABLES[name]?.() ?? ''}\n\n${end}`,
  );
}

describe('docs/mplex.md', () => {
  it('has the tables of the code as it is (write them with `npm run docs`)', () => {
    const text = readFileSync(DOCS, 'utf8');
    const fresh = generate(text);
    if (process.env.UPDATE_DOCS) writeFileSync(DOCS, fresh);
    else expect(text === fresh, 'tables are stale: run `npm run docs`').toBe(true);
  });

  it('has a place for every table', () => {
    const text = readFileSync(DOCS, 'utf8');
    for (const name of Object.keys(TABLES)) expect(text).toContain(`<!-- table: ${name} -->`);
  });
});
