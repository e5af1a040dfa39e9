import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, type SecretKeys } from '../../shared/config/secret-key.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts texts of rows. Each is bound to its row, so a ciphertext cannot be moved to another row. */
export interface RowCipher {
  encrypt(text: string, rowKey: Buffer): Buffer;
  /** @throws when the bytes were made with an unknown key or for another row */
  decrypt(bytes: Buffer, rowKey: Buffer): string;
  /** Returns the text encrypted with the current key, or undefined if it is already. Throws as `decrypt` does. */
  renew(bytes: Buffer, rowKey: Buffer): Buffer | undefined;
}

/**
 * Stores nonce, tag and ciphertext, in this order.
 *
 * @param purpose separates the keys of this cipher from the keys of others
 */
export function createRowCipher({ current, previous }: SecretKeys, purpose: string): RowCipher {
  const key = deriveKey(current, purpose);
  const oldKeys = previous.map((secret) => deriveKey(secret, purpose));

  function encrypt(text: string, rowKey: Buffer): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(rowKey);
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
  }

  function decrypt(bytes: Buffer, rowKey: Buffer): { readonly text: string; readonly isCurrent: boolean } {
    let failure: unknown;
    for (const candidate of [key, ...oldKeys]) {
      try {
        return { text: decryptWith(candidate, bytes, rowKey), isCurrent: candidate === key };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  return {
    encrypt,
    decrypt: (bytes, rowKey) => decrypt(bytes, rowKey).text,
    renew(bytes, rowKey) {
      const { text, isCurrent } = decrypt(bytes, rowKey);
      return isCurrent ? undefined : encrypt(text, rowKey);
    },
  };
}

function decryptWith(key: Buffer, bytes: Buffer, rowKey: Buffer): string {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(rowKey)
    .setAuthTag(tag);
  const encrypted = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
}
