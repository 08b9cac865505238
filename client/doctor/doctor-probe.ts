/** The machine as `mplex doctor` looks at it. */
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { HealthCheck } from '../../protocol/control.ts';
import { MplexError } from '../../protocol/errors.ts';
import { connectControl } from '../ask/control-client.ts';
import type { Environment } from '../server-socket.ts';
import { CapabilityProbe } from '../terminal/capabilities.ts';
import { InputParser } from '../terminal/input-parser.ts';
import type { DoctorIo, DoctorProbe, ServerFacts, TerminalFacts } from './doctor.ts';
import { runDoctor } from './doctor.ts';

/** A terminal that has not answered by then will not, ms. */
const ANSWER_MS = 700;

/** The word itself, on this machine. */
export function runDoctorWord(argv: readonly string[], options: ProbeOptions, io: DoctorIo): Promise<number> {
  return runDoctor(argv, systemProbe(options), io);
}

export interface ProbeOptions {
  readonly env: Environment;
  readonly socketPath: () => string;
  readonly controlPath: () => string;
}

function systemProbe({ env, socketPath, controlPath }: ProbeOptions): DoctorProbe {
  return {
    env,
    nodeVersion: process.versions.node,
    platform: process.platform,
    terminal: () => askTerminal(env),
    server: () => askServer(controlPath),
    socketPath,
    read: (path) => {
      try {
        return readFileSync(path, 'latin1');
      } catch {
        return undefined;
      }
    },
    exists: existsSync,
    openPty: () => closeSync(openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY)),
    hasNodePty,
    crashReports: () => crashReports(env),
  };
}

function hasNodePty(): boolean {
  try {
    createRequire(import.meta.filename).resolve('node-pty');
    return true;
  } catch {
    return false;
  }
}

/** Those that server/crash-report.ts leaves. */
function crashReports(env: Environment): string[] {
  const state = env.XDG_STATE_HOME?.startsWith('/') ? env.XDG_STATE_HOME : `${env.HOME ?? ''}/.local/state`;
  const directory = join(state, 'mplex');
  try {
    return readdirSync(directory)
      .filter((name) => /^crash-.*\.txt$/.test(name))
      .sort()
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/** Asks the terminal on standard input and output; what is typed meanwhile is lost. */
async function askTerminal(env: Environment): Promise<TerminalFacts> {
  if (!isatty(0) || !isatty(1)) return { kind: 'none' };
  const probe = new CapabilityProbe({ env });
  if (probe.questions === '') return { kind: 'silent', capabilities: probe.capabilities };
  const { stdin, stdout } = process;
  const parser = new InputParser();
  stdin.setRawMode(true);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ANSWER_MS);
    stdin.on('data', (chunk: Buffer) => {
      for (const reply of parser.feed(chunk, performance.now()).replies) probe.accept(reply);
      if (!probe.isSettled) return;
      clearTimeout(timer);
      resolve();
    });
    stdout.write(probe.questions);
  });
  stdin.removeAllListeners('data');
  stdin.setRawMode(false);
  stdin.pause();
  stdin.unref();
  return { kind: probe.isSettled ? 'answered' : 'silent', capabilities: probe.capabilities };
}

async function askServer(controlPath: () => string): Promise<ServerFacts> {
  try {
    const control = await connectControl(controlPath());
    const hello = await control.request({ op: 'hello' });
    const answer = await control.request({ op: 'doctor' });
    control.close();
    if (answer.ok !== true)
      return { kind: 'refused', message: `the server does not say how it is: ${errorText(answer.error)}` };
    // Our own server's reply; a stranger's is told by its `ok`.
    const checks = Array.isArray(answer.checks) ? (answer.checks as HealthCheck[]) : [];
    return { kind: 'answered', version: String(hello.version), checks };
  } catch (error) {
    if (error instanceof MplexError && error.code === 'no_client') return { kind: 'absent', message: error.message };
    return { kind: 'refused', message: error instanceof Error ? error.message : String(error) };
  }
}

function errorText(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : 'no reason given';
}
