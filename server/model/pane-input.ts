/** In what form a pane's program gets keys and the mouse: what it asked for, within the server's options. */
import type { FrameModes } from '../../protocol/frame.ts';
import { KEY_FLAGS } from '../../protocol/key.ts';
import type { OptionSet } from '../options/option-set.ts';
import type { KeyModes, MouseModes } from '../terminal/input-encoder.ts';
import { speaksKitty } from '../terminal/kitty-encoder.ts';
import type { Pane } from './pane.ts';

/** Options kitty-keys, extended-keys and extended-keys-format. */
export function keyModesOf({ emulator: { modes } }: Pane, serverOptions: OptionSet): KeyModes {
  return {
    appCursor: modes.appCursor,
    appKeypad: modes.appKeypad,
    focusEvents: modes.focusEvents,
    extendedFormat: serverOptions.choice('extended-keys-format') === 'xterm' ? 'xterm' : 'csi-u',
    keyFlags: serverOptions.flag('kitty-keys') ? modes.keyFlags : 0,
    modifyOtherKeys: modes.modifyOtherKeys || (serverOptions.choice('extended-keys') === 'always' ? 1 : 0),
  };
}

/** What a client's terminal is to tell of keys while they go to `pane`; undefined: they go to nobody who asks for more. */
export function wantedKeys(
  pane: Pane | undefined,
  serverOptions: OptionSet,
): Pick<FrameModes, 'keyFlags' | 'otherKeys'> {
  const isAsked = serverOptions.choice('extended-keys') !== 'off';
  if (!isAsked && !serverOptions.flag('kitty-keys')) return { keyFlags: 0, otherKeys: false };
  const modes = pane && keyModesOf(pane, serverOptions);
  const keyFlags = modes && speaksKitty(modes.keyFlags) ? modes.keyFlags : 0;
  // Told as escape codes alone, keys would have lost their text.
  const text = keyFlags & KEY_FLAGS.all ? KEY_FLAGS.text : 0;
  return {
    keyFlags: KEY_FLAGS.disambiguate | KEY_FLAGS.alternates | keyFlags | text,
    otherKeys: isAsked || keyFlags !== 0 || (modes?.modifyOtherKeys ?? 0) > 0,
  };
}

/** The form in which the program gets the mouse. */
export function mouseModesOf({ emulator }: Pane): MouseModes {
  const { mouseTracking, mouseEncoding } = emulator.modes;
  return { mouseTracking, mouseEncoding, cellPixels: emulator.cellPixels };
}
