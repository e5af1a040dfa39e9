import { deriveKey } from '../config/secret-key.js';
import { visitorNetwork } from './address-prefix.js';
import { createHmacSha256 } from './hmac-sha256.js';
import { cachedByText } from './text-cache.js';

/**
 * Computes the visitor's stored id from a full address and a user agent: 16 hexadecimal digits. Pure. All addresses of one
 * IPv6 /64 give the same id.
 */
export type VisitorIdentification = (address: string, userAgent: string) => string;

const KEY_PURPOSE = 'waymark visitor identity v1';
const VISITOR_ID_DIGITS = 16;
const MAX_CACHED_VISITORS = 20_000;
/** UTF-16 units of a user agent that hits store. The rest is ignored here too. */
const MAX_AGENT_LENGTH = 2048;
/** Separates address and user agent. Neither can contain it. */
const SEPARATOR = '\u0000';

/**
 * Creates the identification that statistics, sticky variants and the rule test share. An id is an HMAC-SHA-256 under a
 * key derived from the installation's secret, so addresses cannot be found from stored hits alone by trying all of
 * them. The same secret gives the same ids in every process. One id takes about 1 µs.
 */
export function createVisitorIdentification(secret: Buffer): VisitorIdentification {
  const hmac = createHmacSha256(deriveKey(secret, KEY_PURPOSE));
  return (address, userAgent) => hmac(nameOf(visitorNetwork(address), userAgent)).slice(0, VISITOR_ID_DIGITS);
}

/** Wraps `identify` with a cache of recent visitors, for sticky choices, because their visitors return. */
export function rememberVisitors(identify: VisitorIdentification): VisitorIdentification {
  const idOf = cachedByText((name) => {
    const end = name.indexOf(SEPARATOR);
    return identify(name.slice(0, end), name.slice(end + 1));
  }, MAX_CACHED_VISITORS);
  return (address, userAgent) => idOf(nameOf(address, userAgent));
}

function nameOf(address: string, userAgent: string): string {
  return address + SEPARATOR + userAgent.slice(0, MAX_AGENT_LENGTH);
}
