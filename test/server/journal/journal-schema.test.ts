import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalHead } from '../../../server/journal/journal-model.ts';
import { parseHead } from '../../../server/journal/journal-schema.ts';
import { journalHead, journalPane } from '../../support/journal-head.ts';

const parse = (value: unknown) => parseHead(Buffer.from(JSON.stringify(value)));

function reasonOf(value: unknown): string {
  const parsed = parse(value);
  return parsed.ok ? '' : parsed.reason;
}

function changed(change: (head: JournalHead) => Partial<JournalHead>): Partial<JournalHead> {
  const head = journalHead();
  return { ...head, ...change(head) };
}

describe('the door for heads', () => {
  it('lets through what a server writes', () => {
    const head = journalHead();
    expect(parse(head)).toEqual({ ok: true, head });
  });

  it('cleans names and titles, once and for all', () => {
    const sessions = journalHead().sessions.map((one, at) => ({ ...one, name: `a\u001b]0;x\u0007.b\u202e${at}\\` }));
    const panes = [journalPane(0, { title: 'x\u001b[31m\ny' }), journalPane(1), journalPane(2)];
    const parsed = parse({ ...journalHead(), sessions, panes });
    expect(parsed.ok && parsed.head.sessions[0]?.name).toBe('a]0;x_b0\\');
    expect(parsed.ok && parsed.head.panes[0]?.title).toBe('x[31m y');
    if (parsed.ok) expect(parse(parsed.head)).toEqual(parsed);
  });

  it('drops options that run something, variables that look like secrets, and what is too long', () => {
    const [first] = journalHead().sessions;
    const options = [
      ['default-command', 'evil'],
      ['status-right', 'now #(evil)'],
      ['session-renamed[0]', 'run-shell evil'],
      ['lock-command', 'evil'],
      ['@hidden-token', 'x'],
      ['no-such-option', 'x'],
      ['status-left', 'fine'],
    ];
    const environ = [
      ['API_KEY', 'x'],
      ['PLACE', 'fine'],
    ];
    const parsed = parse({ ...journalHead(), sessions: [{ ...first, options, environ }] });
    expect(parsed.ok && parsed.head.sessions[0]?.options).toEqual([['status-left', 'fine']]);
    expect(parsed.ok && parsed.head.sessions[0]?.environ).toEqual([['PLACE', 'fine']]);
  });

  it.each([
    ['two panes of one id', changed(({ panes }) => ({ panes: [...panes, journalPane(0)] }))],
    ['a window without its pane', changed(({ panes }) => ({ panes: panes.slice(1) }))],
    ['a session without its window', changed(({ windows }) => ({ windows: windows.slice(1) }))],
    [
      'a layout of other panes',
      changed(({ windows }) => ({ windows: windows.map((one) => ({ ...one, layout: 'b25f,80x24,0,0,2' })) })),
    ],
    ['a layout that is none', changed(({ windows }) => ({ windows: windows.map((one) => ({ ...one, layout: 'x' })) }))],
    [
      'two sessions of one name',
      changed(({ sessions }) => ({ sessions: sessions.map((one) => ({ ...one, name: 'same' })) })),
    ],
    ['a directory that is no path', changed(({ panes }) => ({ panes: panes.map((one) => ({ ...one, cwd: 'here' })) }))],
    ['a file outside', { ...journalHead(), files: [['pane/0/screen', '../../etc/passwd']] }],
    ['another version', { ...journalHead(), version: 2 }],
    ['a number that is none', { ...journalHead(), time: '1' }],
  ])('refuses %s', (_name, value) => {
    expect(reasonOf(value)).not.toBe('');
    expect(reasonOf(value)).not.toContain('\n');
  });

  it('says of any bytes whether they are one, and never throws', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => typeof parseHead(bytes).ok === 'boolean'));
    fc.assert(fc.property(fc.jsonValue(), (value) => typeof parse(value).ok === 'boolean'));
  });

  it('takes a head in which one thing was put in the place of another, or refuses it in one line', () => {
    const text = JSON.stringify(journalHead());
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('9', '-', '"', 'x', ']', '\\u0000', 'null'), (place, piece) => {
        const at = place % text.length;
        const parsed = parseHead(Buffer.from(text.slice(0, at) + piece + text.slice(at + 1)));
        if (!parsed.ok) expect(parsed.reason).toMatch(/^.{1,200}$/);
      }),
      { numRuns: 500 },
    );
  });
});
