/** Which commands start a server where none runs, and what the others say. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENTRIES } from '../../server/command/entries/command-table.ts';
import { hasReference, Sides } from './sides.ts';

/** These start one and make or want a session, at a terminal: their tests are elsewhere. */
const SESSION_COMMANDS = ['new-session', 'attach-session'];

describe.skipIf(!hasReference())('without a server commands do as in tmux 3.3a', () => {
  let sides: Sides;
  beforeEach(() => {
    sides = new Sides();
  });
  afterEach(() => sides.stop());

  const names = ENTRIES.filter(({ own, name }) => !own && !SESSION_COMMANDS.includes(name));
  it('by name and alias', { timeout: 120_000 }, async () => {
    const words = names.flatMap(({ name, alias }) => [name, ...(alias ? [alias] : [])]);
    for (const word of words) {
      const [tmux, mplex] = (
        await sides.each(async (side) => {
          const { code, stdout, stderr } = await side.spawn([word]);
          const isMissing = /^(no server running on|error connecting to) /.test(stderr);
          // tmux's ends by itself at once, mplex's after a while.
          if (!isMissing) await side.spawn(['kill-server']);
          return { code, starts: !isMissing, prints: stdout !== '' };
        })
      ).map(({ answer }) => answer);
      expect({ word, ...mplex }).toEqual({ word, ...tmux });
    }
  });
});
