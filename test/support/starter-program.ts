/** One of many starters: `node starter.mjs SOCKET TIME`. At that time it tries to become the one that listens, and says how it went. */
import { listenAt, SocketTaken } from '../../server/clients/listener.ts';

const [path = '', at = ''] = process.argv.slice(2);
// All begin in the same moment.
while (Date.now() < Number(at));
try {
  const listening = await listenAt(path, (socket) => socket.destroy());
  process.stdout.write('won\n');
  // Until all have had their try.
  process.stdin.resume();
  await new Promise((done) => process.stdin.once('end', done));
  process.stdout.write(listening.isIntact() ? 'kept\n' : 'lost it\n');
  listening.close();
} catch (error) {
  process.stdout.write(error instanceof SocketTaken ? 'taken\n' : `${String(error)}\n`);
}
