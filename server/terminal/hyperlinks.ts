/**
 * The OSC 8 links of one pane. A link's id is made here and names the pane, so that links of two panes are never taken
 * for one; its address must have a scheme that is harmless to open.
 */
import type { Link } from '../../protocol/cell.ts';

/** Links of one pane that are remembered; cells of forgotten ones lose the link and keep their text. */
export const LINKS_MAX = 5000;
const URI_MAX = 2048;
/** Links with an id of the program's that `saved` tells of, the newest. */
const SAVED_MAX = 100;

const SCHEMES = new Set(['http', 'https', 'ftp', 'ftps', 'sftp', 'ssh', 'mailto', 'git', 'news', 'gemini', 'gopher']);

let scopes = 0;

/** What decides the ids of further links. */
export interface SavedLinks {
  readonly scope: number;
  readonly next: number;
  /** The program's id and the address, and the number. */
  readonly named: readonly (readonly [key: string, number: number])[];
}

export class Hyperlinks {
  #scope = ++scopes;
  readonly #byNumber = new Map<number, Link>();
  readonly #numbers = new Map<string, number>();
  #next = 1;

  /** The number for a link, 0 if the address is refused. `id` is the program's, '' for none: such links never join. */
  register(id: string, uri: string): number {
    if (!isHarmlessUri(uri)) return 0;
    const key = id === '' ? '' : `${id}\n${uri}`;
    const known = key === '' ? undefined : this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#next++;
    this.#byNumber.set(number, { id: `mplex${this.#scope}-${number}`, uri });
    if (key !== '') this.#numbers.set(key, number);
    this.#forgetOldest();
    return number;
  }

  /** The number for a link that this pane had in another process; its id stays what it was. */
  adopt(link: Link): number {
    const own = /^mplex\d{1,9}-(\d{1,9})$/.exec(link.id)?.[1];
    if (own === undefined) return 0;
    const number = Number(own);
    if (!this.#byNumber.has(number)) this.#byNumber.set(number, link);
    this.#forgetOldest();
    return number;
  }

  get saved(): SavedLinks {
    return { scope: this.#scope, next: this.#next, named: [...this.#numbers].slice(-SAVED_MAX) };
  }

  /** Goes on where another process's `saved` was: before the links of its cells are adopted. */
  restore({ scope, next, named }: SavedLinks): void {
    this.#scope = scope;
    scopes = Math.max(scopes, scope);
    this.#next = next;
    for (const [key, number] of named) {
      this.#numbers.set(key, number);
      this.adopt({ id: `mplex${scope}-${number}`, uri: key.slice(key.indexOf('\n') + 1) });
    }
  }

  get(number: number): Link | undefined {
    return this.#byNumber.get(number);
  }

  #forgetOldest(): void {
    for (const number of this.#byNumber.keys()) {
      if (this.#byNumber.size <= LINKS_MAX) break;
      this.#byNumber.delete(number);
    }
    for (const key of this.#numbers.keys()) {
      if (this.#numbers.size <= LINKS_MAX) break;
      this.#numbers.delete(key);
    }
  }
}

/** Whether an address is printable ASCII, not too long, and of a scheme that opening cannot turn against the person. */
export function isHarmlessUri(uri: string): boolean {
  if (uri.length > URI_MAX || !/^[\x21-\x7e]+$/.test(uri)) return false;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) return false;
  // A file of this machine; a host name would make the opener fetch from elsewhere.
  if (scheme === 'file') return /^file:\/\/(localhost)?\//i.test(uri);
  return SCHEMES.has(scheme);
}
