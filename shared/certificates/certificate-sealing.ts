import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from '../config/secret-key.js';
import { isObject } from '../rules/is-object.js';
import type { CertificateMaterial } from './certificate-material.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'waymark certificates v1';

/** Encrypts certificates with their private keys, for transport to data planes and for the data planes' disks. */
export interface CertificateSealing {
  /** Returns base64 of nonce, ciphertext and tag. The fingerprint is authenticated with it. */
  seal(fingerprint: string, material: CertificateMaterial): string;
  /** @throws {UnreadableCertificateError} if it was sealed with an unknown key or another fingerprint, or is damaged */
  open(fingerprint: string, sealed: string): CertificateMaterial;
  /** Seals it again with the current key. Returns undefined if it has the current key already. Throws like `open`. */
  renew(fingerprint: string, sealed: string): string | undefined;
  /** Whether previous keys exist. */
  readonly hasPrevious: boolean;
}

/** Error for a sealed certificate that cannot be opened. Its message has no part of the content. */
export class UnreadableCertificateError extends Error {
  override name = 'UnreadableCertificateError';
}

/**
 * @param secret the secret of the installation: see `loadSecretKey`
 * @param previous secrets that it replaces. Certificates sealed with them can be opened
 */
export function createCertificateSealing(
  secret: Buffer,
  previous: readonly Buffer[] = [],
): CertificateSealing {
  const key = deriveKey(secret, PURPOSE);
  const oldKeys = previous.map((one) => deriveKey(one, PURPOSE));

  function seal(fingerprint: string, { certificate, privateKey }: CertificateMaterial): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(fingerprint));
    const encrypted = cipher.update(JSON.stringify({ certificate, privateKey }), 'utf8');
    return Buffer.concat([nonce, encrypted, cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  function open(fingerprint: string, sealed: string) {
    const bytes = Buffer.from(sealed, 'base64');
    for (const candidate of [key, ...oldKeys]) {
      try {
        const material = asMaterial(JSON.parse(decrypt(candidate, fingerprint, bytes)));
        return { material, isCurrent: candidate === key };
      } catch {
        // Sealed with another key, or damaged.
      }
    }
    throw new UnreadableCertificateError(
      `The certificate ${fingerprint} cannot be decrypted: it is damaged or was encrypted with another SECRET_KEY.`,
    );
  }

  return {
    seal,
    open: (fingerprint, sealed) => open(fingerprint, sealed).material,
    renew(fingerprint, sealed) {
      const { material, isCurrent } = open(fingerprint, sealed);
      return isCurrent ? undefined : seal(fingerprint, material);
    },
    hasPrevious: oldKeys.length > 0,
  };
}

function decrypt(key: Buffer, fingerprint: string, bytes: Buffer): string {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(-TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(fingerprint)).setAuthTag(tag);
  const decrypted = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([decrypted, decipher.final()]).toString('utf8');
}

function asMaterial(value: unknown): CertificateMaterial {
  if (!isObject(value)) throw new Error('not an object');
  const { certificate, privateKey } = value;
  if (typeof certificate !== 'string' || typeof privateKey !== 'string') throw new Error('not PEM');
  return { certificate, privateKey };
}
