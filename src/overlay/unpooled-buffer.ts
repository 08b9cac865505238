/**
 * Must be imported before @xterm/addon-unicode-graphemes 0.4.0. The addon reads its tables with
 * `new DataView(Buffer.from(…).buffer)` and forgets `byteOffset`: if Node's Buffer pool was used before, it reads
 * somebody else's bytes and every emoji becomes one column wide. Without a pool each Buffer starts at offset 0.
 * text-width.ts puts the size back and checks the tables.
 */
export const BUFFER_POOL_SIZE = Buffer.poolSize;

Buffer.poolSize = 0;
