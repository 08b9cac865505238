/** resize-pane: by cells, to a size, zooming, and dragging a border. */

import type { Axis } from '../../layout/layout-cell.ts';
import { borderAt, cellAt } from '../../layout/layout-cell.ts';
import { moveBorder, resizePane, resizePaneTo } from '../../layout/layout-resize.ts';
import { parseNumber, parseSizeValue } from '../../layout/size-value.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import type { CommandContext, Entry } from './context.ts';
import { directionFlag } from './pane-arguments.ts';

/** The largest number that tmux takes for a size or a change. */
const SIZE_MAX = 2147483647;

export const RESIZE_PANE: Entry = {
  name: 'resize-pane',
  alias: 'resizep',
  args: { template: 'DLMRTt:Ux:y:Z', min: 0, max: 1 },
  usage: '[-DLMRTUZ] [-x width] [-y height] [-t target-pane] [adjustment]',
  target: { flag: 't', kind: 'pane' },
  help: 'Resize a pane, zoom it (-Z), or drag its border (-M)',
  exec(context, args) {
    const { pane, window } = context.target;
    if (args.has('T')) {
      pane.emulator.trimBelowCursor();
      context.registry.markPane(pane);
      return OK;
    }
    if (args.has('M')) return startBorderDrag(context);
    if (args.has('Z')) {
      if (window.unzoom() || window.zoom(pane)) context.services.lifecycle.layoutChanged(window);
      return OK;
    }
    const text = args.string(0);
    const adjustment = parseNumber(text ?? '1', { min: 1, max: SIZE_MAX });
    if (!adjustment.ok) return failed(`adjustment ${adjustment.error}`);
    window.unzoom();
    let { layout } = window;
    const status = window.borderStatus;
    for (const [flag, axis, name] of [
      ['x', 'row', 'width'],
      ['y', 'column', 'height'],
    ] as const) {
      const value = args.value(flag);
      if (value === undefined) continue;
      const current = axis === 'row' ? window.size.cols : window.size.rows;
      const size = parseSizeValue(value, { min: 0, max: SIZE_MAX, current });
      if (!size.ok) {
        // A width before a height that is none counts.
        window.setLayout(layout);
        return failed(`${name} ${size.error === 'empty' ? 'invalid' : size.error}`);
      }
      layout = resizePaneTo(layout, pane.id, { axis, size: size.value, status });
    }
    const direction = directionFlag(args);
    if (direction) {
      const axis: Axis = direction === 'left' || direction === 'right' ? 'row' : 'column';
      const change = direction === 'left' || direction === 'up' ? -adjustment.value : adjustment.value;
      layout = resizePane(layout, pane.id, { axis, change, status });
    }
    window.setLayout(layout);
    context.services.lifecycle.layoutChanged(window);
    return OK;
  },
};

/** Lets the border under the mouse follow it until the button is released. */
function startBorderDrag(context: CommandContext): CommandResult {
  const { client, mouse } = context;
  if (!client?.session || !mouse) return OK;
  const { window } = client.session.current;
  const top = context.services.windowTop(client);
  const from = mouse.from ?? { clientX: mouse.event.x, clientY: mouse.event.y };
  let last = { x: from.clientX, y: from.clientY - top };
  client.drag = {
    move: (x, clientY) => {
      const y = clientY - top;
      for (const point of [
        last,
        { x: last.x + 1, y: last.y },
        { x: last.x, y: last.y + 1 },
        { x: last.x - 1, y: last.y },
        { x: last.x, y: last.y - 1 },
      ]) {
        const path = borderAt(window.layout, point);
        if (!path) continue;
        const parent = cellAt(window.layout, path.slice(0, -1));
        const change = parent.kind === 'row' ? x - point.x : y - point.y;
        if (change !== 0) window.setLayout(moveBorder(window.layout, path, { change, status: window.borderStatus }));
        break;
      }
      last = { x, y };
      context.services.lifecycle.layoutChanged(window);
    },
    end: () => {},
  };
  return OK;
}
