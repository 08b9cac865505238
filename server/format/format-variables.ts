/** All variables of tmux(1) FORMATS, and the source that answers a format for a place in the model. */
import { blankRow, rowText } from '../../protocol/cell.ts';
import type { Pane } from '../model/pane.ts';
import { completePlace, type FormatContext, type FormatPlace, type FormatVariable } from './format-context.ts';
import { type FormatSource, matches } from './format-expand.ts';
import type { LoopKind, MatchFlags } from './format-modifiers.ts';
import { MODE_VARIABLES, MOUSE_VARIABLES, PANE_VARIABLES } from './pane-variables.ts';
import { BUFFER_VARIABLES, MOMENT_VARIABLES, SERVER_VARIABLES } from './server-variables.ts';
import { CLIENT_VARIABLES, SESSION_VARIABLES } from './session-variables.ts';
import { WINDOW_VARIABLES, WINLINK_VARIABLES } from './window-variables.ts';

export type { FormatContext } from './format-context.ts';

export const FORMAT_VARIABLES: readonly FormatVariable[] = [
  ...BUFFER_VARIABLES,
  ...CLIENT_VARIABLES,
  ...MODE_VARIABLES,
  ...MOMENT_VARIABLES,
  ...MOUSE_VARIABLES,
  ...PANE_VARIABLES,
  ...SERVER_VARIABLES,
  ...SESSION_VARIABLES,
  ...WINDOW_VARIABLES,
  ...WINLINK_VARIABLES,
].sort((a, b) => (a.name < b.name ? -1 : 1));

const BY_NAME: ReadonlyMap<string, FormatVariable> = new Map(FORMAT_VARIABLES.map((row) => [row.name, row]));

/** Answers formats for a place. Nothing is looked up before a format asks for it. */
export function formatSource(context: FormatContext): FormatSource {
  return new ModelSource(completePlace(context));
}

class ModelSource implements FormatSource {
  readonly #place: FormatPlace;

  constructor(place: FormatPlace) {
    this.#place = place;
  }

  get now(): Date {
    return this.#place.now;
  }

  /** Options come first, then variables, then what the caller gave, then the environment. */
  variable(name: string): string | undefined {
    return this.#option(name) ?? this.#fromTable(name) ?? this.#environment(name);
  }

  loop(kind: LoopKind): Iterable<{ source: FormatSource; active: boolean }> | undefined {
    const { registry, session, window, winlink } = this.#place;
    switch (kind) {
      case 'S':
        return registry.sessionsByName().map((each) => ({ source: this.#at({ session: each }), active: false }));
      case 'W':
        return session?.winlinks.map((each) => ({
          source: this.#at({ session, winlink: each }),
          active: each === session.current,
        }));
      case 'P':
        return window?.panes.map((pane) => ({
          source: this.#at({ session, winlink, window, pane }),
          active: pane === window.active,
        }));
    }
  }

  job(command: string): string {
    return this.#place.job?.(command) ?? '';
  }

  search(pattern: string, flags: MatchFlags): number | undefined {
    const { pane } = this.#place;
    return pane && searchScreen(pane, pattern, flags);
  }

  sessionNameExists(name: string): boolean {
    return this.#place.registry.sessionNamed(name) !== undefined;
  }

  windowNameExists(name: string): boolean | undefined {
    return this.#place.session?.winlinks.some(({ window }) => window.name === name);
  }

  /** The same moment at another place. */
  #at(place: Pick<FormatContext, 'session' | 'winlink' | 'window' | 'pane'>): FormatSource {
    const { kind: _kind, session: _session, winlink: _winlink, window: _window, pane: _pane, ...moment } = this.#place;
    return new ModelSource(completePlace({ ...moment, ...place }));
  }

  #option(name: string): string | undefined {
    const { registry, session, window, pane } = this.#place;
    const local = pane?.options ?? window?.options ?? registry.windowOptions;
    return (
      registry.serverOptions.formatValue(name) ??
      local.formatValue(name) ??
      (session?.options ?? registry.sessionOptions).formatValue(name)
    );
  }

  #fromTable(name: string): string | undefined {
    const row = BY_NAME.get(name);
    if (!row) return this.#extra(name);
    const value = row.get(this.#place);
    if (value === undefined) return this.#extra(name);
    return typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
  }

  #extra(name: string): string | undefined {
    const { extra } = this.#place;
    return extra && Object.hasOwn(extra, name) ? extra[name] : undefined;
  }

  #environment(name: string): string | undefined {
    const { session, registry } = this.#place;
    const entry = session?.environ.get(name) ?? registry.environ.get(name);
    return entry?.value;
  }
}

/** The first line of the screen, from 1, that has the pattern; blanks at the end of a line do not count. */
function searchScreen(pane: Pane, pattern: string, flags: MatchFlags): number {
  const wanted = flags.regex ? pattern : `*${pattern}*`;
  const row = blankRow(pane.size.cols);
  for (let y = 0; y < pane.size.rows; y++) {
    pane.emulator.screenRow(y, row);
    if (matches(wanted, rowText(row).trimEnd(), flags)) return y + 1;
  }
  return 0;
}
