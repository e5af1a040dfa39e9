import type { Certificate } from './certificate.js';

const MESSAGES: Readonly<Record<Exclude<Certificate['source'], 'directory'>, string>> = {
  uploaded:
    'The private key was encrypted with another SECRET_KEY. The operator can start this service with that key; otherwise upload the certificate again.',
  acme: 'The private key was encrypted with another SECRET_KEY. The operator can start this service with that key; otherwise the certificate is ordered again.',
};

/**
 * Returns a function that shows certificates as failed whose key cannot be decrypted. Only the view changes: the key may be
 * wrong by mistake, and the next start may have the right one.
 */
export function createKeyLossNotice(knownKeyIds: readonly string[]): (one: Certificate) => Certificate {
  const at = new Date().toISOString();
  return (one) => {
    const { served, keyId, source } = one;
    if (served === undefined || keyId === null || knownKeyIds.includes(keyId)) return one;
    // Those of the directory are not encrypted.
    if (source === 'directory') return one;
    return { ...one, state: 'failed', lastError: { code: 'KEY_LOST', message: MESSAGES[source], at } };
  };
}
