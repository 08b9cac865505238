/**
 * What a person does at a client, from the client's message to its end: an overlay takes it, a binding runs, or it goes
 * to the pane. A key never overtakes the command that a key before it started.
 */
import type { InputEvent, Key, KeyDetail } from '../../protocol/key.ts';
import { isModifierKey, KEY_FLAGS } from '../../protocol/key.ts';
import { isPlainPress, legacyKey, plainEvent } from '../../protocol/legacy-key.ts';
import type { Caller, ItemState, MouseState, Queue } from '../command/entries/context.ts';
import type { FlowDesk } from '../flow/flow-desk.ts';
import { HeldKeys } from '../keys/held-keys.ts';
import { dispatchKey } from '../keys/key-dispatch.ts';
import type { KeyBinding, KeyTables } from '../keys/key-table.ts';
import { CLICK_MS, type MouseEvent, MouseKeys, type MousePlace, type MousePress } from '../keys/mouse-keys.ts';
import type { ClientSession } from '../model/client-session.ts';
import { inputTargets } from '../model/input-targets.ts';
import type { Pane } from '../model/pane.ts';
import { keyModesOf, mouseModesOf } from '../model/pane-input.ts';
import type { Registry } from '../model/registry.ts';
import { fitWindows } from '../model/window-size.ts';
import { encodeKey, encodeMouse, encodePaste, encodeTyped, type KeyModes } from '../terminal/input-encoder.ts';
import { speaksKitty } from '../terminal/kitty-encoder.ts';
import type { OverlayHost } from './overlay-host.ts';

/** Events kept while a client's command waits; more are dropped, the oldest first. */
const HELD_EVENTS_MAX = 10_000;
/** What keys of a read-only client may run: tmux(1) attach-session -r. */
const READ_ONLY_COMMANDS: ReadonlySet<string> = new Set(['detach-client', 'detach', 'switch-client', 'switchc']);

/** Keys that close what lies over a client's panes. */
const CLOSING_KEYS: ReadonlySet<Key> = new Set(['Escape', 'q', 'C-c']);

export interface RouterContext {
  readonly registry: Registry;
  readonly keys: KeyTables;
  readonly flows: FlowDesk;
  /** ms, monotonic. */
  readonly now: () => number;
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly nextTurn: (run: () => void) => void;
  readonly overlays: Pick<OverlayHost, 'opened'>;
  readonly queueOf: (client: ClientSession) => Queue;
  readonly callerOf: (client: ClientSession) => Caller;
  readonly hitTest: (client: ClientSession, x: number, y: number) => MousePlace | undefined;
  /** The client's next key is looked up in another table: the prefix was pressed, or its table is left. */
  readonly tableChanged: (client: ClientSession) => void;
  /** Asks the person at a client yes or no, and goes on after a yes. */
  readonly confirm: (client: ClientSession, question: string, yes: () => void) => void;
  /** The person typed into this pane through this client. */
  readonly typed: (client: ClientSession, pane: Pane) => void;
}

export class Router {
  readonly #context: RouterContext;
  readonly #mouse = new WeakMap<ClientSession, MouseKeys>();
  readonly #held = new WeakMap<ClientSession, InputEvent[]>();
  readonly #heldKeys = new WeakMap<ClientSession, HeldKeys>();

