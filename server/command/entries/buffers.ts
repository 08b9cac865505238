/** Commands about paste buffers (tmux(1) BUFFERS). */
import { sendToClipboard } from '../../model/clipboard.ts';
import { type BufferContent, bytesOf, contentOf, type PasteBuffer } from '../../model/paste-buffers.ts';
import type { Args } from '../args.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import type { CommandContext, Entry } from './context.ts';
import { callerPath, isOutputOfCaller, readForCaller, saveForCaller } from './files.ts';
import { printList } from './list-output.ts';

const LIST_TEMPLATE = '#{buffer_name}: #{buffer_size} bytes: "#{buffer_sample}"';
/** Longest file or input that load-buffer takes, bytes. */
const LOAD_MAX = 64 << 20;

/** The buffer that -b names, or the newest. */
function chosenBuffer(context: CommandContext, args: Args): PasteBuffer | string {
  const name = args.value('b');
  const { buffers } = context.registry;
  if (name === undefined) return buffers.newest() ?? 'no buffers';
  return buffers.get(name) ?? `no buffer ${name}`;
}

/** Keeps a content under a name, or as a new automatic buffer; an empty one is no buffer. */
function storeBuffer(context: CommandContext, name: string | undefined, content: BufferContent): CommandResult {
  const { buffers, serverOptions } = context.registry;
  if (content.text === '') return OK;
  if (name === '') return failed('empty buffer name');
  if (name === undefined) buffers.add(content, serverOptions.number('buffer-limit'));
  else buffers.set(name, content);
  return OK;
}

/** `-w`: the text goes to the client's clipboard too. */
function toClipboard(context: CommandContext, args: Args, text: string): void {
  if (args.has('w') && context.client) sendToClipboard(context.client, text);
}

const setBuffer: Entry = {
  name: 'set-buffer',
  alias: 'setb',
  args: { template: 'ab:t:n:w', min: 0, max: 1 },
  usage: '[-aw] [-b buffer-name] [-n new-buffer-name] [-t target-client] data',
  client: { flag: 't', canFail: true },
  help: 'Set the contents of a paste buffer, or rename it (-n)',
  exec(context, args) {
    const { buffers } = context.registry;
    const name = args.value('b');
    const newName = args.value('n');
    if (newName !== undefined) return renameBuffer(context, name, newName);
    const data = args.string(0);
    if (data === undefined) return failed('no data specified');
    if (data === '') return OK;
    const before = args.has('a') && name !== undefined ? (buffers.get(name)?.text ?? '') : '';
    const result = storeBuffer(context, name, { text: before + data });
    if (result.kind === 'ok') toClipboard(context, args, before + data);
    return result;
  },
};

function renameBuffer(context: CommandContext, from: string | undefined, to: string): CommandResult {
  const { buffers } = context.registry;
  const buffer = from === undefined ? buffers.newest() : buffers.get(from);
  if (!buffer) return failed(from === undefined ? 'no buffer' : `unknown buffer: ${from}`);
  if (to === '') return failed('new name is empty');
  if (buffers.get(to)) return failed(`buffer ${to} already exists`);
  buffers.rename(buffer.name, to);
  return OK;
}

const loadBuffer: Entry = {
  name: 'load-buffer',
  alias: 'loadb',
  args: { template: 'b:t:w', min: 1, max: 1 },
  usage: '[-b buffer-name] [-t target-client] path',
  client: { flag: 't', canFail: true },
  help: 'Load a file into a paste buffer',
  async exec(context, args) {
    const given = context.expand(args.string(0) ?? '');
    const path = given === '-' ? given : callerPath(context, given);
    const read = await readForCaller(context, path, LOAD_MAX);
    if (!read.ok) return failed(`${path}: ${read.error}`);
    const content = contentOf(read.bytes);
    const result = storeBuffer(context, args.value('b'), content);
    if (result.kind === 'ok' && content.text !== '') toClipboard(context, args, content.text);
    return result;
  },
};

const C_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\\': '\\\\',
};

