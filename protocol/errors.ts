/** Every error code that crosses a process boundary. The first seven are the control socket's; the rest are local. */
export type ErrorCode =
  | 'bad_request'
  | 'busy'
  | 'no_client'
  | 'no_pane'
  | 'too_many'
  | 'not_found'
  | 'forbidden'
  | 'usage'
  | 'command'
  | 'protocol'
  | 'io';

/** A mistake of the user's or of a peer's, told in one line: lower case, no full stop, the value named. */
export class MplexError extends Error {
  override readonly name = 'MplexError';
  readonly code: ErrorCode;
  /** JSON pointer into the request that was wrong, for example `/options/3`. */
  readonly path: string | undefined;

  constructor(code: ErrorCode, message: string, path?: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}
