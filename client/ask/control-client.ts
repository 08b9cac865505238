/** A connection to the control socket as an asker uses it: one JSON object a line, replies in the order of requests. */
import { connect } from 'node:net';
import { MplexError } from '../../protocol/errors.ts';

/** A reply as it came: an object, its `ok` not yet looked at. */
export type ControlAnswer = Readonly<Record<string, unknown>>;

export interface ControlClient {
  readonly isOpen: boolean;
  /** Sends a request. Rejects with MplexError 'io' when the connection ends before its reply. */
  request(request: object): Promise<ControlAnswer>;
  close(): void;
}

/** Connects to a control socket. Rejects with MplexError 'no_client' when nobody listens there. */
export function connectControl(path: string): Promise<ControlClient> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.setEncoding('utf8');
    const waiting: { resolve: (answer: ControlAnswer) => void; reject: (error: Error) => void }[] = [];
    let rest = '';
    let isOpen = true;
    const end = () => {
      isOpen = false;
      for (const { reject: refuse } of waiting.splice(0)) refuse(connectionLost());
    };
    socket.once('error', (error) => {
      reject(new MplexError('no_client', `no server running on ${path} (${reasonOf(error)})`));
      end();
    });
    socket.once('close', end);
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const next = waiting.shift();
        const answer = parseAnswer(line);
        if (answer) next?.resolve(answer);
        else next?.reject(new MplexError('protocol', 'the server sent a reply that is no JSON object'));
      }
    });
    socket.once('connect', () =>
      resolve({
        get isOpen() {
          return isOpen;
        },
        request: (request) =>
          new Promise((resolveRequest, rejectRequest) => {
            if (!isOpen) {
              rejectRequest(connectionLost());
              return;
            }
            waiting.push({ resolve: resolveRequest, reject: rejectRequest });
            socket.write(`${JSON.stringify(request)}\n`);
          }),
        close: () => socket.end(),
      }),
    );
  });
}

function connectionLost(): MplexError {
  return new MplexError('io', 'the server closed the connection');
}

function reasonOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

function parseAnswer(line: string): ControlAnswer | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // What is known of an object at run time; its fields are looked at one by one.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ControlAnswer) : undefined;
  } catch {
    return undefined;
  }
}
