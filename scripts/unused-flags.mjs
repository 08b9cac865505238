// Prints the flags of `tmux list-commands` that no script under test/differential/scripts uses, one a line: none, when all is well.
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: ['test/differential/flag-use.ts'],
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
});
const [{ text }] = outputFiles;
const { unusedFlags } = await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
const unused = unusedFlags('test/differential/scripts');
for (const flag of unused) console.log(flag);
process.exitCode = unused.length === 0 ? 0 : 1;
