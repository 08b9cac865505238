/**
 * A connection to a socket by Node's own handle, without `node:net` and the streams around it, which take 4 ms to load: a
 * sixth of a one-shot call. The handle is not documented, though it has been the same from Node 0.12 to 24; where it is not
 * to be had, or is another one, there is none here and the caller takes `node:net`.
 */

/** What Node's `pipe_wrap` and `stream_wrap` have, as far as it is used here. */
interface Binding {
  readonly Pipe: new (type: number) => Handle;
  readonly PipeConnectWrap: new () => { oncomplete: (status: number) => void };
  readonly constants: { readonly SOCKET: number };
  readonly WriteWrap: new () => { oncomplete: (status: number) => void; bytes: Uint8Array };
  /** Of the read that is reported: how many bytes, or a negative error; and where they begin. */
  readonly streamBaseState: Int32Array;
  readonly kReadBytesOrError: number;
  readonly kArrayBufferOffset: number;
}

interface Handle {
  onread: (memory: ArrayBuffer | undefined) => void;
  connect(request: object, path: string): number;
  readStart(): number;
  writeBuffer(request: object, bytes: Uint8Array): number;
  close(): void;
}

export interface PipeListeners {
  readonly onData: (bytes: Uint8Array) => void;
  /** It could not be connected, was closed by the other side, or failed. Not after `close`. */
  readonly onEnd: () => void;
}

export interface PipeConnection {
  /** May be called before the connection is there. */
  write(bytes: Uint8Array): void;
  close(): void;
}

/** Connects to the Unix socket at `path`; undefined where Node has no such handle. */
export function connectPipe(path: string, { onData, onEnd }: PipeListeners): PipeConnection | undefined {
  const binding = loadBinding();
  if (!binding) return undefined;
  const { Pipe, PipeConnectWrap, WriteWrap, constants, streamBaseState: state } = binding;
  const handle = new Pipe(constants.SOCKET);
  let isOver = false;
  const close = () => {
    if (!isOver) handle.close();
    isOver = true;
  };
  const end = () => {
    if (isOver) return;
    close();
    onEnd();
  };
  handle.onread = (memory) => {
    const count = state[binding.kReadBytesOrError] ?? 0;
    if (isOver || count === 0) return;
    if (count < 0 || !memory) end();
    else onData(new Uint8Array(memory, state[binding.kArrayBufferOffset], count));
  };
  const request = new PipeConnectWrap();
  request.oncomplete = (status) => {
    if (isOver) return;
    if (status < 0 || handle.readStart() < 0) end();
  };
  if (handle.connect(request, path) < 0) queueMicrotask(end);
  return {
    write: (bytes) => {
      if (isOver) return;
      const write = new WriteWrap();
      // Kept until it is written.
      write.bytes = bytes;
      write.oncomplete = (status) => {
        if (status < 0) end();
      };
      if (handle.writeBuffer(write, bytes) < 0) queueMicrotask(end);
    },
    close,
  };
}

function loadBinding(): Binding | undefined {
  const { noDeprecation } = process;
  try {
    // A warning (with --pending-deprecation) is for the author of a program.
    process.noDeprecation = true;
    // The named boundary: process.binding has no type, and what it gives is checked below.
    const { binding } = process as unknown as { readonly binding?: (name: string) => object };
    if (!binding) return undefined;
    const found: Partial<Binding> = { ...binding('pipe_wrap'), ...binding('stream_wrap') };
    return isWhole(found) ? found : undefined;
  } catch {
    return undefined;
  } finally {
    if (noDeprecation === undefined) delete process.noDeprecation;
    else process.noDeprecation = noDeprecation;
  }
}

function isWhole(found: Partial<Binding>): found is Binding {
  const { Pipe, PipeConnectWrap, WriteWrap, constants, streamBaseState, kReadBytesOrError, kArrayBufferOffset } = found;
  const areMade = [Pipe, PipeConnectWrap, WriteWrap].every((one) => typeof one === 'function');
  const areNumbers = [constants?.SOCKET, kReadBytesOrError, kArrayBufferOffset].every((one) => typeof one === 'number');
  return areMade && areNumbers && streamBaseState instanceof Int32Array;
}
