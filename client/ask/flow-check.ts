/** `mplex flow check` and `mplex flow schema`: a spec looked at before anybody is asked. */
import { readFile } from 'node:fs/promises';
import { systemReason } from '../../protocol/system-reason.ts';
import { checkSpecText, specJsonSchema } from '../../src/flow/spec.ts';
import { faultText } from '../../src/flow/spec-fault.ts';

const FLOW_USAGE = `usage: mplex flow check [--json] file|-
       mplex flow schema
check tells every fault of a flow's spec, one a line with its place; schema prints its JSON Schema
exit status: 0 the spec is good, 2 it is not, or usage`;

export interface FlowIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** All of standard input, for `-`. */
  readonly readStdin: () => Promise<string>;
}

const OK = 0;
const BAD = 2;

/** Runs the words after `flow` and gives the exit code. */
export async function runFlowWord(argv: readonly string[], io: FlowIo): Promise<number> {
  const [word, ...rest] = argv;
  if (word === 'schema' && rest.length === 0) {
    io.stdout.write(`${JSON.stringify(specJsonSchema(), null, 2)}\n`);
    return OK;
  }
  const isJson = rest.includes('--json');
  const [path, ...more] = rest.filter((one) => one !== '--json');
  if (word === 'check' && path !== undefined && more.length === 0) return check(path, isJson, io);
  const isHelp = word === '--help' || word === '-h';
  (isHelp ? io.stdout : io.stderr).write(`${FLOW_USAGE}\n`);
  return isHelp ? OK : BAD;
}

async function check(path: string, isJson: boolean, io: FlowIo): Promise<number> {
  const name = path === '-' ? 'standard input' : path;
  let text: string;
  try {
    text = path === '-' ? await io.readStdin() : await readFile(path, 'utf8');
  } catch (error) {
    io.stderr.write(`mplex flow: can't read ${path}: ${systemReason(error)}\n`);
    return BAD;
  }
  const checked = checkSpecText(text);
  if (isJson) {
    const faults = checked.ok ? [] : checked.faults.map((fault) => ({ ...fault, message: faultText(fault) }));
    io.stdout.write(`${JSON.stringify({ ok: checked.ok, faults })}\n`);
  } else if (checked.ok) io.stdout.write(`${name}: ok, ${screensText(checked.spec.screens.length)}\n`);
  else for (const fault of checked.faults) io.stdout.write(`${name}: ${faultText(fault)}\n`);
  return checked.ok ? OK : BAD;
}

function screensText(count: number): string {
  return count === 1 ? '1 screen' : `${count} screens`;
}
