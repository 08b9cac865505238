/**
 * What the terminal answers to a program's questions. Every answer is a constant or numbers and words of our own; nothing
 * a program sent is ever sent back. Whatever is not in this table is not answered: titles (CSI 20/21 t), DECRQCRA,
 * DECREQTPARM, ENQ.
 *
 *   CSI c, CSI 0 c       CSI ? 1;2 c             primary attributes, as tmux 3.3a; also 52 where programs may set the clipboard
 *   CSI > c              CSI > 84;0;0 c          secondary attributes, as tmux 3.3a
 *   CSI > q              DCS > | mplex VERSION ST   XTVERSION
 *   CSI 5 n              CSI 0 n
 *   CSI 6 n, CSI ? 6 n   CSI y;x R, CSI ? y;x R
 *   CSI 14 t             CSI 4;height;width t    the pane in pixels, as many as its cells have
 *   CSI 16 t             CSI 6;height;width t    a cell in pixels
 *   CSI 18 t             CSI 8;rows;cols t
 *   CSI ? u              CSI ? flags u           kitty keyboard protocol; silent with kitty-keys off
 *   CSI ? 4 m            CSI > 4;n m             XTQMODKEYS
 *   CSI ? 996 n          CSI ? 997;n n           1 dark, 2 light, if the person's terminal told
 *   CSI n $ p            CSI n;v $ y             DECRQM; v is 0 unknown, 1 set, 2 reset, 4 permanently reset
 *   CSI ? n $ p          CSI ? n;v $ y
 *   DCS $ q m ST         DCS 1 $ r … m ST        the pen; also `r` (margins) and ` q` (cursor shape)
 *   DCS $ q … ST         DCS 0 $ r ST
 *   DCS + q … ST         DCS 0 + r ST            XTGETTCAP is refused
 *   OSC 52;c;?           the clipboard in base64, where option get-clipboard allows it (panes/pane-clipboard.ts)
 *   OSC 4;n;? 10;? 11;? 12;?   the colour, if it is known (program-strings.ts); what is asked by OSC is answered with the end that the question had
 */
import { sgrFor } from '../../protocol/sgr.ts';
import { VERSION } from '../../protocol/version.ts';
import type { XtermCore } from './emulator-internals.ts';
import type { ProgramHandlers } from './program-strings.ts';
import { extensionOf } from './screen-row.ts';
import { StringCollector } from './sequence-guard.ts';
import type { TerminalModes } from './terminal-modes.ts';

/** A request that is longer cannot be one that we know. */
const REQUEST_MAX = 16;

/** What is known of the person's terminal; what is not is not answered. */
export interface HostTerminal {
  /** 0xRRGGBB. */
  readonly foreground?: number | undefined;
  readonly background?: number | undefined;
  readonly theme?: 'dark' | 'light' | undefined;
  /** A cell in pixels. */
  readonly cellPixels?: CellPixels | undefined;
}

export interface CellPixels {
  readonly width: number;
  readonly height: number;
}

/** Size of a cell in pixels where the terminal did not say: tmux's. */
export const DEFAULT_CELL_PIXELS: CellPixels = { width: 16, height: 32 };

export interface RepliesContext {
  readonly core: XtermCore;
  readonly modes: TerminalModes;
  readonly handlers: Pick<ProgramHandlers, 'takesClipboard'>;
  readonly host: () => HostTerminal;
  /** Whether programs may speak the kitty keyboard protocol (option kitty-keys). */
  readonly hasKittyKeys: () => boolean;
  readonly reply: (bytes: string) => void;
  readonly protect: (run: () => void) => void;
}

