import { userInfo } from 'node:os';
import { Environ } from './model/environ.ts';
import { Registry } from './model/registry.ts';
import { environmentDefaults, globalOptions } from './options/option-set.ts';
import type { OptionChecks } from './options/option-value.ts';
import { defaultTerminal } from './panes/pane-environ.ts';

/** The registry a server starts with: tmux's default options, adapted to the machine. */
export function createRegistry(environ: Readonly<Record<string, string | undefined>>, checks: OptionChecks): Registry {
  const shell = environ.SHELL || loginShell() || '/bin/sh';
  const overrides = { ...environmentDefaults(environ, shell), 'default-terminal': defaultTerminal(environ) };
  return new Registry({
    environ: Environ.from(Object.entries(environ).map(([name, value]) => `${name}=${value ?? ''}`)),
    now: () => Date.now() / 1000,
    options: {
      server: globalOptions('server', { overrides, checks }),
      session: globalOptions('session', { overrides, checks }),
      window: globalOptions('window', { overrides, checks }),
    },
  });
}

/** The passwd entry's shell; a container's user may have none. */
function loginShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined;
  } catch {
    return undefined;
  }
}
