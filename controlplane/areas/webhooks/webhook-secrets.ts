import { randomBytes } from 'node:crypto';
import type { SecretKeys } from '../../../shared/config/secret-key.js';
import { createRowCipher } from '../../storage/row-cipher.js';

/** Standard Webhooks: 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** The secrets that messages are signed with. They are stored encrypted, each bound to its endpoint. */
export interface WebhookSecrets {
  /** Makes a new secret for an endpoint: as its owner sees it once (`whsec_…`), and as it is stored. */
  create(endpointId: string): { readonly secret: string; readonly encrypted: Buffer };
  /** Returns a secret encrypted with the current key, or undefined if it is already. Throws as `read` does. */
  renew(encrypted: Buffer, endpointId: string): Buffer | undefined;
  /** @throws when it was encrypted under another SECRET_KEY, or for another endpoint */
  read(encrypted: Buffer, endpointId: string): string;
}

/** @param secrets the installation's; the key is derived from them */
export function createWebhookSecrets(secrets: SecretKeys): WebhookSecrets {
  const cipher = createRowCipher(secrets, 'waymark/webhook-secrets/1');
  return {
    create(endpointId) {
      const text = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
      return { secret: text, encrypted: cipher.encrypt(text, Buffer.from(endpointId)) };
    },
    renew: (encrypted, endpointId) => cipher.renew(encrypted, Buffer.from(endpointId)),
    read: (encrypted, endpointId) => cipher.decrypt(encrypted, Buffer.from(endpointId)),
  };
}
