import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts stored answers; each is bound to its row, so that rows cannot be exchanged. */
export interface AnswerCipher {
  encrypt(text: string, rowKey: Buffer): Buffer;
  /** @throws when the bytes were made with another key or for another row */
  decrypt(bytes: Buffer, rowKey: Buffer): string;
}

/** `key`: 32 bytes. What is stored is nonce, tag and ciphertext, in this order. */
export function createAnswerCipher(key: Buffer): AnswerCipher {
  return {
    encrypt(text, rowKey) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(rowKey);
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
    },
    decrypt(bytes, rowKey) {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(rowKey)
        .setAuthTag(tag);
      const encrypted = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
    },
  };
}
