import { createHash } from 'node:crypto';
import {
  type CertificateSealing,
  createCertificateSealing,
} from '../../../shared/certificates/certificate-sealing.js';
import { deriveKey } from '../../../shared/config/secret-key.js';
import type { Certificate } from './certificate.js';

/** The keys that certificates are encrypted with, and their names in rows. */
export interface SealingKeys {
  /** Encrypts with the current SECRET_KEY. Decrypts also the data of replaced ones. */
  readonly sealing: CertificateSealing;
  /** Names the current key. */
  readonly keyId: string;
  /** Names the current key and the replaced ones. Data of any other key cannot be decrypted. */
  readonly knownKeyIds: readonly string[];
}

/** @param previous secrets that `secret` replaces */
export function createSealingKeys(secret: Buffer, previous: readonly Buffer[]): SealingKeys {
  const knownKeyIds = [secret, ...previous].map(keyIdOf);
  return {
    sealing: createCertificateSealing(secret, previous),
    keyId: keyIdOf(secret),
    knownKeyIds,
  };
}

/** Names the secret without telling anything about it. */
function keyIdOf(secret: Buffer): string {
  return createHash('sha256')
    .update(deriveKey(secret, 'waymark certificate key id'))
    .digest('hex')
    .slice(0, 16);
}

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
