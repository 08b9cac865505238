import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unusedFlags } from './flag-use.ts';
import { parseScript } from './script.ts';
import { hasReference, ROOT } from './sides.ts';

const SCRIPTS = join(import.meta.dirname, 'scripts');
/** More would mean that it is another program. */
const ALLOWED_MAX = 30;
const docs = readFileSync(join(ROOT, 'docs/mplex.md'), 'utf8');
const section = docs.slice(docs.indexOf('## Differences from tmux'), docs.indexOf('## Limits'));
const documented = [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1] ?? '');

describe('the differential scripts', () => {
  it.skipIf(!hasReference())('use every flag of every command of tmux 3.3a', () => {
    expect(unusedFlags(SCRIPTS)).toEqual([]);
  });

  it('allow no difference that docs/mplex.md does not give a reason for', () => {
    const allowed = readdirSync(SCRIPTS).flatMap((file) =>
      parseScript(readFileSync(join(SCRIPTS, file), 'utf8')).flatMap(({ steps }) =>
        steps.flatMap((step) => (step.kind === 'call' && step.allowed !== undefined ? [step.allowed] : [])),
      ),
    );
    expect([...new Set(allowed)].filter((id) => !documented.includes(id))).toEqual([]);
  });

  it('have few differences to allow, each named once', () => {
    expect(documented.length).toBeLessThanOrEqual(ALLOWED_MAX);
    expect(new Set(documented).size).toBe(documented.length);
  });
});
