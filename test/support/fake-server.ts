/** The server's side of the attach socket in a test's hands: HELLO by itself, everything else by the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeCallMessage } from '../../protocol/call-codec.ts';
import { decodeClientMessage, encodeServerMessage } from '../../protocol/codec.ts';
import { FrameDecoder } from '../../protocol/frame-decoder.ts';
import type { ClientMessage, ServerMessage } from '../../protocol/message.ts';
import { CLIENT_FRAME_MAX, FRAME_TYPE, PROTOCOL_MAJOR, PROTOCOL_MINOR } from '../../protocol/message.ts';

export class FakeServer {
  readonly path: string;
  /** What clients have sent, in order. */
  readonly messages: ClientMessage[] = [];
  /** Set before a client connects: what to say first instead of a fitting HELLO. */
  greeting: Uint8Array = encodeCallMessage({
    kind: 'hello',
    major: PROTOCOL_MAJOR,
    minor: PROTOCOL_MINOR,
    pid: process.pid,
    version: 'fake',
  });
  readonly #directory: string;
  readonly #server: Server;
  #socket: Socket | undefined;

  private constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), 'mplex-fake-'));
    this.path = join(this.#directory, 's');
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async open(): Promise<FakeServer> {
    const server = new FakeServer();
    await new Promise<void>((resolve) => server.#server.listen(server.path, resolve));
    return server;
  }

  get isConnected(): boolean {
    return this.#socket !== undefined && !this.#socket.destroyed;
  }

  send(...messages: readonly ServerMessage[]): void {
    this.#socket?.write(Buffer.concat(messages.map(encodeServerMessage)));
  }

  sendRaw(bytes: Uint8Array): void {
    this.#socket?.write(bytes);
  }

  /** As when the server was killed. */
  dropClient(): void {
    this.#socket?.destroy();
  }

  /** The messages of one kind. */
  sent<K extends ClientMessage['kind']>(kind: K): Extract<ClientMessage, { kind: K }>[] {
    return this.messages.filter((message): message is Extract<ClientMessage, { kind: K }> => message.kind === kind);
  }

  close(): void {
    this.#socket?.destroy();
    this.#server.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #accept(socket: Socket): void {
    this.#socket = socket;
    const decoder = new FrameDecoder(CLIENT_FRAME_MAX);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const frame of decoder.push(chunk)) {
        if (frame.type === FRAME_TYPE.packed) this.messages.push(decodeClientMessage(frame.body));
      }
    });
    socket.write(this.greeting);
  }
}
