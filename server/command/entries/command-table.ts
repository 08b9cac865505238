/** All commands, by name. */
import { BUFFER_ENTRIES } from './buffers.ts';
import { CLIENT_ENTRIES } from './client-commands.ts';
import { CONFIG_ENTRIES } from './config.ts';
import type { Entry } from './context.ts';
import { CONTROL_TOKEN_ENTRIES } from './control-tokens.ts';
import { CUSTOMIZE_ENTRIES } from './customize.ts';
import { DISPLAY_ENTRIES } from './display.ts';
import { EDITOR_ENTRIES } from './editor-popup.ts';
import { ENVIRONMENT_ENTRIES } from './environment.ts';
import { FLOW_ENTRIES } from './flows.ts';
import { KEY_ENTRIES } from './keys.ts';
import { MENU_ENTRIES } from './menus.ts';
import { PALETTE_ENTRIES } from './palette.ts';
import { RESIZE_PANE } from './pane-resizing.ts';
import { PANE_SEARCH_ENTRIES } from './pane-search.ts';
import { PANE_SPLIT_ENTRIES } from './pane-splits.ts';
import { PANE_ENTRIES } from './panes.ts';
import { PICKER_ENTRIES } from './pickers.ts';
import { POPUP_ENTRIES } from './popups.ts';
import { PROMPT_ENTRIES } from './prompts.ts';
import { RESURRECT_ENTRIES } from './resurrect.ts';
import { SCRIPTING_ENTRIES } from './scripting.ts';
import { SCROLL_ENTRIES } from './scroll-pane.ts';
import { SESSION_ENTRIES } from './sessions.ts';
import { SETTING_ENTRIES } from './settings.ts';
import { UPGRADE_ENTRIES } from './upgrade.ts';
import { WINDOW_ENTRIES } from './windows.ts';

export const ENTRIES: readonly Entry[] = [
  ...BUFFER_ENTRIES,
  ...CLIENT_ENTRIES,
  ...CONFIG_ENTRIES,
  ...CONTROL_TOKEN_ENTRIES,
  ...CUSTOMIZE_ENTRIES,
  ...DISPLAY_ENTRIES,
  ...EDITOR_ENTRIES,
  ...ENVIRONMENT_ENTRIES,
  ...FLOW_ENTRIES,
  ...KEY_ENTRIES,
  ...MENU_ENTRIES,
  ...PALETTE_ENTRIES,
  ...PANE_SEARCH_ENTRIES,
  ...PANE_SPLIT_ENTRIES,
  ...PANE_ENTRIES,
  ...PICKER_ENTRIES,
  ...POPUP_ENTRIES,
  ...PROMPT_ENTRIES,
  RESIZE_PANE,
  ...RESURRECT_ENTRIES,
  ...SCRIPTING_ENTRIES,
  ...SCROLL_ENTRIES,
  ...SESSION_ENTRIES,
  ...SETTING_ENTRIES,
  ...UPGRADE_ENTRIES,
  ...WINDOW_ENTRIES,
].sort((a, b) => (sortName(a) < sortName(b) ? -1 : 1));

/** By name, save that tmux's own table has display-panes after display-popup. */
function sortName({ name }: Entry): string {
  return name === 'display-panes' ? 'display-popup-' : name;
}
