/** The prompt of command-prompt and confirm-before on a client: one question after the other in the status row. */
import type { CellStyle } from '../../../protocol/cell.ts';
import { cleanText } from '../../../protocol/clean-text.ts';
import { ANSWER_MAX } from '../../../protocol/dialog.ts';
import type { InputEvent } from '../../../protocol/key.ts';
import { insertText } from '../../../src/overlay/line-editor.ts';
import type { OverlayModel, OverlayOutcome } from '../../../src/overlay/overlay.ts';
import {
  createPrompt,
  type PromptModel,
  type PromptPlace,
  updatePrompt,
  withPromptText,
} from '../../../src/overlay/prompt.ts';
import type { ClientOverlay, ClientSession } from '../../model/client-session.ts';
import type { PromptQuestion, PromptState, Reopening } from '../../model/reopening.ts';
import { statusLines } from '../../model/window-size.ts';
import { DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE, parseStyle, textStyleToCell } from '../../options/style.ts';
import type { PromptType } from '../prompt-history.ts';
import type { CommandContext, Services } from './context.ts';

/** Longest label, code points. */
const LABEL_MAX = 500;

export interface PromptRequest {
  readonly purpose: 'command-prompt' | 'confirm-before';
  readonly mode: PromptModel['mode'];
  /** At least one. */
  readonly questions: readonly PromptQuestion[];
  readonly type: PromptType;
  /** Each change is told (command-prompt -i). */
  readonly incremental?: boolean;
  /** The character that confirms, and whether Enter does too (mode confirm). */
  readonly confirmKey?: string | undefined;
  readonly enterConfirms?: boolean;
  /** Tab: what the text becomes; undefined leaves it. */
  readonly complete?: (text: string) => string | undefined;
  readonly style: CellStyle;
  /** `prefix` is how the text came to be: `=` by typing, `-` and `+` by C-r and C-s. */
  readonly changed?: (text: string, prefix: '=' | '-' | '+') => void;
  /** The answers, or undefined when it was dismissed. Called once; `unusedKey` is still to be typed. */
  readonly done: (answers: readonly string[] | undefined, unusedKey?: string) => void;
  /** How the next server asks again; absent where it does not. */
  readonly reopening?: ((state: PromptState) => Reopening | undefined) | undefined;
  /** What the prompt was under an earlier server; its questions are those of the request then. */
  readonly reopened?: PromptState | undefined;
}

export class PromptOverlay implements ClientOverlay {
  readonly purpose: string;
  readonly #services: Services;
  readonly #client: ClientSession;
  readonly #request: PromptRequest;
  readonly #answers: string[];
  #model: PromptModel;
  #isDone = false;

  constructor(services: Services, client: ClientSession, request: PromptRequest) {
    this.purpose = request.purpose;
    this.#services = services;
    this.#client = client;
    this.#request = request;
    const { reopened } = request;
    this.#answers = [...(reopened?.answers ?? [])];
    const model = this.#ask(this.#answers.length);
    this.#model = reopened ? resumePrompt(model, reopened) : model;
  }

  reopening(): Reopening | undefined {
    const { questions, reopening } = this.#request;
    const { editor, vi } = this.#model;
    return reopening?.({
      kind: 'prompt',
      questions,
      answers: this.#answers,
      text: editor.text,
      cursor: editor.cursor,
      isViCommand: vi?.mode === 'command',
      template: null,
    });
  }

  #ask(index: number): PromptModel {
    const { purpose, mode, questions, type, style, incremental = false } = this.#request;
    const { confirmKey, enterConfirms = false } = this.#request;
    const { label = '', initial = '' } = questions[index] ?? {};
    return createPrompt({
      purpose,
      mode,
      label,
      // An incremental search begins empty; C-r and C-s bring the earlier text back.
      initial: incremental ? '' : initial,
      history: this.#services.promptHistory.lines(type),
      place: promptPlace(this.#client),
      style,
      incremental,
      viCommandStyle: this.#viCommandStyle(),
      ...(confirmKey === undefined ? {} : { confirmKey }),
      enterConfirms,
    });
  }

