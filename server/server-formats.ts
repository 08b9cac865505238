import { hostname } from 'node:os';
import { TMUX_VERSION, VERSION } from '../protocol/version.ts';
import { expandFormat } from './format/format-expand.ts';
import { type FormatContext, formatSource } from './format/format-variables.ts';
import type { FormatJobs } from './jobs/format-jobs.ts';
import { procfsProbe } from './jobs/processes.ts';
import type { ClientSession } from './model/client-session.ts';
import type { Registry } from './model/registry.ts';
import { fitClient } from './render/window-fit.ts';

export interface ServerFormatParts {
  readonly registry: Registry;
  readonly socketPath: string;
  /** Who runs `#()`. */
  readonly jobs: () => FormatJobs;
}

/** Formats with the clock, the `#()` jobs and the names of this server. */
export class ServerFormats {
  readonly #parts: ServerFormatParts;

  constructor(parts: ServerFormatParts) {
    this.#parts = parts;
  }

  /** Expands a format about something. */
  expand(format: string, about: Partial<FormatContext>): string {
    return expandFormat(format, formatSource(this.context(about)), { time: true });
  }

  context(about: Partial<FormatContext>): FormatContext {
    const { registry, socketPath, jobs } = this.#parts;
    return {
      registry,
      job: (command) => jobs().output(command),
      now: new Date(),
      version: TMUX_VERSION,
      ownVersion: VERSION,
      pid: process.pid,
      socketPath,
      host: hostname(),
      processes: procfsProbe,
      viewOffset,
      ...about,
    };
  }
}

/** The window's cell at a client's top left corner. */
function viewOffset(client: ClientSession): { x: number; y: number } {
  const { session } = client;
  if (!session || session.isEmpty) return { x: 0, y: 0 };
  return fitClient(client, session, session.current.window).offset;
}
