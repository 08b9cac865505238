/**
 * What the outer terminal can do: first guessed from the environment, then asked. Nobody waits for the answers: the client
 * attaches with the guess and tells what it learns when it learns it. The questions end with DA1, which every terminal
 * answers: an answer that is not there before DA1's will not come.
 */
import { cleanText } from '../../protocol/clean-text.ts';
import type { TerminalCapabilities } from '../../protocol/message.ts';
import type { Environment } from '../connect.ts';
import type { TerminalReply } from './input-recognizer.ts';

/** XTVERSION, DECRQM 2026, kitty keyboard flags, and DA1 as the fence. */
const QUESTIONS = '\x1b[>q\x1b[?2026$p\x1b[?u\x1b[c';
/** Terminals that print what they do not know, or answer nothing. */
const MUTE = /^(?:linux|dumb|vt\d+|ansi|unknown|)$/;
const NAME_MAX = 100;

type Features = Pick<
  TerminalCapabilities,
  'colors' | 'synchronizedOutput' | 'styledUnderlines' | 'hyperlinks' | 'clipboard' | 'extendedKeys'
>;

const MODERN: Features = {
  colors: 'rgb',
  synchronizedOutput: false,
  styledUnderlines: true,
  hyperlinks: true,
  clipboard: true,
  extendedKeys: true,
};

/**
 * Terminals by a word of their XTVERSION, TERM or TERM_PROGRAM, first match first. Synchronised output is not guessed, it
 * is asked for.
 */
const TERMINALS: readonly (readonly [pattern: RegExp, features: Partial<Features>])[] = [
  [/kitty|ghostty|wezterm|foot|contour|rio\b|iterm/i, MODERN],
  [/alacritty/i, { ...MODERN, extendedKeys: true }],
  [/mintty/i, MODERN],
  [/vscode|xterm\.js/i, { ...MODERN, extendedKeys: false }],
  [/konsole/i, { ...MODERN, styledUnderlines: false, extendedKeys: false }],
  [/vte|gnome/i, { ...MODERN, clipboard: false, extendedKeys: false }],
  [/apple_terminal/i, { colors: 256 }],
  [/windows.?terminal/i, { ...MODERN, extendedKeys: false }],
  [/mplex|tmux/i, { ...MODERN, extendedKeys: false }],
  [/^xterm\(/i, { colors: 'rgb', clipboard: true, extendedKeys: true }],
];

const PLAIN: Features = {
  colors: 16,
  synchronizedOutput: false,
  styledUnderlines: false,
  hyperlinks: false,
  clipboard: false,
  extendedKeys: false,
};

export interface CapabilityHints {
  readonly env: Environment;
  /** -2: the terminal has 256 colours, whatever TERM says. */
  readonly colors256?: boolean;
}

/** Asks one terminal once and keeps what is known of it. */
export class CapabilityProbe {
  readonly #term: string;
  readonly #isMute: boolean;
  #capabilities: TerminalCapabilities;
  #isSettled = false;

  constructor({ env, colors256 = false }: CapabilityHints) {
    this.#term = cleanText(env.TERM ?? '', { max: NAME_MAX });
    this.#isMute = MUTE.test(this.#term);
    this.#isSettled = this.#isMute;
    this.#capabilities = guess(this.#term, env, colors256);
  }

  /** What to send to the terminal; '' for one that had better not be asked. */
  get questions(): string {
    return this.#isMute ? '' : QUESTIONS;
  }

  /** What is known now. */
  get capabilities(): TerminalCapabilities {
    return this.#capabilities;
  }

  /** Whether the last answer has come. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Takes an answer into account; whether that changed what is known. Answers to nobody's question change nothing. */
  accept(reply: TerminalReply): boolean {
    const before = this.#capabilities;
    if (reply.kind === 'dcs') {
      if (reply.text.startsWith('>|')) this.#named(cleanText(reply.text.slice(2), { max: NAME_MAX }));
    } else if (reply.kind === 'csi' && reply.prefix === '?') {
      const [first = 0, second = 0] = reply.params;
      if (reply.final === 'c') this.#finish(reply.params);
      else if (reply.final === 'u') this.#learn({ extendedKeys: true });
      else if (reply.final === 'y' && reply.intermediates === '$' && first === 2026) {
        // DECRPM: 1 set, 2 reset, 3 and 4 permanently so; 0 is unknown.
        this.#learn({ synchronizedOutput: second === 1 || second === 2 || second === 3 });
      }
    }
    return this.#capabilities !== before;
  }

  /** DA1. Its attribute 52 says that OSC 52 is taken; an mplex that does not say so refuses it (option set-clipboard). */
  #finish(attributes: readonly number[]): void {
    this.#isSettled = true;
    if (attributes.includes(52)) this.#learn({ clipboard: true });
    else if (/^mplex\b/.test(this.#capabilities.name)) this.#learn({ clipboard: false });
  }

  #named(name: string): void {
    if (name === this.#capabilities.name) return;
    const features = featuresOf(name);
    this.#capabilities = { ...this.#capabilities, name };
    // A terminal that says its name is a recent one: links are safe to send.
    this.#learn({
      hyperlinks: true,
      ...features,
      colors: moreColors(this.#capabilities.colors, features.colors ?? 16),
    });
  }

  #learn(features: Partial<Features>): void {
    const next: TerminalCapabilities = { ...this.#capabilities, ...withoutGuess(features) };
    const isSame = JSON.stringify(next) === JSON.stringify(this.#capabilities);
    if (!isSame) this.#capabilities = next;
  }
}

/** Synchronised output comes from DECRPM alone; a table's `false` must not undo its answer. */
function withoutGuess(features: Partial<Features>): Partial<Features> {
  if (features.synchronizedOutput !== false || Object.keys(features).length === 1) return features;
  const { synchronizedOutput: _, ...rest } = features;
  return rest;
}

function featuresOf(name: string): Partial<Features> {
  return TERMINALS.find(([pattern]) => pattern.test(name))?.[1] ?? {};
}

function guess(term: string, env: Environment, colors256: boolean): TerminalCapabilities {
  const named = MUTE.test(term) ? {} : featuresOf(`${env.TERM_PROGRAM ?? ''} ${term}`);
  // VTE has had styled underlines since 0.52; its version number is 5200.
  const vte = Number(env.VTE_VERSION ?? 0) >= 5200 ? featuresOf('vte') : {};
  const isXtermLike = /^(?:xterm|screen|tmux|rxvt|st\b)/.test(term);
  const features = { ...PLAIN, clipboard: isXtermLike, ...named, ...vte };
  let colors = moreColors(features.colors, termColors(term));
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? '')) colors = 'rgb';
  if (colors256) colors = moreColors(colors, 256);
  return { term, name: '', ...features, colors: MUTE.test(term) && !colors256 ? 16 : colors };
}

function termColors(term: string): TerminalCapabilities['colors'] {
  if (/-direct$|truecolor/.test(term)) return 'rgb';
  return /256colou?r/.test(term) ? 256 : 16;
}

function moreColors(
  a: TerminalCapabilities['colors'],
  b: TerminalCapabilities['colors'],
): TerminalCapabilities['colors'] {
  if (a === 'rgb' || b === 'rgb') return 'rgb';
  return a === 256 || b === 256 ? 256 : 16;
}
