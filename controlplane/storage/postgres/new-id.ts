import { randomBytes } from 'node:crypto';

// Crockford's base 32 without the letters that are read as digits; in lower case.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 16;

/** Random bytes that are not used yet. A call of `randomBytes` costs about the same for few bytes as for many. */
let pool = Buffer.alloc(0);
const POOL_BYTES = 4_096;

/** Returns random bytes. Each byte of the pool is used once. */
export function takeRandomBytes(count: number): Buffer {
  if (pool.length < count) pool = randomBytes(POOL_BYTES);
  const taken = pool.subarray(0, count);
  pool = pool.subarray(count);
  return taken;
}

/** A random identifier of 16 characters (80 bits): not guessable, short in URLs, rows and memory. */
export function newId(): string {
  let id = '';
  for (const byte of takeRandomBytes(ID_LENGTH)) id += ALPHABET[byte & 31];
  return id;
}
