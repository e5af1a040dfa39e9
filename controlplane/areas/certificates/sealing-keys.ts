import { createHash } from 'node:crypto';
import {
  type CertificateSealing,
  createCertificateSealing,
} from '../../../shared/certificates/certificate-sealing.js';
import { deriveKey } from '../../../shared/config/secret-key.js';

/** The keys that certificates are encrypted with, and their names in rows. */
export interface SealingKeys {
  /** Seals with the current SECRET_KEY, and opens what replaced ones sealed. */
  readonly sealing: CertificateSealing;
  /** Names the current key. */
  readonly keyId: string;
  /** Names the current key and the replaced ones. What another key sealed cannot be opened. */
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
