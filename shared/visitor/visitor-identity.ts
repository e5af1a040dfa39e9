import { createHmac } from 'node:crypto';
import { deriveKey } from '../config/secret-key.js';
import { addressPrefix } from './address-prefix.js';
import { cachedByText } from './text-cache.js';

/** What is stored of who a visitor is. */
export interface VisitorIdentity {
  /** Keyed hash of address and user agent, 16 hexadecimal digits. */
  readonly visitorId: string;
  /** The address cut to /24 (IPv4) or /48 (IPv6); empty when it is no address. */
  readonly addressPrefix: string;
}

/** The identity behind a full address and a user agent. Pure, and cached because visitors come again. */
export type VisitorIdentification = (address: string, userAgent: string) => VisitorIdentity;

const KEY_PURPOSE = 'waymark visitor identity v1';
const VISITOR_ID_BYTES = 8;
const MAX_CACHED_VISITORS = 20_000;
/** As much of a user agent as hits keep; what lies beyond does not count. */
const MAX_AGENT_LENGTH = 2048;
/** Stands between address and user agent; neither can hold it. */
const SEPARATOR = '\u0000';

/**
 * A visitor's id is an HMAC-SHA-256 under a key derived from the installation's secret: whoever has only the
 * stored hits cannot try all addresses against it. The same secret gives the same ids in every process.
 */
export function createVisitorIdentification(secret: Buffer): VisitorIdentification {
  const key = deriveKey(secret, KEY_PURPOSE);
  const identify = cachedByText<VisitorIdentity>(
    (visitor) => ({
      visitorId: createHmac('sha256', key).update(visitor).digest().toString('hex', 0, VISITOR_ID_BYTES),
      addressPrefix: addressPrefix(visitor.slice(0, visitor.indexOf(SEPARATOR))),
    }),
    MAX_CACHED_VISITORS,
  );
  return (address, userAgent) => identify(address + SEPARATOR + userAgent.slice(0, MAX_AGENT_LENGTH));
}
