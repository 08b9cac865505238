/** The numbers over a client's panes while display-panes lasts: a digit or letter chooses a pane. */
import type { InputEvent } from '../../../protocol/key.ts';
import type { OverlayModel } from '../../../src/overlay/overlay.ts';
import { fitsLarge, type PaneNumberModel } from '../../../src/overlay/pane-number.ts';
import type { ClientOverlay, ClientSession } from '../../model/client-session.ts';
import type { Pane } from '../../model/pane.ts';
import type { Window } from '../../model/window.ts';
import { colorToCell } from '../../options/color.ts';
import { type CommandResult, failed, OK } from '../command-queue.ts';
import type { CommandContext } from './context.ts';
import { parseTemplate, type Template } from './parse-template.ts';

export interface PaneNumbersRequest {
  /** 0: until a key is pressed. */
  readonly durationMs: number;
  /** Keys choose nothing and go where they went before. */
  readonly ignoresKeys: boolean;
  /** Run with the chosen pane's id. */
  readonly template: Template;
  readonly done: (result: CommandResult) => void;
}

/** Panes from the eleventh on are chosen by a letter. */
const LETTERS_FROM = 10;
const CHOICES = '0123456789abcdefghijklmnopqrstuvwxyz';

export class PaneNumbers implements ClientOverlay {
  readonly purpose = 'display-panes';
  readonly #context: CommandContext;
  readonly #client: ClientSession;
  readonly #request: PaneNumbersRequest;
  readonly #stop: () => void;
  #isDone = false;

  constructor(context: CommandContext, client: ClientSession, request: PaneNumbersRequest) {
    this.#context = context;
    this.#client = client;
    this.#request = request;
    this.#stop = request.durationMs > 0 ? context.services.after(request.durationMs, () => this.#end(OK)) : () => {};
  }

  get #window(): Window | undefined {
    const session = this.#client.session;
    return session && !session.isEmpty ? session.current.window : undefined;
  }

  models(): readonly OverlayModel[] {
    const window = this.#window;
    return window ? window.visiblePanes.flatMap((pane) => this.#numberOf(window, pane)) : [];
  }

  #numberOf(window: Window, pane: Pane): PaneNumberModel[] {
    const options = this.#client.session?.options ?? this.#context.registry.sessionOptions;
    const name = pane === window.active ? 'display-panes-active-colour' : 'display-panes-colour';
    const color = colorToCell(options.color(name));
    const { x, y, width, height } = pane.rect;
    const [left, top] = this.#offset();
    const place = { kind: 'pane-number', pane: { x: x - left, y: y - top, width, height }, color } as const;
    const index = window.options.number('pane-base-index') + pane.place;
    const number = String(index);
    const letter = index >= LETTERS_FROM ? (CHOICES[index] ?? '') : '';
    if (fitsLarge(number, { cols: width, rows: height })) {
      const size = `${width}x${height}`;
      return [
        { ...place, form: 'large', text: number },
        { ...place, form: 'corner', text: letter === '' ? size : `${letter} ${size}` },
      ];
    }
    const both = `${number} ${letter}`.trimEnd();
    if (width < number.length) return [];
    return [{ ...place, form: 'middle', text: width < both.length ? number : both }];
  }

  /** The window's cell at the top left of the screen. */
  #offset(): readonly [number, number] {
    const about = { client: this.#client };
    const read = (name: string) => Number(this.#context.expand(`#{${name}}`, about)) || 0;
    return [read('window_offset_x'), read('window_offset_y') - this.#context.services.windowTop(this.#client)];
  }

  input(event: InputEvent): 'consumed' | 'pass' {
    if (event.kind !== 'key' || this.#request.ignoresKeys) return 'pass';
    this.#end(this.#choose(event.key));
    return 'consumed';
  }

  #choose(key: string): CommandResult {
    const window = this.#window;
    const index = key.length === 1 ? CHOICES.indexOf(key) : -1;
    if (!window || index < 0) return OK;
    const pane = window.panes[index - window.options.number('pane-base-index')];
    if (!pane) return OK;
    window.unzoom();
    const filled = parseTemplate(this.#context, this.#request.template, [`%${pane.id}`]);
    if (!filled.ok) return failed(filled.error);
    this.#context.insert(filled.commands);
    return OK;
  }

  resize(): void {
    this.#context.services.overlays.refresh(this.#client);
  }

  #end(result: CommandResult): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#stop();
    this.#context.services.overlays.close(this.#client, this);
    this.#request.done(result);
  }

  close(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#stop();
    this.#request.done(OK);
  }
}
