import { createHmac, createSecretKey } from 'node:crypto';
import { deriveKey } from '../config/secret-key.js';
import { cachedByText } from './text-cache.js';

/** The id of the visitor behind a full address and a user agent. Pure, and cached because visitors come again. */
export type VisitorIdentification = (address: string, userAgent: string) => string;

const KEY_PURPOSE = 'waymark visitor identity v1';
const VISITOR_ID_DIGITS = 16;
const MAX_CACHED_VISITORS = 20_000;
/** As much of a user agent as hits keep; what lies beyond does not count. */
const MAX_AGENT_LENGTH = 2048;
/** Stands between address and user agent; neither can hold it. */
const SEPARATOR = '\u0000';

/**
 * A visitor's id, 16 hexadecimal digits, is an HMAC-SHA-256 under a key derived from the installation's secret: whoever
 * has only the stored hits cannot try all addresses against it. The same secret gives the same ids in every process.
 */
export function createVisitorIdentification(secret: Buffer): VisitorIdentification {
  const key = createSecretKey(deriveKey(secret, KEY_PURPOSE));
  // All digits and then some of them: to make a Buffer of the digest takes a third as long again.
  const identify = cachedByText(
    (visitor) => createHmac('sha256', key).update(visitor).digest('hex').slice(0, VISITOR_ID_DIGITS),
    MAX_CACHED_VISITORS,
  );
  return (address, userAgent) => identify(address + SEPARATOR + userAgent.slice(0, MAX_AGENT_LENGTH));
}
