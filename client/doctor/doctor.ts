/**
 * `mplex doctor`: what mplex finds on this machine, this terminal and this server, one check a line: pass, warn or fail, with
 * advice. No server is started and nothing of one is changed. The machine is looked at through `DoctorProbe`, so that a test can be
 * any machine.
 */

import type { HealthCheck } from '../../protocol/control.ts';
import type { TerminalCapabilities } from '../../protocol/message.ts';
import { VERSION } from '../../protocol/version.ts';
import type { Environment } from '../server-socket.ts';

const DOCTOR_USAGE = `usage: mplex doctor [--json]
looks at the terminal, the machine and the server, one check a line: pass, warn or fail, with advice
exit status: 0 no check failed, 1 one did, 2 usage`;

/** What is known of the outer terminal: asked for, guessed where it did not answer, or absent. */
export type TerminalFacts =
  | { readonly kind: 'none' }
  | { readonly kind: 'silent' | 'answered'; readonly capabilities: TerminalCapabilities };

/** What the server says of itself. */
export type ServerFacts =
  | { readonly kind: 'absent'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'answered'; readonly version: string; readonly checks: readonly HealthCheck[] };

export interface DoctorProbe {
  readonly env: Environment;
  /** `process.versions.node`. */
  readonly nodeVersion: string;
  readonly platform: string;
  readonly terminal: () => Promise<TerminalFacts>;
  readonly server: () => Promise<ServerFacts>;
  /** Path of the socket; throws with the reason why there can be none. */
  readonly socketPath: () => string;
  /** A file's text, undefined if it cannot be read. */
  readonly read: (path: string) => string | undefined;
  readonly exists: (path: string) => boolean;
  /** Opens the pty multiplexer and closes it; throws the system's reason. */
  readonly openPty: () => void;
  /** Whether the native part of node-pty is there. */
  readonly hasNodePty: () => boolean;
  /** Crash reports that were left, oldest first. */
  readonly crashReports: () => readonly string[];
}

export interface DoctorIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

const OK = 0;
const FAILED = 1;
const USAGE = 2;
/** package.json's `engines`. */
const NODE_MIN = [20, 19] as const;
/** A pane takes a descriptor here and there; below this many one soon runs into the limit. */
const DESCRIPTORS_MIN = 1024;
const PROCESSES_MIN = 256;
const NAME_WIDTH = 11;
const TERMINFO_DIRECTORIES = ['/etc/terminfo', '/lib/terminfo', '/usr/share/terminfo', '/usr/lib/terminfo'];

/** Runs the word with the arguments after it and gives the exit code. */
export async function runDoctor(argv: readonly string[], probe: DoctorProbe, io: DoctorIo): Promise<number> {
  const isHelp = argv.includes('--help') || argv.includes('-h');
  if (isHelp || argv.some((word) => word !== '--json')) {
    (isHelp ? io.stdout : io.stderr).write(`${DOCTOR_USAGE}\n`);
    return isHelp ? OK : USAGE;
  }
  const checks = await examine(probe);
  if (argv.includes('--json')) io.stdout.write(`${JSON.stringify({ version: VERSION, checks }, null, 2)}\n`);
  else for (const check of checks) io.stdout.write(`${checkLine(check)}\n`);
  return checks.some(({ status }) => status === 'fail') ? FAILED : OK;
}

/** `warn  locale      text` and the advice below it. */
function checkLine({ status, name, text, advice }: HealthCheck): string {
  const line = `${status}  ${name.padEnd(NAME_WIDTH)} ${text}`;
  return advice === undefined ? line : `${line}\n      ${' '.repeat(NAME_WIDTH)} → ${advice}`;
}

