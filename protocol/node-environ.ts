/**
 * Variables that change how Node itself starts: `NODE_OPTIONS` may make it fail or wait for a debugger, and
 * `NODE_EXTRA_CA_CERTS` makes every start read and check certificates that mplex has no use for, which takes longer than
 * all the rest of a start. mplex's own processes start without them and then see the environment as it was given.
 * On the way a variable is called `MPLEX_KEPT_NAME`; bin/mplex and native/become-node.c do the same. Pure.
 */
const HIDDEN = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'] as const;
const KEPT_PREFIX = 'MPLEX_KEPT_';

type Environ = Record<string, string | undefined>;

/** A copy for a Node process of mplex's own. */
export function hideNodeVariables(environ: Readonly<Environ>): Environ {
  const result = { ...environ };
  for (const name of HIDDEN) {
    const value = result[name];
    if (value === undefined) continue;
    result[KEPT_PREFIX + name] = value;
    delete result[name];
  }
  return result;
}

/** Gives kept variables their names back, in place (of `process.env`). */
export function restoreNodeVariables(environ: Environ): void {
  for (const name of HIDDEN) {
    const value = environ[KEPT_PREFIX + name];
    if (value === undefined) continue;
    environ[name] = value;
    delete environ[KEPT_PREFIX + name];
  }
}
