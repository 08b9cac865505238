/**
 * JSON-RPC 2.0 messages as lines on standard input and output (MCP's stdio transport). What is no message is answered with the
 * error that JSON-RPC has for it, in one line: the SDK's own transport drops it, and its caller waits for ever.
 */
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
} from '@modelcontextprotocol/sdk/types.js';

/** Longest line that is read, UTF-16 units; a spec is 1 MiB at most. */
const LINE_MAX = 4 << 20;

/** Requests whose parameters are checked before the SDK does, which would show its caller a schema's dump. */
const CHECKED = new Map<string, typeof CallToolRequestSchema | typeof InitializeRequestSchema>([
  ['initialize', InitializeRequestSchema],
  ['tools/call', CallToolRequestSchema],
]);

interface Fault {
  readonly code: ErrorCode;
  readonly message: string;
}

export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #decoder = new StringDecoder('utf8');
  #line = '';
  /** The present line is too long and was told so: its rest is thrown away. */
  #isOverlong = false;
  #isClosed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#receive);
    this.#input.once('end', this.#end);
    this.#input.once('close', this.#end);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(message);
  }

  async close(): Promise<void> {
    this.#end();
  }

  readonly #receive = (chunk: Buffer): void => {
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    this.#extend(first);
    for (const rest of others) {
      if (!this.#isOverlong) this.#serve(this.#line);
      this.#line = '';
      this.#isOverlong = false;
      this.#extend(rest);
    }
  };

  #extend(text: string): void {
    if (this.#isOverlong) return;
    this.#line += text;
    if (this.#line.length <= LINE_MAX) return;
    this.#isOverlong = true;
    this.#line = '';
    this.#refuse(null, { code: ErrorCode.InvalidRequest, message: `the line is longer than ${LINE_MAX} characters` });
  }

  #serve(line: string): void {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#refuse(null, { code: ErrorCode.ParseError, message: `not JSON: ${oneLine(reason)}` });
      return;
    }
    const message = JSONRPCMessageSchema.safeParse(value);
    if (!message.success) {
      const text = Array.isArray(value) ? 'one message a line, batches are not taken' : 'not a JSON-RPC 2.0 message';
      this.#refuse(idOf(value), { code: ErrorCode.InvalidRequest, message: text });
      return;
    }
    const fault = paramsFault(message.data);
    if (fault) this.#refuse(idOf(value), fault);
    else this.onmessage?.(message.data);
  }

  #refuse(id: string | number | null, error: Fault): void {
    this.#write({ jsonrpc: '2.0', id, error });
  }

  #write(value: object): void {
    if (!this.#isClosed) this.#output.write(`${JSON.stringify(value)}\n`);
  }

  readonly #end = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off('data', this.#receive);
    this.onclose?.();
  };
}

/** The first thing wrong with the parameters of a request. */
function paramsFault(message: JSONRPCMessage): Fault | undefined {
  if (!('method' in message && 'id' in message)) return undefined;
  const issue = CHECKED.get(message.method)?.safeParse(message).error?.issues[0];
  return issue && { code: ErrorCode.InvalidParams, message: `${issue.path.join('.')}: ${oneLine(issue.message)}` };
}

/** The id to answer to, where there is one. */
function idOf(value: unknown): string | number | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
