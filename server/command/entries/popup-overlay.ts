/**
 * A popup on a client: a live program in a floating pane over the panes (tmux(1) display-popup). The panes below go on.
 * Keys and the mouse inside go to the program; the border is dragged to move the popup (left and top edge, title) or to
 * resize it (right and bottom edge, or the right button anywhere with Meta); a right click on the border opens its menu.
 */
import { type CellStyle, DEFAULT_STYLE } from '../../../protocol/cell.ts';
import type { Frame, MouseTracking } from '../../../protocol/frame.ts';
import { contains, type Rect, type Size } from '../../../protocol/geometry.ts';
import type { InputEvent, Key, KeyDetail } from '../../../protocol/key.ts';
import { legacyKey, plainEvent } from '../../../protocol/legacy-key.ts';
import { createMenu, type MenuItem, type MenuModel, updateMenu } from '../../../src/overlay/menu.ts';
import type { OverlayModel } from '../../../src/overlay/overlay.ts';
import { textWidth } from '../../../src/overlay/text-width.ts';
import type { MouseEvent } from '../../keys/mouse-keys.ts';
import { type ClientOverlay, type ClientSession, overlayTracking } from '../../model/client-session.ts';
import type { Pane, PaneExit } from '../../model/pane.ts';
import { keyModesOf, mouseModesOf } from '../../model/pane-input.ts';
import { encodeMouse, encodePaste, encodeTyped } from '../../terminal/input-encoder.ts';
import type { Services } from './context.ts';
import { drawPopup, insideOf, type PopupLook } from './popup-frame.ts';

/** When the popup closes by itself: never, when its program ends, when it ends well. */
export type PopupClosing = 'by-key' | 'on-exit' | 'on-success';

/** What there is to a popup beside its program: plain data. */
export interface PopupShape {
  /** As asked for; the client's size may leave less. */
  readonly rect: Rect;
  readonly look: PopupLook;
  readonly closing: PopupClosing;
  /** Highlight of the popup's own menu (option mode-style). */
  readonly menuStyle: CellStyle;
  /** The file that its editor changes; undefined for a popup that is no editor's. */
  readonly edits?: EditedFile | undefined;
}

/** A private file in a directory of its own that goes with the popup. */
export interface EditedFile {
  readonly path: string;
  /** Name of the paste buffer that becomes what the file holds when the editor ends well. */
  readonly buffer: string | undefined;
}

export interface PopupRequest extends PopupShape {
  /** Its program had ended already when it was shown. */
  readonly exit?: PaneExit | undefined;
  readonly start: (size: Size, handlers: { ended: (exit: PaneExit) => void; bell: () => void }) => Pane;
  /** The popup is gone; the program's exit if it had ended. Called once. */
  readonly done: (exit: PaneExit | undefined) => void;
}

type Drag = { readonly kind: 'move'; readonly dx: number; readonly dy: number } | { readonly kind: 'size' };
type Edge = 'left' | 'right' | 'top' | 'bottom';

const MENU = ['Close', 'Paste', 'Fill Space', 'Centre', 'To Horizontal Pane', 'To Vertical Pane'] as const;
const MENU_KEYS: Readonly<Record<(typeof MENU)[number], string>> = {
  Close: 'q',
  Paste: 'p',
  'Fill Space': 'F',
  Centre: 'C',
  'To Horizontal Pane': 'h',
  'To Vertical Pane': 'v',
};

export class PopupOverlay implements ClientOverlay {
  readonly purpose = 'popup';
  readonly pane: Pane;
  readonly #services: Services;
  readonly #client: ClientSession;
  readonly #request: PopupRequest;
  /** As asked for; the client's size may leave less. */
  #wanted: Rect;
  #drag: Drag | undefined;
  #menu: MenuModel | undefined;
  #exit: PaneExit | undefined;
  #isDone = false;
  /** The pane lives on in a window. */
  #isAdopted = false;

