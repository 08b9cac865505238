/** What a system call says when it fails, in the C library's words (strerror(3)), as tmux prints them. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  ECONNREFUSED: 'Connection refused',
  ENOTSOCK: 'Socket operation on non-socket',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
  EROFS: 'Read-only file system',
  ENOSPC: 'No space left on device',
  EMFILE: 'Too many open files',
  EAGAIN: 'Resource temporarily unavailable',
  EBADF: 'Bad file descriptor',
  EINVAL: 'Invalid argument',
  EIO: 'Input/output error',
  ECONNRESET: 'Connection reset by peer',
  EPIPE: 'Broken pipe',
  ENXIO: 'No such device or address',
  EPROTOTYPE: 'Protocol wrong type for socket',
};

/** The code of a system error such as `ENOENT`; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The reason alone, without call and path: `No such file or directory`; the code where it has no words here. */
export function systemReason(error: unknown): string {
  const code = systemCode(error);
  return (code && REASONS[code]) ?? code ?? (error instanceof Error ? error.message : String(error));
}
