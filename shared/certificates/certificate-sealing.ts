import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from '../config/secret-key.js';
import { isObject } from '../rules/is-object.js';
import type { CertificateMaterial } from './certificate-material.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'waymark certificates v1';

/** Encrypts certificates with their private keys, for the way to data planes and for their disks. */
export interface CertificateSealing {
  /** Returns base64 of nonce, ciphertext and tag. The fingerprint is authenticated with it. */
  seal(fingerprint: string, material: CertificateMaterial): string;
  /** @throws {UnreadableCertificateError} when it was sealed with another key, under another name, or is damaged */
  open(fingerprint: string, sealed: string): CertificateMaterial;
}

/** A sealed certificate cannot be opened. Its message holds nothing of the content. */
export class UnreadableCertificateError extends Error {
  override name = 'UnreadableCertificateError';
}

/** @param secret the secret of the installation: see `loadSecretKey` */
export function createCertificateSealing(secret: Buffer): CertificateSealing {
  const key = deriveKey(secret, PURPOSE);
  return {
    seal(fingerprint, { certificate, privateKey }) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(fingerprint));
      const encrypted = cipher.update(JSON.stringify({ certificate, privateKey }), 'utf8');
      return Buffer.concat([nonce, encrypted, cipher.final(), cipher.getAuthTag()]).toString('base64');
    },
    open(fingerprint, sealed) {
      try {
        return asMaterial(JSON.parse(decrypt(key, fingerprint, Buffer.from(sealed, 'base64'))));
      } catch {
        throw new UnreadableCertificateError(
          `The certificate ${fingerprint} cannot be decrypted: it is damaged or was encrypted with another SECRET_KEY.`,
        );
      }
    },
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
