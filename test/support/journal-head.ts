/** A head of a journal for tests: two sessions that share a window, three panes. */

import type { JournalHead, JournalPane, JournalSession, JournalWindow } from '../../server/journal/journal-model.ts';
import { JOURNAL_VERSION } from '../../server/journal/journal-model.ts';
import { singleLayout } from '../../server/layout/layout-cell.ts';
import { splitPane } from '../../server/layout/layout-split.ts';
import { printLayout } from '../../server/layout/layout-string.ts';

const SIZE = { cols: 80, rows: 24 };

export function journalPane(id: number, change: Partial<JournalPane> = {}): JournalPane {
  return {
    id,
    title: `title ${id}`,
    scrollback: 2000,
    activeOrder: id,
    inputOff: false,
    cwd: '/tmp',
    program: '',
    isStart: false,
    isEmpty: false,
    options: [],
    ...change,
  };
}

function splitLayout(): string {
  const layout = splitPane(singleLayout(0, SIZE), 0, 1, { axis: 'row', status: 'off' });
  if (!layout) throw new Error('no space');
  return printLayout(layout);
}

export function journalHead(change: Partial<JournalHead> = {}): JournalHead {
  const window = (id: number, panes: number[], layout: string): JournalWindow => ({
    id,
    name: `window ${id}`,
    created: 1000,
    size: SIZE,
    panes,
    active: panes[0] ?? 0,
    layout,
    options: [['mode-keys', 'vi']],
  });
  const session = (id: number, name: string, windows: number[]): JournalSession => ({
    id,
    name,
    cwd: '/',
    created: 1000,
    activity: 1001,
    useOrder: id + 1,
    current: 0,
    previous: [],
    environ: [['PLACE', 'here']],
    winlinks: windows.map((one, index) => ({ index, window: one })),
    options: [['status-left', 'x']],
  });
  return {
    version: JOURNAL_VERSION,
    serial: 1,
    time: 1_700_000_000,
    owner: { pid: 1, started: '', boot: 'another', host: 'here' },
    sessions: [session(0, 'main', [0, 1]), session(1, 'other', [1])],
    windows: [window(0, [0, 1], splitLayout()), window(1, [2], printLayout(singleLayout(2, SIZE)))],
    panes: [journalPane(0), journalPane(1), journalPane(2)],
    files: [['pane/0/screen', 'p0-0']],
    ...change,
  };
}
