/**
 * Paths that mean a descriptor of whoever opens them (`/dev/stdin`, `/dev/fd/63` as shells write `<(…)`), for a server that
 * is to open them in a caller's place (Linux, proc(5)). native/start-server.c does the same for `-f`.
 */
const DESCRIPTOR = /^\/(?:(?:dev|proc\/self)\/fd\/(\d{1,7})|dev\/std(in|out|err))$/;
const STANDARD: Readonly<Record<string, number>> = { in: 0, out: 1, err: 2 };

/** The descriptor that a path means; undefined for every other path. */
export function descriptorOf(path: string): number | undefined {
  const [, digits, name] = DESCRIPTOR.exec(path) ?? [];
  if (digits !== undefined) return Number(digits);
  return name === undefined ? undefined : STANDARD[name];
}

/** The path under which other processes open what `path` is to process `pid`. */
export function pathInProcess(path: string, pid: number): string {
  const descriptor = descriptorOf(path);
  return descriptor === undefined ? path : `/proc/${pid}/fd/${descriptor}`;
}
