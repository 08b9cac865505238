/** What choose-buffer lists: the paste buffers (tmux(1) choose-buffer). */
import { DEFAULT_STYLE, type Row, rowColumns, setCell } from '../../protocol/cell.ts';
import type { Key } from '../../protocol/key.ts';
import { graphemes } from '../../src/overlay/text-width.ts';
import { visibleText } from '../../src/overlay/visible-text.ts';
import type { PasteBuffer } from '../model/paste-buffers.ts';
import type { Registry } from '../model/registry.ts';
import { type ListItem, lineKey } from './list-rows.ts';
import type { ListAction, ListCall, ListSource, ListTemplate, ListView } from './list-source.ts';

export interface BufferServices {
  readonly registry: Registry;
  expand(format: string, buffer: PasteBuffer, extra?: Readonly<Record<string, string>>): string;
  isTrue(text: string): boolean;
  /** Runs a template with a buffer's name in place of `%%`. */
  run(template: ListTemplate, name: string, call: ListCall): void;
  /** Opens the buffer in the person's editor. */
  edit(buffer: PasteBuffer, call: ListCall): void;
}

export interface BufferOptions {
  readonly format: string | undefined;
  readonly keyFormat: string | undefined;
  readonly template: ListTemplate;
}

const FORMAT = '#{t/p:buffer_created}: #{buffer_sample}';
const PREVIEW_TAB = '        ';

export class BufferSource implements ListSource {
  readonly modeName = 'buffer-mode';
  readonly sorts = ['time', 'name', 'size'];
  readonly actions: readonly ListAction[] = [
    { key: 'p', help: 'Paste', inMenu: true, run: (call) => this.#paste(call, [call.item]) },
    { key: 'P', help: 'Paste Tagged', inMenu: true, run: (call) => this.#paste(call, call.targets) },
    { key: 'd', help: 'Delete', inMenu: true, run: (call) => this.#delete(call, [call.item]) },
    { key: 'D', help: 'Delete Tagged', inMenu: true, run: (call) => this.#delete(call, call.list.tagged()) },
    { key: 'e', help: 'Edit', run: (call) => this.#edit(call) },
  ];
  readonly #services: BufferServices;
  readonly #options: BufferOptions;

  constructor(services: BufferServices, options: BufferOptions) {
    this.#services = services;
    this.#options = options;
  }

  items({ sort, isReversed, filter }: ListView): readonly ListItem[] {
    const buffers = [...this.#services.registry.buffers.list()];
    if (sort === 'name') buffers.sort((a, b) => (a.name < b.name ? -1 : 1));
    if (sort === 'size') buffers.sort((a, b) => b.text.length - a.text.length);
    if (isReversed) buffers.reverse();
    const { expand, isTrue } = this.#services;
    return buffers
      .filter((buffer) => filter === undefined || isTrue(expand(filter, buffer)))
      .map((buffer) => ({
        id: buffer.name,
        name: buffer.name,
        text: expand(this.#options.format ?? FORMAT, buffer),
        content: buffer.text,
      }));
  }

  lineKey(item: ListItem, at: number): Key | undefined {
    const { keyFormat } = this.#options;
    const buffer = this.#services.registry.buffers.get(item.id);
    if (keyFormat === undefined || !buffer) return lineKey(at);
    return this.#services.expand(keyFormat, buffer, { line: String(at) }) || undefined;
  }

  choose(call: ListCall): boolean {
    this.#services.run(this.#options.template, call.item.id, call);
    return true;
  }

  #paste(call: ListCall, items: readonly ListItem[]): void {
    // Into the program: the mode goes first.
    call.list.leave();
    for (const { id } of items) this.#services.run(this.#options.template, id, call);
  }

  #delete({ list }: ListCall, items: readonly ListItem[]): void {
    const { buffers } = this.#services.registry;
    for (const { id } of items) buffers.delete(id);
    if (buffers.newest()) list.refresh();
    else list.leave();
  }

  #edit(call: ListCall): void {
    const buffer = this.#services.registry.buffers.get(call.item.id);
    if (buffer) this.#services.edit(buffer, call);
  }

  preview(item: ListItem, rows: readonly Row[]): void {
    const text = this.#services.registry.buffers.get(item.id)?.text ?? '';
    const lines = text.split('\n', rows.length);
    for (const [y, row] of rows.entries()) drawPlain(row, lines[y] ?? '');
  }
}

/** Writes foreign text into a row, what does not fit left out. */
export function drawPlain(row: Row, text: string, style = DEFAULT_STYLE): void {
  const cols = rowColumns(row);
  let x = 0;
  for (const { text: cluster, width } of graphemes(visibleText(text.replaceAll('\t', PREVIEW_TAB)))) {
    if (width === 0) continue;
    if (x + width > cols) return;
    setCell(row, x, cluster, width, style);
    x += width;
  }
}
