/**
 * What runs in a popup of tmux: one ask on the popup's terminal, drawn and edited as everywhere else. Its arguments are two
 * files of the asker's private directory: the ask, and where the reply goes. Without a reply the ask was dismissed.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { CLOCK } from '../clock.ts';
import type { PopupAsk } from './tmux-dialog.ts';
import { TtyBackend } from './tty-backend.ts';

/** Exit code of a popup that could not ask, told apart from one that was closed. */
const FAILED = 1;

async function runPopup([askPath = '', replyPath = '']: readonly string[]): Promise<void> {
  // Written by TmuxBackend, of this same build.
  const { ask, asker } = JSON.parse(await readFile(askPath, 'utf8')) as PopupAsk;
  const backend = TtyBackend.open({ env: process.env, asker, ...CLOCK });
  try {
    const reply = await backend.ask(ask, { signal: new AbortController().signal, state: () => {} });
    // Nobody here takes the ask back: the popup was closed from outside, which is a dismissal.
    if (reply.kind === 'cancelled' && reply.by === 'asker') return;
    // Written whole and then put in place, so that no half of it is read.
    await writeFile(`${replyPath}.part`, JSON.stringify(reply), { mode: 0o600 });
    await rename(`${replyPath}.part`, replyPath);
  } finally {
    await backend.close();
  }
}

runPopup(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = FAILED;
});
