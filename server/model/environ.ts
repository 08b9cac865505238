/** One variable: a value, or a mark that it is to be removed from what a new process gets (`set-environment -r`). */
export interface EnvironEntry {
  readonly value: string | undefined;
  /** Known to formats and `%if`, never passed to a process (`set-environment -h`). */
  readonly hidden: boolean;
}

/** Never handed to a pane, whoever started the server: they name the starter, not the pane. */
const DROPPED =
  /^(?:TMUX|TMUX_PANE|MPLEX|MPLEX_PANE|MPLEX_CONTROL|MPLEX_POPUP|MPLEX_TOKEN|STY|COLUMNS|LINES|TERMCAP|NODE_OPTIONS|NODE_CHANNEL_FD|NODE_CHANNEL_SERIALIZATION_MODE|NODE_UNIQUE_ID|npm_.*|INIT_CWD|MPLEX_HOST_.*)$/;

/** A session's environment or the global one (tmux(1) GLOBAL AND SESSION ENVIRONMENT). */
export class Environ {
  readonly #entries = new Map<string, EnvironEntry>();

  /** The global environment from a process's `NAME=value` strings, the starter's own marks dropped. */
  static from(pairs: Iterable<string>): Environ {
    const environ = new Environ();
    for (const pair of pairs) {
      const at = pair.indexOf('=');
      if (at > 0 && !DROPPED.test(pair.slice(0, at))) environ.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return environ;
  }

  get(name: string): EnvironEntry | undefined {
    return this.#entries.get(name);
  }

  set(name: string, value: string, hidden = false): void {
    this.#entries.set(name, { value, hidden });
  }

  /** Marks a variable to be removed before a process starts (`-r`). */
  clear(name: string): void {
    this.#entries.set(name, { value: undefined, hidden: false });
  }

  /** Forgets a variable, so that the parent's counts again (`-u`). */
  unset(name: string): void {
    this.#entries.delete(name);
  }

  /** All entries by name, in the order of the names' bytes, as tmux lists them. */
  entries(): [string, EnvironEntry][] {
    return [...this.#entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  }

  /** Lays `over` on top of this one and returns what a process gets. */
  merged(over?: Environ): Record<string, string> {
    const result: Record<string, string> = {};
    for (const source of over ? [this, over] : [this]) {
      for (const [name, entry] of source.#entries) {
        if (entry.value === undefined) delete result[name];
        else if (!entry.hidden) result[name] = entry.value;
        else delete result[name];
      }
    }
    return result;
  }

  copyTo(target: Environ): void {
    for (const [name, entry] of this.#entries) target.#entries.set(name, entry);
  }

  /**
   * Takes the variables that `update-environment` names from a client's environment: a match is set, a name without a
   * match is marked for removal. Names may hold `*` and `?`.
   */
  update(patterns: readonly string[], client: Environ): void {
    for (const pattern of patterns) {
      const matcher = globMatcher(pattern);
      let found = false;
      for (const [name, entry] of client.#entries) {
        if (entry.value === undefined || !matcher.test(name)) continue;
        this.set(name, entry.value);
        found = true;
      }
      if (!found) this.clear(pattern);
    }
  }
}

/** fnmatch(3) as a regular expression: `*`, `?` and `[...]`. */
export function globMatcher(pattern: string, flags = ''): RegExp {
  let source = '';
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] ?? '';
    if (char === '*') source += '[^]*';
    else if (char === '?') source += '[^]';
    else if (char === '[') {
      const end = pattern.indexOf(']', i + 2);
      if (end < 0) source += '\\[';
      else {
        const set = pattern
          .slice(i + 1, end)
          .replace(/\\/g, '\\\\')
          .replace(/^[!^]/, '^');
        source += `[${set}]`;
        i = end;
      }
    } else if (char === '\\' && i + 1 < pattern.length) {
      i += 1;
      source += escapeRegExp(pattern[i] ?? '');
    } else source += escapeRegExp(char);
  }
  try {
    return new RegExp(`^${source}$`, flags);
  } catch {
    return new RegExp(`^${escapeRegExp(pattern)}$`, flags);
  }
}

export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
