import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CopyMode } from '../../../server/mode/copy-mode.ts';
import { graphemes } from '../../../src/overlay/text-width.ts';
import { ModelServer } from '../../support/model-server.ts';

const piece = fc.constantFrom(
  'a',
  'bc',
  ' ',
  'x.y-z',
  '日本語',
  '한',
  'e\u0301',
  '👍🏽',
  '👨‍👩‍👧',
  'ж',
  '"quoted"',
  '$(x)',
  '\\n',
);
const line = fc.array(piece, { minLength: 1, maxLength: 60 }).map((pieces) => `>${pieces.join('')}<`);

/** Whether the text is in the line in such a way that it takes a part of a cluster: a cell is copied whole. */
function cutsCluster(line: string, text: string): boolean {
  const count = (part: string) => graphemes(part).length;
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + 1)) {
    const end = at + text.length;
    if (count(line.slice(0, at)) + count(text) + count(line.slice(end)) !== count(line)) return true;
  }
  return false;
}

describe('text that is found, selected and copied in copy mode', () => {
  it.each(['emacs', 'vi'])('comes back byte for byte, wherever it is wrapped, with %s keys', async (keys) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 2, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(),
        fc.nat(),
        async (lines, cols, rows, from, length) => {
          const server = new ModelServer({ defaultKeys: false });
          await server.run('new-session', '-d', '-s', 's', '-x', `${cols}`, '-y', `${rows}`, 'cat');
          await server.run('set-window-option', '-g', 'mode-keys', keys);
          server.ptys.of(server.pane().id).emitData(Buffer.from(`${lines.join('\r\n')}\r\n`));
          const clusters = graphemes(lines[from % lines.length] ?? '').map(({ text }) => text);
          const start = from % clusters.length;
          const wanted = clusters.slice(start, start + 1 + (length % (clusters.length - start)));
          const text = wanted.join('').trimEnd();
          const count = graphemes(text).length;
          fc.pre(text.trim() !== '' && !lines.some((other) => cutsCluster(other, text)));
          await server.run('copy-mode');
          await server.run('send-keys', '-X', 'search-backward-text', text);
          await server.run('send-keys', '-X', 'begin-selection');
          // Behind the last cell of a row that goes on there is a place as well: how many steps it takes is the row's matter.
          const { state } = server.pane().mode as CopyMode;
          for (let step = 0; step < 3 * count && state.selectedText().length < text.length; step++) {
            await server.run('send-keys', '-X', 'cursor-right');
          }
          await server.run('send-keys', '-X', 'copy-selection-and-cancel');
          expect((await server.run('show-buffer')).stdout).toBe(text);
        },
      ),
      { numRuns: 120 },
    );
  });
});