/** All checks, the terminal's first, the server's last. */
export async function examine(probe: DoctorProbe): Promise<HealthCheck[]> {
  const terminal = await probe.terminal();
  return [
    checkTerminal(terminal, probe.env),
    ...checkAbilities(terminal),
    checkTerminfo(probe),
    checkLocale(probe.env),
    checkNode(probe),
    checkLibc(probe),
    checkPty(probe),
    ...checkLimits(probe),
    checkSocket(probe),
    checkCrashes(probe),
    ...(await checkServer(probe)),
  ];
}

function pass(name: string, text: string): HealthCheck {
  return { name, status: 'pass', text };
}

function warn(name: string, text: string, advice: string): HealthCheck {
  return { name, status: 'warn', text, advice };
}

function fail(name: string, text: string, advice: string): HealthCheck {
  return { name, status: 'fail', text, advice };
}

function checkTerminal(terminal: TerminalFacts, env: Environment): HealthCheck {
  const term = env.TERM ?? '';
  if (terminal.kind === 'none')
    return warn('terminal', 'not a terminal', 'run mplex doctor in the terminal in question');
  if (term === '' || term === 'dumb') {
    return fail(
      'terminal',
      `TERM is ${term === '' ? 'not set' : term}`,
      'set TERM to what the terminal is, for example xterm-256color',
    );
  }
  const { name, colors, synchronizedOutput } = terminal.capabilities;
  const depth = colors === 'rgb' ? 'true colour' : `${colors} colours`;
  const text = `${name === '' ? term : `${name} (${term})`}, ${depth}, ${synchronizedOutput ? 'with' : 'without'} synchronised output`;
  if (terminal.kind === 'silent') {
    return warn(
      'terminal',
      `${text}; it answers no questions`,
      'colours and keys are guessed from TERM; a newer terminal answers',
    );
  }
  if (colors === 16)
    return warn(
      'terminal',
      text,
      'set COLORTERM=truecolor or TERM=xterm-256color if it has more colours, or use mplex -2',
    );
  return pass('terminal', text);
}

function checkAbilities(terminal: TerminalFacts): HealthCheck[] {
  if (terminal.kind === 'none') return [];
  const { clipboard, extendedKeys, kittyKeys } = terminal.capabilities;
  return [
    clipboard
      ? pass('clipboard', 'OSC 52 is sent; the terminal may still have to allow it')
      : warn('clipboard', 'not known to take OSC 52', 'copying reaches paste buffers only; see option copy-command'),
    extendedKeys
      ? pass(
          'keys',
          `C-Enter, C-i and the like can be told apart, by ${kittyKeys ? 'the kitty keyboard protocol' : 'modifyOtherKeys'}`,
        )
      : warn(
          'keys',
          'C-i is Tab, C-m is Enter, S-Enter is Enter',
          'a terminal with the kitty keyboard protocol tells them apart; or bind another key, as bind -n M-Enter send-keys S-Enter',
        ),
  ];
}

function checkTerminfo({ env, exists }: DoctorProbe): HealthCheck {
  const directories = [
    ...(env.TERMINFO ? [env.TERMINFO] : []),
    ...(env.HOME ? [`${env.HOME}/.terminfo`] : []),
    ...TERMINFO_DIRECTORIES,
  ];
  const has = (name: string) =>
    directories.some(
      (directory) =>
        exists(`${directory}/${name.charAt(0)}/${name}`) ||
        exists(`${directory}/${name.charCodeAt(0).toString(16)}/${name}`),
    );
  const [best, ...others] = ['tmux-256color', 'screen-256color', 'xterm-256color'];
  if (best !== undefined && has(best)) return pass('terminfo', `programs in panes get ${best}`);
  const other = others.find(has);
  if (other === undefined) {
    return fail('terminfo', 'no entry for programs in panes', 'install ncurses-term (or ncurses-base)');
  }
  return warn(
    'terminfo',
    `tmux-256color is missing, programs get ${other}`,
    'install ncurses-term for italics and more',
  );
}