  /** With status-keys vi: how command mode looks. */
  #viCommandStyle(): CellStyle | undefined {
    const options = this.#client.session?.options;
    if (options?.choice('status-keys') !== 'vi') return undefined;
    return textStyleToCell(options.style('message-command-style') ?? DEFAULT_STYLE_VALUE);
  }

  models(): readonly OverlayModel[] {
    return [this.#model];
  }

  input(event: InputEvent): 'consumed' | 'pass' {
    if (event.kind === 'mouse' || event.kind === 'focus') return 'pass';
    if (event.kind === 'key' && this.#ownKey(event.key)) return 'consumed';
    const { model, outcome } = updatePrompt(this.#model, event, this.#client.size);
    this.#model = model;
    this.#follow(outcome);
    return 'consumed';
  }

  /** Keys that need more than the line itself. */
  #ownKey(key: string): boolean {
    const { complete, incremental = false, questions } = this.#request;
    if (this.#model.mode !== 'text') return false;
    const isViCommand = this.#model.vi?.mode === 'command';
    if (isViCommand && key !== 'p') return false;
    if (key === 'Tab') {
      const text = complete?.(this.#model.editor.text);
      if (text !== undefined) this.#replaceText(text);
      return true;
    }
    if ((key === 'C-y' || isViCommand) && this.#model.editor.killed === '') {
      const text = cleanText(this.#services.registry.buffers.newest()?.text.split('\n')[0] ?? '', { max: ANSWER_MAX });
      this.#model = { ...this.#model, editor: insertText(this.#model.editor, text) };
      this.#services.overlays.refresh(this.#client);
      return true;
    }
    if (isViCommand || !incremental || (key !== 'C-r' && key !== 'C-s')) return false;
    const earlier = this.#model.editor.text === '' ? questions[0]?.initial : undefined;
    if (earlier !== undefined) this.#replaceText(earlier);
    this.#request.changed?.(this.#model.editor.text, earlier !== undefined ? '=' : key === 'C-r' ? '-' : '+');
    return true;
  }

  #replaceText(text: string): void {
    this.#model = withPromptText(this.#model, text);
    this.#services.overlays.refresh(this.#client);
  }

  #follow(outcome: OverlayOutcome): void {
    switch (outcome.kind) {
      case 'open':
        break;
      case 'change':
        this.#request.changed?.(outcome.value, '=');
        break;
      case 'dismiss':
        this.#finish(undefined);
        return;
      case 'accept':
        this.#accept(String(outcome.value ?? ''), outcome.unusedKey);
        return;
    }
    this.#services.overlays.refresh(this.#client);
  }

  #accept(answer: string, unusedKey: string | undefined): void {
    const { type, questions } = this.#request;
    if (this.#model.mode === 'text') {
      const limit = this.#services.registry.serverOptions.number('prompt-history-limit');
      this.#services.promptHistory.add(type, answer, limit);
    }
    this.#answers.push(answer);
    if (this.#answers.length >= questions.length) {
      this.#finish(this.#answers, unusedKey);
      return;
    }
    this.#model = this.#ask(this.#answers.length);
    this.#services.overlays.refresh(this.#client);
  }

  #finish(answers: readonly string[] | undefined, unusedKey?: string): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#services.overlays.close(this.#client, this);
    this.#request.done(answers, unusedKey);
  }

  close(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#request.done(undefined);
  }
}

function resumePrompt(model: PromptModel, { text, cursor, isViCommand }: PromptState): PromptModel {
  const { editor, vi } = withPromptText(model, text);
  return {
    ...model,
    editor: { ...editor, cursor: Math.min(cursor, editor.text.length) },
    vi: vi && isViCommand ? { ...vi, mode: 'command' } : vi,
  };
}

/** The last row of the status lines, or the row at the screen's edge where there are none. */
export function promptPlace(client: ClientSession): PromptPlace {
  const { session } = client;
  if (session?.options.choice('status-position') !== 'top') return { edge: 'bottom', line: 0 };
  return { edge: 'top', line: Math.max(0, statusLines(session) - 1) };
}

/** Option message-style as cells have it. */
export function messageStyle(context: Pick<CommandContext, 'registry' | 'expand'>, client: ClientSession): CellStyle {
  const options = client.session?.options ?? context.registry.sessionOptions;
  const text = context.expand(options.string('message-style'), { client });
  return textStyleToCell(parseStyle(text, DEFAULT_STYLE_VALUE, DEFAULT_TEXT_STYLE) ?? DEFAULT_STYLE_VALUE);
}

/** A label: the format expanded, its styles left out. */
export function promptLabel(context: CommandContext, client: ClientSession, format: string): string {
  return cleanText(context.expand(format, { client }).replace(/#\[[^\]]*\]/g, ''), { max: LABEL_MAX });
}

export interface Confirm {
  readonly question: string;
  readonly services: Services;
  readonly expand: CommandContext['expand'];
  readonly yes: () => void;
}

/** Asks in the client's status row whether to go on; anything but y ends it without a word. */
export function openConfirm(client: ClientSession, { question, services, expand, yes }: Confirm): void {
  const overlay = new PromptOverlay(services, client, {
    purpose: 'confirm-before',
    mode: 'confirm',
    questions: [{ label: `${question} (y/n) `, initial: '' }],
    type: 'command',
    style: messageStyle({ registry: services.registry, expand }, client),
    done: (answers) => {
      if (answers) yes();
    },
  });
  services.overlays.open(client, overlay);
}
