import type { SecretKeys } from '../../../shared/config/secret-key.js';
import { createRowCipher } from '../../storage/row-cipher.js';

/** Encrypts private keys that only control planes need. Each is bound to its purpose. */
export interface KeyCipher {
  encrypt(pem: string, purpose: string): Buffer;
  /** @returns undefined when it was encrypted with another SECRET_KEY, or for another purpose */
  tryDecrypt(encrypted: Buffer, purpose: string): string | undefined;
  /** Returns a readable key encrypted with the current SECRET_KEY, or undefined if it is already. */
  renew(encrypted: Buffer, purpose: string): Buffer | undefined;
}

/** @param secrets the installation's; the key is derived from them */
export function createKeyCipher(secrets: SecretKeys): KeyCipher {
  const cipher = createRowCipher(secrets, 'waymark/acme-keys/1');
  return {
    renew: (encrypted, purpose) => cipher.renew(encrypted, Buffer.from(purpose)),
    encrypt: (pem, purpose) => cipher.encrypt(pem, Buffer.from(purpose)),
    tryDecrypt(encrypted, purpose) {
      try {
        return cipher.decrypt(encrypted, Buffer.from(purpose));
      } catch {
        return undefined;
      }
    },
  };
}
