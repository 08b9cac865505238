/** What native/launcher.c has done before it became this process; see there. */

export type Launch =
  | { readonly kind: 'nothing' }
  /** The call was made and handed over: attach with the token. */
  | { readonly kind: 'token'; readonly token: string }
  /**
   * A server was started; it tells on `readyFd` that it is ready, or why not. `callFd` is a connection to it on which the
   * call was made already.
   */
  | { readonly kind: 'started'; readonly readyFd: number; readonly callFd: number | undefined };

const VARIABLE = 'MPLEX_LAUNCH';

/** Reads the launcher's word and removes it: it is meant for one process. */
export function takeLaunch(environ: Record<string, string | undefined>): Launch {
  const word = environ[VARIABLE];
  delete environ[VARIABLE];
  const token = /^token=([\w-]{1,200})$/.exec(word ?? '')?.[1];
  if (token !== undefined) return { kind: 'token', token };
  const [, readyFd, callFd] = /^ready-fd=([1-9]\d{0,4})(?:,call-fd=([1-9]\d{0,4}))?$/.exec(word ?? '') ?? [];
  if (readyFd === undefined) return { kind: 'nothing' };
  return { kind: 'started', readyFd: Number(readyFd), callFd: callFd === undefined ? undefined : Number(callFd) };
}