  constructor(context: RouterContext) {
    this.#context = context;
    context.overlays.opened.subscribe((client) => context.nextTurn(() => this.#releaseHeld(client)));
  }

  input(client: ClientSession, events: readonly InputEvent[]): void {
    const latestBefore = this.#context.registry.latestClient;
    this.#context.registry.touch(client.session, client);
    if (latestBefore !== client) {
      fitWindows(this.#context.registry);
      this.#context.registry.emit('client-active', { client, session: client.session });
    }
    for (const event of events) this.#event(client, event);
  }

  #event(client: ClientSession, event: InputEvent): void {
    if (event.kind === 'focus') this.#focus(client, event.focused);
    else if (client.overlay && this.#held.get(client)?.length) this.#hold(client, event);
    else if (client.overlay || this.#context.flows.takesKeys(client)) {
      if (this.#overlay(client, event) === 'pass') this.#inOrder(client, event);
    } else this.#inOrder(client, event);
  }

  #overlay(client: ClientSession, event: InputEvent): 'consumed' | 'pass' {
    const plain = plainEvent(event);
    // A release belongs to where the key was pressed; a key with Super is for programs alone, none of which is in front.
    if (!plain) {
      if (client.overlay?.pane) return client.overlay.input(event);
      return isRelease(event) || !client.overlay ? 'pass' : 'consumed';
    }
    // Who may only look can close what somebody else has opened here, and no more.
    if (client.readOnly && !(plain.kind === 'key' && CLOSING_KEYS.has(plain.key))) return 'pass';
    if (this.#context.flows.input(client, plain) === 'consumed') return 'consumed';
    return client.overlay?.input(client.overlay.pane ? event : plain) ?? 'pass';
  }

  /** Waits until the client's commands are done, then goes on with the events in order. */
  #inOrder(client: ClientSession, event: InputEvent): void {
    const queue = this.#context.queueOf(client);
    if (this.#held.has(client)) {
      this.#hold(client, event);
      return;
    }
    if (queue.isIdle) {
      this.#deliver(client, event);
      return;
    }
    this.#held.set(client, [event]);
    queue.whenIdle(() => {
      const waiting = this.#held.get(client) ?? [];
      this.#held.delete(client);
      for (const next of waiting) this.#event(client, next);
    });
  }

  #hold(client: ClientSession, event: InputEvent): void {
    const held = this.#held.get(client);
    held?.push(event);
    if (held && held.length > HELD_EVENTS_MAX) held.shift();
  }

  /** The command that events wait for has opened a prompt, a menu or the like, and waits for the person: they are for that. */
  #releaseHeld(client: ClientSession): void {
    if (!client.overlay) return;
    for (const event of this.#held.get(client)?.splice(0) ?? []) this.#event(client, event);
  }

  #deliver(client: ClientSession, event: InputEvent): void {
    if (event.kind === 'key' && event.detail && !isPlainPress(event.detail)) {
      this.#rawKey(client, event.key, event.detail);
      return;
    }
    this.#clearMessage(client);
    switch (event.kind) {
      case 'key':
        this.#key(client, event.key, event.detail);
        return;
      case 'paste':
        this.#paste(client, event.text);
        return;
      case 'mouse':
        this.#mouseEvent(client, event);
        return;
      case 'focus':
        return;
    }
  }

  #clearMessage(client: ClientSession): void {
    if (!client.message || client.message.ignoresKeys) return;
    client.message = undefined;
    this.#context.registry.markClient(client);
  }

  #key(client: ClientSession, key: Key, detail: KeyDetail | undefined): void {
    const pane = activePane(client);
    const before = client.keyTable;
    const decision = dispatchKey(client, key, {
      tables: this.#context.keys,
      pane,
      now: this.#context.now(),
      isExtended: () => pane !== undefined && !pane.mode && isExtended(this.#keyModes(pane)),
    });
    if (client.keyTable !== before) {
      this.#context.registry.markClient(client);
      this.#context.tableChanged(client);
    }
    if (decision.kind === 'run') this.#run(client, decision.binding, { key });
    else if (decision.kind === 'forward' && pane) {
      this.#noteHeld(client, key, pane);
      this.sendKey(client, pane, key, detail);
    }
  }

  /** Types a key into a pane: its mode, else its program. Without a client a command does. */
  sendKey(client: ClientSession | undefined, pane: Pane, key: Key, detail?: KeyDetail): void {
    if (client?.readOnly) return;
    const mode = pane.mode;
    if (mode) {
      mode.key(legacyKey(key), client);
      this.#context.registry.markPane(pane);
      return;
    }
    for (const target of inputTargets(pane)) {
      const modes = this.#keyModes(target);
      const bytes = client
        ? encodeTyped(key, modes, detail)
        : (encodeKey(key, modes) ?? encodeKey(legacyKey(key), modes) ?? '');
      if (bytes === '') continue;
      target.write(bytes);
      // Who holds Shift to scroll has typed nothing yet.
      if (client && !(detail && isModifierKey(detail.code))) this.#typed(client, target);
    }
  }

