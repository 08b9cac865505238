import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StdioTransport } from '../../../client/mcp/stdio-transport.ts';

class Peer {
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly messages: JSONRPCMessage[] = [];
  closes = 0;
  readonly transport = new StdioTransport(this.#input, this.#output);

  constructor() {
    this.transport.onmessage = (message) => this.messages.push(message);
    this.transport.onclose = () => {
      this.closes++;
    };
    void this.transport.start();
  }

  send(...chunks: readonly (string | Uint8Array)[]): this {
    for (const chunk of chunks) this.#input.emit('data', Buffer.from(chunk));
    return this;
  }

  end(): void {
    this.#input.emit('end');
    this.#input.emit('close');
  }

  replies(): unknown[] {
    const text = String(this.#output.read() ?? '');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  }
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const PING_MESSAGE = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('standard input and output as a transport', () => {
  it.each([
    ['nope', null, -32700, /^not JSON: /],
    ['{"jsonrpc":"2.0","id":1,', null, -32700, /^not JSON: /],
    ['{}', null, -32600, /^not a JSON-RPC 2.0 message$/],
    ['7', null, -32600, /^not a JSON-RPC 2.0 message$/],
    ['{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, -32600, /^not a JSON-RPC 2.0 message$/],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600, /^not a JSON-RPC 2.0 message$/],
    [`[${PING}]`, null, -32600, /^one message a line, batches are not taken$/],
    ['{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}}', 'a', -32602, /^params\.name: /],
    ['{"jsonrpc":"2.0","id":2,"method":"tools/call"}', 2, -32602, /^params: /],
    [
      '{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":5}}',
      3,
      -32602,
      /^params\.protocolVersion: /,
    ],
  ])('answers what is no request with one line: %s', (line, id, code, message) => {
    const peer = new Peer().send(`${line}\n`, `${PING}\n`);
    const error = { code, message: expect.stringMatching(message) };
    expect(peer.replies()).toEqual([{ jsonrpc: '2.0', id, error }]);
    expect(peer.messages).toEqual([PING_MESSAGE]);
  });

  it('gives on what is a message, and says nothing of blank lines', () => {
    const note = { jsonrpc: '2.0', method: 'notifications/unknown' };
    const peer = new Peer().send(`\n\r\n${PING}\r\n${JSON.stringify(note)}\n`);
    expect(peer.messages).toEqual([PING_MESSAGE, note]);
    expect(peer.replies()).toEqual([]);
  });

  it('reads the same however the bytes are cut', () => {
    const bytes = Buffer.from(`${PING}\n{"jsonrpc":"2.0","id":"ü🎉","method":"ping"}\nnope\n`);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const peer = new Peer().send(...edges.slice(1).map((end, i) => bytes.subarray(edges[i], end)));
        expect(peer.messages).toEqual([PING_MESSAGE, { ...PING_MESSAGE, id: 'ü🎉' }]);
        expect(peer.replies()).toHaveLength(1);
      }),
    );
  });

  it('refuses a line without end once, in a bounded way, and goes on behind it', () => {
    const peer = new Peer();
    for (let i = 0; i < 6; i++) peer.send('x'.repeat(1 << 20));
    expect(peer.replies()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    peer.send(`x\n${PING}\n`);
    expect(peer.replies()).toEqual([]);
    expect(peer.messages).toEqual([PING_MESSAGE]);
  });

  it('closes once with its input, and writes nothing from then on', async () => {
    const peer = new Peer();
    peer.end();
    await peer.transport.close();
    await peer.transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    expect([peer.closes, peer.replies()]).toEqual([1, []]);
  });
});
