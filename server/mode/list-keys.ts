/** The keys of all pickers (tmux(1) choose-tree). */
import type { Key } from '../../protocol/key.ts';

/** What all pickers can do. */
export type ListCommand =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'top'
  | 'bottom'
  | 'expand'
  | 'collapse'
  | 'expand-all'
  | 'collapse-all'
  | 'tag'
  | 'tag-none'
  | 'tag-all'
  | 'sort'
  | 'reverse'
  | 'preview'
  | 'scroll-left'
  | 'scroll-right'
  | 'go-to-start'
  | 'search'
  | 'search-next'
  | 'search-previous'
  | 'filter'
  | 'choose'
  | 'exit';

/** tmux(1) choose-tree, and the keys of its lists that the manual leaves out. */
export const LIST_KEYS: Readonly<Record<Key, ListCommand>> = {
  Up: 'up',
  k: 'up',
  'C-p': 'up',
  Down: 'down',
  j: 'down',
  'C-n': 'down',
  PPage: 'page-up',
  'C-b': 'page-up',
  NPage: 'page-down',
  'C-f': 'page-down',
  Home: 'top',
  g: 'top',
  End: 'bottom',
  G: 'bottom',
  Right: 'expand',
  '+': 'expand',
  l: 'expand',
  Left: 'collapse',
  '-': 'collapse',
  h: 'collapse',
  'M-+': 'expand-all',
  'M--': 'collapse-all',
  t: 'tag',
  T: 'tag-none',
  'C-t': 'tag-all',
  O: 'sort',
  r: 'reverse',
  v: 'preview',
  '<': 'scroll-left',
  '>': 'scroll-right',
  H: 'go-to-start',
  'C-s': 'search',
  '/': 'search',
  n: 'search-next',
  N: 'search-previous',
  f: 'filter',
  Enter: 'choose',
  KPEnter: 'choose',
  q: 'exit',
  Escape: 'exit',
  'C-c': 'exit',
  'C-g': 'exit',
};

/** What the menu of a list calls its commands. */
export const MENU_NAMES: Readonly<Record<Key, string>> = {
  Enter: 'Choose',
  t: 'Tag',
  T: 'Tag None',
  'C-t': 'Tag All',
  O: 'Change Order',
  r: 'Reverse Order',
  f: 'Filter',
  v: 'Preview',
  q: 'Cancel',
};
/** The menu of the list itself, where no line is. */
export const MENU_KEYS = ['T', 'C-t', 'O', 'r', 'f', 'v', 'q'] as const;