/** Lines for a control client: each ends, and nothing in them ends or begins a reply. */
function controlLines(text: string): string {
  const escaped = text.replace(
    /[\x00-\x09\x0b-\x1f\x7f\\]/g,
    (control) => C_ESCAPES[control] ?? `\\${control.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `${escaped}\n`;
}

/** The contents as they are, for a control client as lines. */
function printBuffer({ caller }: CommandContext, buffer: PasteBuffer): void {
  if (caller.kind === 'control') caller.print(controlLines(buffer.text));
  else if (buffer.raw && caller.printBytes) caller.printBytes(buffer.raw);
  else caller.print(buffer.text);
}

const saveBuffer: Entry = {
  name: 'save-buffer',
  alias: 'saveb',
  args: { template: 'ab:', min: 1, max: 1 },
  usage: '[-a] [-b buffer-name] path',
  help: 'Save a paste buffer to a file',
  async exec(context, args) {
    const buffer = chosenBuffer(context, args);
    if (typeof buffer === 'string') return failed(buffer);
    const given = context.expand(args.string(0) ?? '');
    if (isOutputOfCaller(context, given)) {
      printBuffer(context, buffer);
      return OK;
    }
    const path = callerPath(context, given);
    const error = await saveForCaller(context, path, { bytes: bytesOf(buffer), how: args.has('a') ? 'a' : 'w' });
    return error === undefined ? OK : failed(`${path}: ${error}`);
  },
};

const showBuffer: Entry = {
  name: 'show-buffer',
  alias: 'showb',
  args: { template: 'b:', min: 0, max: 0 },
  usage: '[-b buffer-name]',
  help: 'Show the contents of a paste buffer',
  exec(context, args) {
    const buffer = chosenBuffer(context, args);
    if (typeof buffer === 'string') return failed(buffer);
    printBuffer(context, buffer);
    return OK;
  },
};

const deleteBuffer: Entry = {
  name: 'delete-buffer',
  alias: 'deleteb',
  args: { template: 'b:', min: 0, max: 0 },
  usage: '[-b buffer-name]',
  help: 'Delete a paste buffer',
  exec(context, args) {
    const { buffers } = context.registry;
    const name = args.value('b');
    const buffer = name === undefined ? buffers.newest() : buffers.get(name);
    if (!buffer) return failed(name === undefined ? 'no buffer' : `unknown buffer: ${name}`);
    buffers.delete(buffer.name);
    return OK;
  },
};

const listBuffers: Entry = {
  name: 'list-buffers',
  alias: 'lsb',
  args: { template: 'F:f:', min: 0, max: 0 },
  usage: '[-F format] [-f filter]',
  help: 'List paste buffers',
  exec(context, args) {
    const things = context.registry.buffers.list().map((buffer) => ({ buffer }));
    printList(context, things, { template: args.value('F') ?? LIST_TEMPLATE, filter: args.value('f') });
    return OK;
  },
};

const pasteBuffer: Entry = {
  name: 'paste-buffer',
  alias: 'pasteb',
  args: { template: 'db:prs:t:', min: 0, max: 0 },
  usage: '[-dpr] [-s separator] [-b buffer-name] [-t target-pane]',
  target: { flag: 't', kind: 'pane' },
  help: 'Paste a buffer into a pane',
  exec(context, args) {
    const { pane } = context.target;
    if (pane.isDead) return failed('target pane has exited');
    const buffer = chosenBuffer(context, args);
    if (typeof buffer === 'string') return args.value('b') === undefined ? OK : failed(buffer);
    const separator = args.value('s') ?? (args.has('r') ? '\n' : '\r');
    context.services.paste(pane, buffer.text.replaceAll('\n', separator), { bracketed: args.has('p') });
    if (args.has('d')) context.registry.buffers.delete(buffer.name);
    return OK;
  },
};

export const BUFFER_ENTRIES: readonly Entry[] = [
  deleteBuffer,
  listBuffers,
  loadBuffer,
  pasteBuffer,
  saveBuffer,
  setBuffer,
  showBuffer,
];