  /**
   * The release of a key goes to the pane that got its press; a key with Super or Hyper, a modifier alone and a media key to
   * programs that ask for such.
   */
  #rawKey(client: ClientSession, key: Key, detail: KeyDetail): void {
    const pane = detail.event === 'release' ? this.#heldKeys.get(client)?.release(key, detail) : activePane(client);
    if (!pane || pane.mode || client.readOnly || !this.#context.registry.panes.has(pane.id)) return;
    if (detail.event === 'press') this.#noteHeld(client, key, pane);
    this.sendKey(client, pane, key, detail);
  }

  #noteHeld(client: ClientSession, key: Key, pane: Pane): void {
    // Most programs ask for nothing, and then the options need no look.
    if (pane.emulator.modes.keyFlags === 0 || !(this.#keyModes(pane).keyFlags & KEY_FLAGS.events)) return;
    let held = this.#heldKeys.get(client);
    if (!held) {
      held = new HeldKeys();
      this.#heldKeys.set(client, held);
    }
    held.press(key, pane);
  }

  #keyModes(pane: Pane): KeyModes {
    return keyModesOf(pane, this.#context.registry.serverOptions);
  }

  #paste(client: ClientSession, text: string): void {
    const pane = activePane(client);
    if (!pane || client.readOnly || pane.mode) return;
    const targets = inputTargets(pane);
    const paste = () => {
      for (const target of targets) {
        this.#typed(client, target);
        target.write(encodePaste(text, target.emulator.modes));
      }
    };
    const most = client.session?.options.number('paste-confirm-lines') ?? 0;
    const lines = most === 0 ? 0 : text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n').length;
    // Such a program takes each line for one that was typed.
    if (lines > most && targets.some((target) => !target.emulator.modes.bracketedPaste))
      this.#context.confirm(client, `Paste ${lines} lines?`, paste);
    else paste();
  }

