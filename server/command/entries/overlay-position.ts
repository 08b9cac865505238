/** Where a menu or popup goes on a client's screen: the -x and -y of display-menu and display-popup (tmux(1)). */
import type { Size } from '../../../protocol/geometry.ts';
import type { ClientSession } from '../../model/client-session.ts';
import { statusLines } from '../../model/window-size.ts';
import type { Args } from '../args.ts';
import type { CommandContext } from './context.ts';

/** Letters and the formats that they stand for; y is the row below the box's last. */
const SHORT_X: Readonly<Record<string, string>> = {
  C: '#{popup_centre_x}',
  R: '#{popup_pane_right}',
  P: '#{popup_pane_left}',
  M: '#{popup_mouse_centre_x}',
  W: '#{popup_window_status_line_x}',
};
const SHORT_Y: Readonly<Record<string, string>> = {
  C: '#{popup_centre_y}',
  P: '#{popup_pane_bottom}',
  M: '#{popup_mouse_top}',
  S: '#{popup_status_line_y}',
  W: '#{popup_window_status_line_y}',
};

interface Box {
  readonly width: number;
  readonly height: number;
}

/** The corner of a box on the client's screen, the whole of it inside. */
export function overlayPosition(
  context: CommandContext,
  { client, args, box }: { readonly client: ClientSession; readonly args: Args; readonly box: Box },
): { readonly x: number; readonly y: number } {
  const { cols, rows } = client.size;
  const variables = positionVariables(context, client, box);
  const read = (text: string | undefined, short: Readonly<Record<string, string>>) => {
    const format = text === undefined ? short.C : (short[text] ?? text);
    return Number.parseInt(context.expand(format ?? '', { client, extra: variables }), 10) || 0;
  };
  const bottom = read(args.value('y'), SHORT_Y);
  return {
    x: Math.max(0, Math.min(read(args.value('x'), SHORT_X), cols - box.width)),
    y: Math.max(0, Math.min(bottom - box.height, rows - box.height)),
  };
}

function positionVariables(context: CommandContext, client: ClientSession, box: Box): Record<string, string> {
  const { width, height } = box;
  const variables: Record<string, number> = {
    popup_width: width,
    popup_height: height,
    ...centreOf(client.size, box),
    ...mouseVariables(context, box),
    ...paneVariables(context, client, box),
    ...statusVariables(context, client, box),
  };
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}

function half(value: number): number {
  return Math.trunc(value / 2);
}

function centreOf({ cols, rows }: Size, { width, height }: Box): Record<string, number> {
  const y = half(rows - 1) + half(height);
  return {
    popup_centre_x: Math.max(0, half(cols - 1) - half(width)),
    popup_centre_y: y >= rows ? rows - height : y,
  };
}

function mouseVariables({ mouse }: CommandContext, { width, height }: Box): Record<string, number> {
  if (!mouse) return {};
  const { x, y } = mouse.event;
  return {
    popup_mouse_x: x,
    popup_mouse_y: y,
    popup_mouse_centre_x: Math.max(0, x - half(width)),
    popup_mouse_centre_y: y + half(height),
    popup_mouse_top: y + height,
    popup_mouse_bottom: Math.max(0, y),
  };
}

function paneVariables(context: CommandContext, client: ClientSession, { width, height }: Box): Record<string, number> {
  const { rect } = context.target.pane;
  const [offsetX = 0, offsetY = 0] = context
    .expand('#{window_offset_x},#{window_offset_y}', { client })
    .split(',')
    .map(Number);
  const top = context.services.windowTop(client) + rect.y - offsetY;
  return {
    popup_pane_top: top + height,
    popup_pane_bottom: top + rect.height,
    popup_pane_left: Math.max(0, rect.x - offsetX),
    popup_pane_right: Math.max(0, rect.x + rect.width - offsetX - width),
  };
}

function statusVariables(context: CommandContext, client: ClientSession, { height }: Box): Record<string, number> {
  const { session } = client;
  const lines = session ? statusLines(session) : 0;
  if (!session || lines === 0) return {};
  const isTop = session.options.choice('status-position') === 'top';
  const first = isTop ? 0 : client.size.rows - lines;
  const line = isTop ? lines + height : first;
  const window = context.mouse?.winlink ?? context.target.winlink;
  for (let y = first; y < first + lines; y++) {
    for (let x = 0; x < client.size.cols; x++) {
      const place = context.services.placeAt(client, { x, y });
      if (place?.area !== 'Status' || place.winlink !== window) continue;
      return {
        popup_status_line_y: line,
        popup_window_status_line_x: x,
        popup_window_status_line_y: isTop ? y + 1 + height : y,
      };
    }
  }
  return { popup_status_line_y: line };
}
