import { readFileSync } from 'node:fs';

/** A user's home directory from passwd(5) text; undefined for an unknown user. */
export function findHomeDirectory(passwd: string, user: string): string | undefined {
  for (const line of passwd.split('\n')) {
    const fields = line.split(':');
    if (fields[0] === user && fields.length >= 6) return fields[5];
  }
  return undefined;
}

/** A user's home directory on this machine, for `~user`; undefined where it cannot be told. */
export function homeDirectoryOf(user: string): string | undefined {
  try {
    return findHomeDirectory(readFileSync('/etc/passwd', 'utf8'), user);
  } catch {
    return undefined;
  }
}
