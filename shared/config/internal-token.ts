import { deriveKey } from './secret-key.js';

const PURPOSE = 'waymark internal API token v1';

/**
 * The bearer token by which processes of one installation know each other: derived from the secret they share, it
 * tells nothing about it and opens nothing that users reach.
 */
export function deriveInternalToken(secret: Buffer): string {
  return deriveKey(secret, PURPOSE).toString('base64url');
}