  #run(client: ClientSession, binding: KeyBinding, { key, mouse }: { key: Key; mouse?: MouseState }): void {
    const caller = this.#context.callerOf(client);
    if (client.readOnly && !binding.commands.every(({ name }) => READ_ONLY_COMMANDS.has(name))) {
      caller.error('client is read-only');
      return;
    }
    const state: ItemState = {
      caller,
      client,
      current: undefined,
      mouse,
      key,
      isHook: false,
      variables: undefined,
    };
    this.#context.queueOf(client).append(binding.commands, state);
  }

  #mouseEvent(client: ClientSession, event: MouseEvent): void {
    // A press that comes while a drag goes on: its release was lost.
    if (client.drag && isPress(event)) client.drag = undefined;
    if (client.drag) {
      if (event.action === 'release') this.#endDrag(client, event);
      else client.drag.move(event.x, event.y);
      return;
    }
    const { registry } = this.#context;
    const place = this.#context.hitTest(client, event.x, event.y);
    // Beside a window that is smaller than the client there is nothing to click.
    if (!place) return;
    if (!client.session?.options.flag('mouse')) {
      this.#mouseToPane(client, event, place.pane ?? activePane(client));
      return;
    }
    const keys = this.#mouseKeys(client);
    const key = keys.name(event, place, this.#context.now());
    if (key === undefined) {
      // No key is called after a wheel that turns to the side: it is for the program alone.
      this.#mouseToPane(client, event, place.pane);
      return;
    }
    this.#runMouse(client, key, event, place);
    if (key.includes('SecondClick')) {
      this.#context.after(CLICK_MS, () => {
        const click = keys.pendingDoubleClick(this.#context.now());
        if (click && registry.clients.has(client))
          this.#runMouse(client, `${click.key}${place.area}`, { ...event, action: 'press' }, place);
      });
    }
  }

  #endDrag(client: ClientSession, event: MouseEvent): void {
    const drag = client.drag;
    client.drag = undefined;
    drag?.end(event.x, event.y);
    const place = this.#context.hitTest(client, event.x, event.y) ?? this.#mouseKeys(client).press?.place;
    if (!place) return;
    const key = this.#mouseKeys(client).name(event, place, this.#context.now());
    if (key !== undefined) this.#runMouse(client, key, event, place);
  }

  #runMouse(client: ClientSession, key: Key, event: MouseEvent, place: MousePlace): void {
    const press = /MouseDrag\d/.test(key) ? this.#mouseKeys(client).press : undefined;
    const mouse = mouseState(client, { event, place, press });
    const pane = mouse.pane ?? activePane(client);
    const { keys, now } = this.#context;
    const decision = dispatchKey(client, key, { tables: keys, pane, now: now(), isExtended: () => false });
    if (decision.kind === 'run') {
      this.#run(client, decision.binding, { key, mouse });
      // The drag that it began has come this far already.
      if (press) this.#context.queueOf(client).whenIdle(() => client.drag?.move(event.x, event.y));
    } else if (decision.kind === 'forward') this.#mouseToPane(client, event, place.pane);
  }

  /** Hands a mouse event to the program of a pane, if it asked for such events. */
  #mouseToPane(client: ClientSession, event: MouseEvent, pane: Pane | undefined): void {
    if (!pane || pane.mode || client.readOnly || pane !== activePane(client)) return;
    const place = this.#context.hitTest(client, event.x, event.y);
    if (place?.pane !== pane || place.area !== 'Pane') return;
    this.sendMouse(client, pane, { ...event, x: place.x, y: place.y });
  }

  /** `event` in cells of the pane. */
  sendMouse(client: ClientSession | undefined, pane: Pane, event: MouseEvent): void {
    const { cols, rows } = pane.size;
    if (event.x < 0 || event.y < 0 || event.x >= cols || event.y >= rows) return;
    const bytes = encodeMouse(event, event, mouseModesOf(pane));
    if (bytes === undefined) return;
    if (client) this.#typed(client, pane);
    pane.write(bytes);
  }

  /** What a person sends to a program is about its screen: a view that was scrolled back returns to it. */
  #typed(client: ClientSession, pane: Pane): void {
    if (pane.scroll.offset > 0) {
      pane.scroll.offset = 0;
      this.#context.registry.markPane(pane);
    }
    this.#context.typed(client, pane);
  }

  #mouseKeys(client: ClientSession): MouseKeys {
    let keys = this.#mouse.get(client);
    if (!keys) {
      keys = new MouseKeys();
      this.#mouse.set(client, keys);
    }
    return keys;
  }

  #focus(client: ClientSession, focused: boolean): void {
    client.hasFocus = focused;
    this.#context.registry.markClient(client);
    // The terminal is asked for the sake of notices too.
    if (!this.#context.registry.serverOptions.flag('focus-events')) return;
    client.focused = focused;
    this.#context.registry.emit(focused ? 'client-focus-in' : 'client-focus-out', { client, session: client.session });
  }
}

function isRelease(event: InputEvent): boolean {
  return event.kind === 'key' && event.detail?.event === 'release';
}

/** Whether a program tells keys apart that are the same to others. */
function isExtended({ keyFlags, modifyOtherKeys }: KeyModes): boolean {
  return speaksKitty(keyFlags) || modifyOtherKeys > 0;
}

function isPress({ action, button }: MouseEvent): boolean {
  return action === 'press' && button !== 'wheel-up' && button !== 'wheel-down';
}

/** A drag is the business of the pane that it began in. */
function mouseState(
  client: ClientSession,
  { event, place, press }: { event: MouseEvent; place: MousePlace; press: MousePress | undefined },
): MouseState {
  const { session } = client;
  const isOnStatus = (press?.place ?? place).area.startsWith('Status');
  if (!press) return { pane: place.pane, session, winlink: place.winlink, x: place.x, y: place.y, isOnStatus, event };
  const { pane, winlink, x, y } = press.place;
  const left = press.event.x - x;
  const top = press.event.y - y;
  const from = { x, y, clientX: press.event.x, clientY: press.event.y };
  return { pane, session, winlink, x: event.x - left, y: event.y - top, isOnStatus, event, from };
}

export function activePane(client: ClientSession): Pane | undefined {
  const session = client.session;
  return session && !session.isEmpty ? session.current.window.active : undefined;
}
