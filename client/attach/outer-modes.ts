/**
 * What the outer terminal is told to tell beyond the plain: keys in full, and its theme. And how that is undone.
 *
 * A terminal with the kitty keyboard protocol gets a level of its own on its stack; one without is asked by XTMODKEYS
 * (modifyOtherKeys), if it knows that. The level is the alternate screen's: it is to be left before that.
 */
import type { FrameModes } from '../../protocol/frame.ts';
import type { TerminalCapabilities } from '../../protocol/message.ts';

/** XTMODKEYS without a value: as the terminal was configured. */
const RESET_OTHER_KEYS = '\x1b[>4m';
const OTHER_KEYS = '\x1b[>4;2m';

type KeyboardState =
  | { readonly kind: 'plain' }
  | { readonly kind: 'kitty'; readonly flags: number }
  | { readonly kind: 'other' };

const PLAIN: KeyboardState = { kind: 'plain' };

const THEME_REPORTS_ON = '\x1b[?2031h';
const THEME_REPORTS_OFF = '\x1b[?2031l';

/** Gives what is to be written; whoever has the terminal writes it. */
export class OuterModes {
  #state: KeyboardState = PLAIN;
  #hasThemeReports = false;

  /** What makes the terminal tell as much as is wanted; '' if it does. */
  update(wanted: Pick<FrameModes, 'keyFlags' | 'otherKeys'>, capabilities: TerminalCapabilities): string {
    const theme = capabilities.themeReports && !this.#hasThemeReports ? THEME_REPORTS_ON : '';
    this.#hasThemeReports ||= capabilities.themeReports;
    return theme + this.#keyboard(stateFor(wanted, capabilities));
  }

  #keyboard(after: KeyboardState): string {
    const before = this.#state;
    this.#state = after;
    if (before.kind === 'kitty' && after.kind === 'kitty') {
      return before.flags === after.flags ? '' : `\x1b[=${after.flags};1u`;
    }
    return before.kind === after.kind ? '' : leave(before) + enter(after);
  }

  /** What makes the terminal tell as little as before. */
  leave(): string {
    const theme = this.#hasThemeReports ? THEME_REPORTS_OFF : '';
    this.#hasThemeReports = false;
    return theme + this.#keyboard(PLAIN);
  }
}

function stateFor(
  { keyFlags, otherKeys }: Pick<FrameModes, 'keyFlags' | 'otherKeys'>,
  { kittyKeys, extendedKeys }: TerminalCapabilities,
): KeyboardState {
  if (kittyKeys) return keyFlags === 0 ? PLAIN : { kind: 'kitty', flags: keyFlags };
  return extendedKeys && otherKeys ? { kind: 'other' } : PLAIN;
}

function enter(state: KeyboardState): string {
  if (state.kind === 'kitty') return `\x1b[>${state.flags}u`;
  return state.kind === 'other' ? OTHER_KEYS : '';
}

function leave(state: KeyboardState): string {
  if (state.kind === 'kitty') return '\x1b[<u';
  return state.kind === 'other' ? RESET_OTHER_KEYS : '';
}