  constructor(services: Services, client: ClientSession, request: PopupRequest) {
    this.#services = services;
    this.#client = client;
    this.#request = request;
    this.#wanted = request.rect;
    const { width, height } = insideOf(request.rect, request.look.lines);
    this.#exit = request.exit;
    this.pane = request.start(
      { cols: width, rows: height },
      { ended: (exit) => this.#ended(exit), bell: () => client.send({ kind: 'bell' }) },
    );
  }

  /** What is needed to show it again. */
  get shape(): PopupShape {
    const { look, closing, menuStyle, edits } = this.#request;
    return { rect: this.#wanted, look, closing, menuStyle, edits };
  }

  get mouseTracking(): MouseTracking {
    const tracking = this.pane.emulator.modes.mouseTracking;
    const wanted = this.#menu || tracking === 'motion' ? 'motion' : 'drag';
    // With option mouse off the terminal's own selection works, as long as the program wants no mouse.
    return overlayTracking(this.#client, wanted) ?? (tracking === 'x10' ? 'click' : tracking);
  }

  get rect(): Rect {
    const { cols, rows } = this.#client.size;
    const width = Math.min(this.#wanted.width, cols);
    const height = Math.min(this.#wanted.height, rows);
    return {
      x: Math.max(0, Math.min(this.#wanted.x, cols - width)),
      y: Math.max(0, Math.min(this.#wanted.y, rows - height)),
      width,
      height,
    };
  }

  models(): readonly OverlayModel[] {
    return this.#menu ? [this.#menu] : [];
  }

  draw(frame: Frame): void {
    if (this.#isDone) return;
    drawPopup(frame, { rect: this.rect, pane: this.pane, look: this.#request.look });
  }

  input(event: InputEvent): 'consumed' | 'pass' {
    const plain = plainEvent(event);
    if (this.#menu) {
      if (plain) this.#menuInput(this.#menu, plain);
    } else if (event.kind === 'mouse') this.#mouse(event);
    else if (event.kind === 'paste') this.pane.write(encodePaste(event.text, this.pane.emulator.modes));
    else if (event.kind === 'key') this.#key(event.key, event.detail);
    else return 'pass';
    return 'consumed';
  }

  resize(): void {
    this.#place(this.#wanted);
  }

  close(): void {
    this.#finish();
  }

  #key(key: Key, detail: KeyDetail | undefined): void {
    const closes = this.#request.closing === 'by-key' || this.#exit !== undefined;
    if (closes && detail?.event !== 'release' && /^(?:Escape|C-c)$/.test(legacyKey(key))) {
      this.#finish();
      return;
    }
    const bytes = encodeTyped(key, keyModesOf(this.pane, this.#services.registry.serverOptions), detail);
    if (bytes !== '') this.pane.write(bytes);
  }

  #ended(exit: PaneExit): void {
    this.#exit = exit;
    const { closing } = this.#request;
    const isGood = exit.status === 0 && exit.signal === undefined;
    if (closing === 'on-exit' || (closing === 'on-success' && isGood)) this.#finish();
  }

  #mouse(event: MouseEvent): void {
    if (this.#drag) {
      this.#followDrag(this.#drag, event);
      return;
    }
    const { rect } = this;
    if (!contains(rect, event)) {
      if (event.action === 'press' && event.button === 'right') this.#openMenu(event);
      return;
    }
    const edge = this.#edgeAt(event);
    if (event.action === 'press' && event.button === 'right' && edge !== undefined && !event.meta) {
      this.#openMenu(event);
      return;
    }
    if (event.action === 'press' && (edge !== undefined || event.meta)) {
      this.#startDrag(event, edge);
      return;
    }
    if (edge !== undefined) return;
    const inside = insideOf(rect, this.#request.look.lines);
    const bytes = encodeMouse(event, { x: event.x - inside.x, y: event.y - inside.y }, mouseModesOf(this.pane));
    if (bytes !== undefined) this.pane.write(bytes);
  }

  #edgeAt({ x, y }: MouseEvent): Edge | undefined {
    if (this.#request.look.lines === 'none') return undefined;
    const { rect } = this;
    if (y === rect.y + rect.height - 1) return 'bottom';
    if (x === rect.x + rect.width - 1) return 'right';
    if (y === rect.y) return 'top';
    return x === rect.x ? 'left' : undefined;
  }

  #startDrag(event: MouseEvent, edge: Edge | undefined): void {
    const { rect } = this;
    const sizes = edge === 'right' || edge === 'bottom' || event.button === 'right';
    if (event.button !== 'left' && event.button !== 'right') return;
    this.#wanted = rect;
    this.#drag = sizes ? { kind: 'size' } : { kind: 'move', dx: event.x - rect.x, dy: event.y - rect.y };
  }

  #followDrag(drag: Drag, event: MouseEvent): void {
    if (event.action === 'release') this.#drag = undefined;
    const { rect } = this;
    if (drag.kind === 'move') {
      const { cols, rows } = this.#client.size;
      const x = Math.max(0, Math.min(event.x - drag.dx, cols - rect.width));
      this.#place({ ...rect, x, y: Math.max(0, Math.min(event.y - drag.dy, rows - rect.height)) });
      return;
    }
    const least = this.#request.look.lines === 'none' ? 1 : 3;
    const width = Math.max(least, event.x - rect.x + 1);
    this.#place({ ...rect, width, height: Math.max(least, event.y - rect.y + 1) });
  }

  #place(rect: Rect): void {
    this.#wanted = rect;
    const { width, height } = insideOf(this.rect, this.#request.look.lines);
    if (width > 0 && height > 0) this.pane.moveTo({ x: 0, y: 0, width, height });
    this.#services.registry.markClient(this.#client);
  }

  #openMenu({ x, y }: { readonly x: number; readonly y: number }): void {
    const width = Math.max(...MENU.map((name) => textWidth(name))) + 4;
    const items: MenuItem[] = MENU.map((name) => ({
      kind: 'item',
      text: [{ text: `${name.padEnd(width - 3)}(${MENU_KEYS[name]})`, style: DEFAULT_STYLE }],
      key: MENU_KEYS[name],
      isEnabled: true,
    }));
    items.splice(2, 0, { kind: 'separator' });
    items.splice(5, 0, { kind: 'separator' });
    const { menuStyle } = this.#request;
    this.#menu = createMenu({
      x,
      y,
      width,
      title: [],
      items,
      highlightStyle: menuStyle,
      byMouse: true,
      release: 'choose',
    });
    this.#refresh();
  }

  #menuInput(menu: MenuModel, event: InputEvent): void {
    const { model, outcome } = updateMenu(menu, event, this.#client.size);
    if (outcome.kind === 'open') this.#menu = model;
    else {
      this.#menu = undefined;
      const item = outcome.kind === 'accept' ? model.items[Number(outcome.value)] : undefined;
      const name = MENU.find((each) => item?.kind === 'item' && item.key === MENU_KEYS[each]);
      if (name) this.#choose(name);
    }
    this.#refresh();
  }

  #choose(name: (typeof MENU)[number]): void {
    const { cols, rows } = this.#client.size;
    const { width, height } = this.rect;
    switch (name) {
      case 'Close':
        this.#finish();
        return;
      case 'Paste': {
        const text = this.#services.registry.buffers.newest()?.text;
        if (text !== undefined) this.pane.write(encodePaste(text, this.pane.emulator.modes));
        return;
      }
      case 'Fill Space':
        this.#place({ x: 0, y: 0, width: cols, height: rows });
        return;
      case 'Centre':
        this.#place({ x: Math.trunc((cols - width) / 2), y: Math.trunc((rows - height) / 2), width, height });
        return;
      case 'To Horizontal Pane':
        this.#becomePane('row');
        return;
      case 'To Vertical Pane':
        this.#becomePane('column');
        return;
    }
  }

  /** The program goes on in a pane of the client's window. */
  #becomePane(axis: 'row' | 'column'): void {
    const { session } = this.#client;
    if (!session || session.isEmpty || this.#exit) return;
    const beside = session.current.window.active;
    if (!this.#services.lifecycle.adopt(this.pane, beside, { axis })) {
      this.#services.showMessage(this.#client, 'No space for new pane');
      return;
    }
    this.#isAdopted = true;
    this.#finish();
  }

  #refresh(): void {
    if (this.#isDone) return;
    this.#services.overlays.refresh(this.#client);
    this.#services.registry.markClient(this.#client);
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#services.overlays.close(this.#client, this);
    if (!this.#isAdopted) this.#services.panes.discard(this.pane);
    this.#services.registry.markClient(this.#client);
    this.#request.done(this.#exit);
  }
}