/** Installs the answers; xterm's own are shadowed or removed. */
export function installReplies(context: RepliesContext): void {
  const parser = context.core._inputHandler._parser;
  const answer = (bytes: string | undefined): true => {
    if (bytes !== undefined) context.protect(() => context.reply(bytes));
    return true;
  };
  parser.registerCsiHandler({ final: 'c' }, ({ params }) =>
    answer(params[0] === 0 ? (context.handlers.takesClipboard?.() ? '\x1b[?1;2;52c' : '\x1b[?1;2c') : undefined),
  );
  parser.registerCsiHandler({ prefix: '>', final: 'c' }, ({ params }) =>
    answer(params[0] === 0 ? '\x1b[>84;0;0c' : undefined),
  );
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, ({ params }) =>
    answer(params[0] === 0 ? `\x1bP>|mplex ${VERSION}\x1b\\` : undefined),
  );
  parser.registerCsiHandler({ final: 'n' }, ({ params }) => answer(statusReport(context, params[0], '')));
  parser.registerCsiHandler({ prefix: '?', final: 'n' }, ({ params }) =>
    answer(
      params[0] === 996
        ? themeReport(context.host().theme)
        : params[0] === 6
          ? statusReport(context, 6, '?')
          : undefined,
    ),
  );
  parser.registerCsiHandler({ prefix: '?', final: 'u' }, () =>
    answer(context.hasKittyKeys() ? `\x1b[?${context.modes.keyFlags}u` : undefined),
  );
  parser.registerCsiHandler({ prefix: '?', final: 'm' }, ({ params }) =>
    answer(params[0] === 4 ? `\x1b[>4;${context.modes.modifyOtherKeys}m` : undefined),
  );
  parser.registerCsiHandler({ intermediates: '$', final: 'p' }, ({ params }) =>
    answer(modeReport('', params[0], context.modes.ansiState(params[0] ?? 0))),
  );
  parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, ({ params }) =>
    answer(modeReport('?', params[0], context.modes.privateState(params[0] ?? 0))),
  );
  const setting: { intermediates: string; final: string } = { intermediates: '$', final: 'q' };
  parser.clearDcsHandler(setting);
  parser.registerDcsHandler(
    setting,
    new StringCollector(REQUEST_MAX, (request) => answer(settingReport(context, request))),
  );
  parser.registerDcsHandler(
    { intermediates: '+', final: 'q' },
    new StringCollector(REQUEST_MAX * 256, () => answer('\x1bP0+r\x1b\\')),
  );
}

/** `CSI ? 997 ; n n` (DECSET 2031). */
export function themeReport(theme: HostTerminal['theme']): string | undefined {
  return theme && `\x1b[?997;${theme === 'dark' ? 1 : 2}n`;
}

function statusReport({ core }: RepliesContext, what: number | undefined, prefix: '' | '?'): string | undefined {
  if (what === 5) return '\x1b[0n';
  if (what !== 6) return undefined;
  const { x, y } = core._inputHandler._activeBuffer;
  return `\x1b[${prefix}${y + 1};${Math.min(x, core._bufferService.cols - 1) + 1}R`;
}

function modeReport(prefix: '' | '?', mode: number | undefined, state: number): string | undefined {
  // The number is the one thing that comes back; xterm's parser made it a 31-bit integer.
  if (mode === undefined || mode > 0xffff) return undefined;
  return `\x1b[${prefix}${mode};${state}$y`;
}

function settingReport(context: RepliesContext, request: string): string {
  const { core, modes } = context;
  if (request === 'm') {
    const { fg, bg, extended } = core._inputHandler._curAttrData;
    const sgr = sgrFor({ fg, bg, extension: extensionOf(extended) });
    return `\x1bP1$r${sgr.slice(2)}\x1b\\`;
  }
  if (request === 'r') {
    const { scrollTop, scrollBottom } = core._inputHandler._activeBuffer;
    return `\x1bP1$r${scrollTop + 1};${scrollBottom + 1}r\x1b\\`;
  }
  if (request === ' q') {
    const { shape, blink } = modes.cursorStyle;
    const number = { default: 0, block: 2, underline: 4, bar: 6 }[shape];
    return `\x1bP1$r${number === 0 ? 0 : number - (blink ? 1 : 0)} q\x1b\\`;
  }
  return '\x1bP0$r\x1b\\';
}
