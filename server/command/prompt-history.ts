/** Lines that were entered at prompts, by type (tmux(1) command-prompt -T). They live as long as the server, longer with history-file. */
export const PROMPT_TYPES = ['command', 'search', 'target', 'window-target'] as const;
export type PromptType = (typeof PROMPT_TYPES)[number];

export function parsePromptType(text: string): PromptType | undefined {
  return PROMPT_TYPES.find((type) => type === text);
}

export class PromptHistory {
  readonly #lines = new Map<PromptType, string[]>();

  /** Lines of a type, newest last. */
  lines(type: PromptType): readonly string[] {
    return this.#lines.get(type) ?? [];
  }

  /** Adds a line unless it is the newest already; keeps `limit` lines (option prompt-history-limit). */
  add(type: PromptType, line: string, limit: number): void {
    const lines = this.#lines.get(type) ?? [];
    if (line === '' || lines.at(-1) === line) return;
    lines.push(line);
    if (lines.length > limit) lines.splice(0, lines.length - limit);
    this.#lines.set(type, lines);
  }

  clear(type: PromptType): void {
    this.#lines.delete(type);
  }
}
