/**
 * The lines of a picker: a tree of items made flat, each line with its key, the branch it hangs on, whether it is open,
 * its name and text. Pure: what is open or tagged is the caller's.
 */
import type { Key } from '../../protocol/key.ts';

/** One thing to choose. */
export interface ListItem {
  /** The same for the same thing at all times. */
  readonly id: string;
  /** Told before the text, and searched. */
  readonly name: string;
  /** An expanded format, with its styles; '' for none. */
  readonly text: string;
  /** Searched besides the name. */
  readonly content?: string;
  readonly children?: readonly ListItem[];
  /** Open until somebody closes it. */
  readonly startsOpen?: boolean;
  /** A heading: choosing it opens or closes it, and it cannot be tagged. */
  readonly isHeading?: boolean;
}

export interface ListLine {
  readonly item: ListItem;
  readonly depth: number;
  /** Id of the item it hangs on. */
  readonly parent: string | undefined;
  /** `│   └─> `. */
  readonly branch: string;
  /** `+ ` closed, `- ` open, blanks beside such, '' where no neighbour has children. */
  readonly mark: string;
  readonly isOpen: boolean;
}

/** The lines that are seen, from top to bottom. */
export function listLines(items: readonly ListItem[], isOpen: (item: ListItem) => boolean): ListLine[] {
  const lines: ListLine[] = [];
  const add = (level: readonly ListItem[], above: Above): void => {
    const hasMarks = level.some(hasChildren);
    for (const [at, item] of level.entries()) {
      const isLast = at === level.length - 1;
      const open = hasChildren(item) && isOpen(item);
      const mark = !hasMarks ? '' : !hasChildren(item) ? '  ' : open ? '- ' : '+ ';
      const branch = above.depth === 0 ? '' : `${above.stem}${isLast ? '└─> ' : '├─> '}`;
      lines.push({ item, depth: above.depth, parent: above.id, branch, mark, isOpen: open });
      if (!open) continue;
      const stem = above.depth === 0 ? '' : `${above.stem}${isLast ? '    ' : '│   '}`;
      add(item.children ?? [], { depth: above.depth + 1, stem, id: item.id });
    }
  };
  add(items, { depth: 0, stem: '', id: undefined });
  return lines;
}

interface Above {
  readonly depth: number;
  readonly stem: string;
  readonly id: string | undefined;
}

function hasChildren(item: ListItem): boolean {
  return (item.children?.length ?? 0) > 0;
}

/** Every item, seen or not. */
export function allItems(items: readonly ListItem[]): ListItem[] {
  return items.flatMap((item) => [item, ...allItems(item.children ?? [])]);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The key that chooses line `at`: 0 to 9, then M-a to M-z; undefined behind those. */
export function lineKey(at: number): Key | undefined {
  if (at < 10) return String(at);
  const letter = LETTERS[at - 10];
  return letter === undefined ? undefined : `M-${letter}`;
}

/** The next line that holds a text in its name or content, from the one behind `from` on and round the end. */
export function searchLines(lines: readonly ListLine[], text: string, from: number, step: 1 | -1): number | undefined {
  const wanted = text.toLowerCase();
  for (let i = 1; i <= lines.length; i++) {
    const at = (((from + step * i) % lines.length) + lines.length) % lines.length;
    const item = lines[at]?.item;
    if (!item) continue;
    if (item.name.toLowerCase().includes(wanted) || item.content?.toLowerCase().includes(wanted)) return at;
  }
  return undefined;
}
