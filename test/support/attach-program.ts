/** A client as a program of its own, for tests in a real terminal: `node attach-program.mjs SOCKET [bug]`. */
import { runAttachedClient } from '../../client/attach/attach.ts';
import { connectServer } from '../../client/connect.ts';

const [path = '', wish = ''] = process.argv.slice(2);
const result = await connectServer(path, { version: 'test', pid: process.pid });
if (result.kind !== 'connected') throw new Error(result.message);
process.on('SIGUSR1', () => {
  if (wish === 'bug') throw new Error('a bug');
});
process.on('SIGUSR2', () => process.stderr.write(`rss ${Math.round(process.memoryUsage().rss / 1024 / 1024)}\n`));
const { line, code } = await runAttachedClient({
  connection: result.connection,
  token: `pid ${process.pid}`,
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
});
if (line !== '') process.stdout.write(`${line}\n`);
process.exitCode = code;
