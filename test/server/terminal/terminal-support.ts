import { blankRow, rowText } from '../../../protocol/cell.ts';
import { Emulator, type EmulatorHandlers } from '../../../server/terminal/emulator.ts';
import type { BudgetShare } from '../../../server/terminal/history-budget.ts';
import type { HostTerminal } from '../../../server/terminal/replies.ts';

export interface Harness {
  readonly emulator: Emulator;
  /** What was answered to the program, one string an answer. */
  readonly replies: string[];
  /** Errors that handlers or the parser had. */
  readonly failures: unknown[];
  clock: { now: number };
  write(text: string | Uint8Array): void;
  /** The screen's rows, trailing blanks cut. */
  lines(): string[];
  history(): string[];
}

export function startEmulator(
  cols: number,
  rows: number,
  options: {
    scrollback?: number;
    handlers?: Partial<EmulatorHandlers>;
    budget?: BudgetShare;
    hasKittyKeys?: () => boolean;
    host?: () => HostTerminal;
  } = {},
): Harness {
  const replies: string[] = [];
  const failures: unknown[] = [];
  const clock = { now: 0 };
  const emulator = new Emulator({
    size: { cols, rows },
    scrollback: options.scrollback ?? 100,
    budget: options.budget,
    now: () => clock.now,
    ...(options.hasKittyKeys && { hasKittyKeys: options.hasKittyKeys }),
    ...(options.host && { host: options.host }),
    handlers: {
      reply: (bytes) => replies.push(bytes),
      failed: (error) => failures.push(error),
      ...options.handlers,
    },
  });
  return {
    emulator,
    replies,
    failures,
    clock,
    write: (text) => emulator.write(typeof text === 'string' ? Buffer.from(text) : text),
    lines: () => screenLines(emulator),
    history: () => historyLines(emulator),
  };
}

export function screenLines(emulator: Emulator): string[] {
  const row = blankRow(emulator.size.cols);
  return Array.from({ length: emulator.size.rows }, (_, y) => {
    emulator.screenRow(y, row);
    return rowText(row).trimEnd();
  });
}

export function historyLines(emulator: Emulator): string[] {
  const row = blankRow(emulator.size.cols);
  return Array.from({ length: emulator.historyLength }, (_, index) => {
    emulator.historyRow(index, row);
    return rowText(row).trimEnd();
  });
}
