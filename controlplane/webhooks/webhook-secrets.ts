import { randomBytes } from 'node:crypto';
import { deriveKey } from '../../shared/config/secret-key.js';
import { createAnswerCipher } from '../idempotency/answer-cipher.js';

/** Standard Webhooks: 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** The secrets that messages are signed with; stored only encrypted, each bound to its endpoint. */
export interface WebhookSecrets {
  /** A new one for an endpoint, as its owner gets to see it once (`whsec_…`) and as it is stored. */
  create(endpointId: string): { readonly secret: string; readonly encrypted: Buffer };
  /** @throws when it was encrypted under another SECRET_KEY, or for another endpoint */
  read(encrypted: Buffer, endpointId: string): string;
}

/** @param secret the installation's; the key is derived from it */
export function createWebhookSecrets(secret: Buffer): WebhookSecrets {
  const cipher = createAnswerCipher(deriveKey(secret, 'waymark/webhook-secrets/1'));
  return {
    create(endpointId) {
      const text = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
      return { secret: text, encrypted: cipher.encrypt(text, Buffer.from(endpointId)) };
    },
    read: (encrypted, endpointId) => cipher.decrypt(encrypted, Buffer.from(endpointId)),
  };
}