/** setlocale(3): the first that is set counts. */
function checkLocale(env: Environment): HealthCheck {
  const name = ['LC_ALL', 'LC_CTYPE', 'LANG'].find((variable) => (env[variable] ?? '') !== '');
  const value = name === undefined ? undefined : env[name];
  if (value !== undefined && /utf-?8/i.test(value)) return pass('locale', `${name}=${value}`);
  const found = value === undefined ? 'none set' : `${name}=${value}`;
  return warn('locale', `${found}, not UTF-8`, 'mplex draws UTF-8 always; programs may not: export LANG=C.UTF-8');
}

function checkNode({ nodeVersion }: DoctorProbe): HealthCheck {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isEnough) return pass('node', nodeVersion);
  return fail('node', nodeVersion, `mplex needs Node ${NODE_MIN.join('.')} or newer`);
}

/** node-pty is prebuilt for glibc; the C library that runs this process is mapped into it. */
function checkLibc({ platform, read }: DoctorProbe): HealthCheck {
  if (platform !== 'linux') return pass('libc', platform);
  const maps = read('/proc/self/maps') ?? '';
  if (/\/(?:ld-musl|libc\.musl)-/.test(maps)) {
    return fail('libc', 'musl', 'there is no prebuilt pty for musl; run mplex on a system with glibc');
  }
  return pass('libc', 'glibc');
}

function checkPty({ openPty, hasNodePty }: DoctorProbe): HealthCheck {
  if (!hasNodePty()) return fail('pty', 'node-pty is not installed', 'run npm ci in the folder of mplex');
  try {
    openPty();
    return pass('pty', 'a pty can be opened');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return fail('pty', `no pty to be had: ${reason}`, 'mount devpts, or raise kernel.pty.max');
  }
}

/** setrlimit(2), of this process; a server that is started from here inherits them. */
function checkLimits({ read }: DoctorProbe): HealthCheck[] {
  const limits = read('/proc/self/limits');
  if (limits === undefined) return [pass('limits', 'not known on this system')];
  const limit = (name: string) => /\S+/.exec(new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(limits)?.[1] ?? '')?.[0];
  return [
    limitCheck({ value: limit('Max open files'), least: DESCRIPTORS_MIN, what: 'descriptors', flag: 'n' }),
    limitCheck({ value: limit('Max processes'), least: PROCESSES_MIN, what: 'processes', flag: 'u' }),
  ];
}

function limitCheck(about: {
  readonly value: string | undefined;
  readonly least: number;
  readonly what: string;
  readonly flag: string;
}): HealthCheck {
  const { value = 'unlimited', least, what, flag } = about;
  if (value === 'unlimited' || Number(value) >= least) return pass('limits', `${what}: ${value}`);
  return warn(
    'limits',
    `${what}: ${value}`,
    `ulimit -${flag} ${least} before the server starts, or panes are refused early`,
  );
}

function checkSocket({ socketPath }: DoctorProbe): HealthCheck {
  try {
    return pass('socket', socketPath());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return fail('socket', reason, 'remove what is in the way, or name another place with MPLEX_TMPDIR or -S');
  }
}

function checkCrashes({ crashReports }: DoctorProbe): HealthCheck {
  const reports = crashReports();
  const last = reports.at(-1);
  if (last === undefined) return pass('crashes', 'none');
  return warn(
    'crashes',
    `${reports.length} reports, the last: ${last}`,
    'read it, attach it to a bug report, remove it',
  );
}

async function checkServer({ server }: DoctorProbe): Promise<HealthCheck[]> {
  const facts = await server();
  if (facts.kind === 'absent') return [pass('server', `none runs (${facts.message})`)];
  if (facts.kind === 'refused')
    return [warn('server', facts.message, 'option control-access decides what may be asked')];
  const skew =
    facts.version === VERSION
      ? []
      : [warn('version', `this is mplex ${VERSION}, the server is ${facts.version}`, 'mplex upgrade-server')];
  return [...skew, ...facts.checks];
}
