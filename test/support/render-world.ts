/** A registry with one session and panes whose screens are texts: what the render tests draw. */
import { blankRow, copyCells, DEFAULT_STYLE, type Row, setCell } from '../../protocol/cell.ts';
import { type Cursor, HIDDEN_CURSOR } from '../../protocol/frame.ts';
import type { Size } from '../../protocol/geometry.ts';
import type { ServerMessage } from '../../protocol/message.ts';
import type { FormatContext } from '../../server/format/format-context.ts';
import { singleLayout } from '../../server/layout/layout-cell.ts';
import { splitPane } from '../../server/layout/layout-split.ts';
import { ClientSession } from '../../server/model/client-session.ts';
import { Environ } from '../../server/model/environ.ts';
import { Pane } from '../../server/model/pane.ts';
import { Registry } from '../../server/model/registry.ts';
import type { Session } from '../../server/model/session.ts';
import type { Window } from '../../server/model/window.ts';
import { globalOptions, matchOption, OptionSet } from '../../server/options/option-set.ts';
import type { RowStamps } from '../../server/terminal/dirty-rows.ts';
import { graphemes } from '../../src/overlay/text-width.ts';

/** Stands in for a pane's emulator: rows of text, a cursor, modes. */
export class FakeScreen {
  lines: string[] = [];
  cursor: Cursor = { ...HIDDEN_CURSOR, visible: true };
  modes = { synchronizedOutput: false, mouseTracking: 'off', focusEvents: false, keyFlags: 0, modifyOtherKeys: 0 };
  size: Size;
  #stamp = 1;
  #seen: (string | undefined)[] = [];
  #stamps: number[] = [];

  constructor(size: Size) {
    this.size = size;
  }

  resize(size: Size): void {
    this.size = size;
    this.#seen = [];
    this.#stamps = Array.from({ length: size.rows }, () => ++this.#stamp);
  }

  get stamps(): RowStamps {
    for (let y = 0; y < Math.max(this.lines.length, this.#seen.length); y++) {
      if (this.#seen[y] === this.lines[y]) continue;
      this.#seen[y] = this.lines[y];
      this.#stamps[y] = ++this.#stamp;
    }
    return { stamp: this.#stamp, hasChanged: (y, since) => (this.#stamps[y] ?? 0) > since };
  }

  screenRow(y: number, into: Row): void {
    const cols = into.words.length / 3;
    copyCells(blankRow(cols), 0, into, 0, cols);
    let x = 0;
    for (const { text, width } of graphemes(this.lines[y] ?? '')) {
      if (width === 0 || x + width > cols) continue;
      setCell(into, x, text, width, DEFAULT_STYLE);
      x += width;
    }
  }

  dispose(): void {}
}

export class RenderWorld {
  readonly registry: Registry;
  readonly session: Session;
  readonly window: Window;
  /** Seconds since the epoch. */
  seconds = 1_700_000_000;

  constructor(size: Size) {
    this.registry = new Registry({
      environ: new Environ(),
      now: () => this.seconds,
      options: { server: globalOptions('server'), session: globalOptions('session'), window: globalOptions('window') },
    });
    this.session = this.registry.addSession({ name: 's', cwd: '/' });
    this.window = this.addWindow('w', size);
  }

  addWindow(name: string, size: Size): Window {
    const window = this.registry.addWindow({ name, size });
    const pane = this.#addPane(window, size);
    window.insertPane(pane);
    window.setLayout(singleLayout(pane.id, size));
    this.session.link(window, this.session.freeIndex(0));
    return window;
  }

  /** Splits the active pane, left-right or top-bottom; the new pane is active. */
  split(direction: 'row' | 'column', lines: string[] = []): Pane {
    const { window } = this;
    const pane = this.#addPane(window, { cols: 1, rows: 1 });
    const layout = splitPane(window.layout, window.active.id, pane.id, {
      axis: direction,
      status: window.borderStatus,
    });
    if (!layout) throw new Error('no space for new pane');
    window.insertPane(pane, window.active);
    window.setLayout(layout);
    window.setActive(pane);
    screenOf(pane).lines = lines;
    return pane;
  }

  /** Sets an option wherever it may be: `mouse on`, `pane-border-lines double`. */
  set(name: string, value: string): void {
    const match = matchOption(name);
    const scopes = match.kind === 'found' ? (match.entry?.scopes ?? []) : [];
    const { serverOptions, sessionOptions, windowOptions } = this.registry;
    const set = scopes.includes('server') ? serverOptions : scopes.includes('session') ? sessionOptions : windowOptions;
    const result = set.set(match, value);
    if (!result.ok) throw new Error(result.error);
    this.window.placePanes();
  }

  addClient(size: Size): TestClient {
    const client = new TestClient(this.session, size);
    this.registry.clients.add(client.client);
    return client;
  }

  /** What formats are expanded with, but for the place. */
  formatContext(): FormatContext {
    return {
      registry: this.registry,
      now: new Date(this.seconds * 1000),
      version: '0.0.0',
      pid: 1,
      socketPath: '/tmp/mplex-0/default',
      host: 'host',
      processes: { foregroundCommand: () => undefined, workingDirectory: () => undefined },
    };
  }

  #addPane(window: Window, size: Size): Pane {
    const pane = new Pane({
      id: this.registry.nextPaneId(),
      window,
      options: new OptionSet(window.options),
      // Of the emulator's members only these are used by what is drawn.
      emulator: new FakeScreen(size) as unknown as Pane['emulator'],
      command: { argv: [], cwd: '/' },
      title: 'host',
    });
    this.registry.panes.set(pane.id, pane);
    return pane;
  }
}

/** The texts that a pane shows; change them and mark the pane. */
export function screenOf(pane: Pane): FakeScreen {
  return pane.emulator as unknown as FakeScreen;
}

/** A client that keeps what it is sent. */
export class TestClient {
  readonly client: ClientSession;
  readonly sent: ServerMessage[] = [];

  constructor(session: Session, size: Size) {
    this.client = new ClientSession({
      name: '/dev/pts/9',
      pid: 1,
      size,
      term: 'xterm',
      environ: new Environ(),
      cwd: '/',
      readOnly: false,
      ignoreSize: false,
      created: 0,
    });
    this.client.session = session;
    session.attached += 1;
    this.client.transport = { send: (message) => this.sent.push(message), close: () => {} };
  }

  get frames(): Extract<ServerMessage, { kind: 'frame' }>[] {
    return this.sent.filter((message) => message.kind === 'frame');
  }
}
