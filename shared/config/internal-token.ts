import { deriveKey } from './secret-key.js';

const PURPOSE = 'waymark internal API token v1';

/**
 * Returns the bearer token with which processes of one installation recognise each other. It is derived from the
 * shared secret, does not reveal it, and gives access to nothing that users reach.
 */
export function deriveInternalToken(secret: Buffer): string {
  return deriveKey(secret, PURPOSE).toString('base64url');
}
