/**
 * A file of the journal: `mplexjnl`, u32 version, u32 length, SHA-256 over the file's name and the bytes, the bytes. A file
 * that is torn, flipped, of another version or under another's name is told from a whole one.
 */
import { createHash } from 'node:crypto';

const MAGIC = Buffer.from('mplexjnl');
/** Changes with any change of the form of the files. */
const RECORD_VERSION = 1;
const DIGEST_BYTES = 32;
const HEADER_BYTES = MAGIC.length + 8 + DIGEST_BYTES;

export type OpenedRecord =
  | { readonly ok: true; readonly payload: Buffer }
  /** `reason` in a few words: `cut short`, `of version 9`. */
  | { readonly ok: false; readonly reason: string };

/** The file's bytes. */
export function sealRecord(name: string, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(RECORD_VERSION, MAGIC.length);
  header.writeUInt32LE(payload.length, MAGIC.length + 4);
  digestOf(name, payload).copy(header, MAGIC.length + 8);
  return Buffer.concat([header, payload]);
}

/** What `sealRecord` was given, if the file is as it was written. */
export function openRecord(name: string, bytes: Buffer): OpenedRecord {
  if (bytes.length < HEADER_BYTES) return { ok: false, reason: 'cut short' };
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return { ok: false, reason: 'not a journal' };
  const version = bytes.readUInt32LE(MAGIC.length);
  if (version !== RECORD_VERSION) return { ok: false, reason: `of version ${version}` };
  const length = bytes.readUInt32LE(MAGIC.length + 4);
  const payload = bytes.subarray(HEADER_BYTES);
  if (payload.length !== length) return { ok: false, reason: payload.length < length ? 'cut short' : 'too long' };
  const digest = bytes.subarray(MAGIC.length + 8, HEADER_BYTES);
  return digest.equals(digestOf(name, payload)) ? { ok: true, payload } : { ok: false, reason: 'checksum is wrong' };
}

function digestOf(name: string, payload: Uint8Array): Buffer {
  return createHash('sha256').update(name).update('\0').update(payload).digest();
}
