/** A plain program on the control socket: one JSON object a line each way, replies in order. */
import { connect, type Socket } from 'node:net';
import { waitFor } from './program.ts';

export type Reply = Readonly<Record<string, unknown>>;

export class Control {
  readonly #socket: Socket;
  readonly #waiting: ((line: string) => void)[] = [];
  #text = '';
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => this.#take(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      for (const done of this.#waiting.splice(0)) done('{"closed":true}');
    });
  }

  static async open(path: string): Promise<Control> {
    const socket = connect(path);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new Control(socket);
  }

  /** Sends bytes as they are and waits for one line; `{closed: true}` when the server hangs up instead. */
  async raw(text: string | Uint8Array): Promise<Reply> {
    if (this.#isClosed) return { closed: true };
    const line = new Promise<string>((resolve) => this.#waiting.push(resolve));
    this.#socket.write(text);
    const reply: unknown = JSON.parse(await line);
    // A reply is an object by contract; anything else would fail the test that reads it.
    return reply as Reply;
  }

  request(value: object): Promise<Reply> {
    return this.raw(`${JSON.stringify(value)}\n`);
  }

  /** Asks, and gives the flow's id; throws what the server said instead. */
  async show(ask: object): Promise<string> {
    const reply = await this.request({ op: 'show', ...ask });
    if (typeof reply.flow !== 'string') throw new Error(`show was refused: ${JSON.stringify(reply)}`);
    return reply.flow;
  }

  /** Runs a command and gives its output without the last newline; throws when it fails. */
  async run(...argv: string[]): Promise<string> {
    const { code, stdout, stderr, error } = await this.request({ op: 'command', argv });
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${String(stderr ?? JSON.stringify(error))}`);
    return String(stdout).replace(/\n$/, '');
  }

  /** How the flow stands; waits up to `wait` seconds for its end. */
  result(flow: string, wait = 0): Promise<Reply> {
    return this.request({ op: 'result', flow, wait });
  }

  cancel(flow: string): Promise<Reply> {
    return this.request({ op: 'cancel', flow });
  }

  /** Waits until a flow's result has these fields. */
  async until(flow: string, fields: Reply): Promise<void> {
    let last: Reply = {};
    await waitFor(
      async () => {
        last = await this.result(flow);
        return Object.entries(fields).every(([name, value]) => last[name] === value);
      },
      { name: `result ${JSON.stringify(fields)}`, onTimeout: () => JSON.stringify(last) },
    );
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: string): void {
    this.#text += chunk;
    for (;;) {
      const end = this.#text.indexOf('\n');
      if (end < 0) return;
      const line = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 1);
      this.#waiting.shift()?.(line);
    }
  }
}
