import { randomBytes } from 'node:crypto';
import type { SecretKeys } from '../../../shared/config/secret-key.js';
import type { AreaParts } from '../../area.js';
import { createBackgroundWork } from '../../jobs/background-work.js';
import { createRowCipher } from '../../storage/row-cipher.js';
import { endpointRepository } from './endpoint-repository.js';

/** Standard Webhooks: 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** The secrets that messages are signed with. They are stored encrypted, each bound to its endpoint. */
export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

/** @param secrets the installation's; the key is derived from them */
export function createWebhookSecrets(secrets: SecretKeys) {
  const cipher = createRowCipher(secrets, 'waymark/webhook-secrets/1');
  return {
    /**
     * Creates a secret for an endpoint: the text that its owner sees once (`whsec_…`), and the encrypted form that is
     * stored.
     */
    create(endpointId: string): { readonly secret: string; readonly encrypted: Buffer } {
      const text = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
      return { secret: text, encrypted: cipher.encrypt(text, Buffer.from(endpointId)) };
    },
    /**
     * Encrypts a secret again with the current key. Returns undefined if it already has that key. Throws the same as
     * `read`.
     */
    renew: (encrypted: Buffer, endpointId: string): Buffer | undefined =>
      cipher.renew(encrypted, Buffer.from(endpointId)),
    /** @throws when it was encrypted under another SECRET_KEY, or for another endpoint */
    read: (encrypted: Buffer, endpointId: string): string =>
      cipher.decrypt(encrypted, Buffer.from(endpointId)),
  };
}

const ROUND_INTERVAL_MS = 3_600_000;
const PAGE_SIZE = 200;

interface SecretRenewalDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly secrets: WebhookSecrets;
}

/**
 * Encrypts with the current SECRET_KEY the secrets of endpoints that SECRET_KEY_PREVIOUS encrypted. After a round that
 * finds none, the old key is no longer needed. A round resolves to the number of secrets that were encrypted again.
 */
export function createSecretRenewal({ database, secrets, logger }: SecretRenewalDeps) {
  /** Resolves to whether the secret was encrypted with an old key. */
  async function renew(id: string, encrypted: Buffer): Promise<boolean> {
    let renewed: Buffer | undefined;
    try {
      renewed = secrets.renew(encrypted, id);
    } catch {
      // Neither key decrypts it. Deliveries of the endpoint report that.
      return false;
    }
    return renewed !== undefined && endpointRepository.replaceSecret(database, id, encrypted, renewed);
  }

  async function runRound(): Promise<number> {
    let count = 0;
    let after = '';
    while (!work.isStopping()) {
      const page = await endpointRepository.secretsAfter(database, after, PAGE_SIZE);
      for (const { id, secrets: stored } of page) {
        for (const encrypted of stored) if (await renew(id, encrypted)) count += 1;
      }
      if (page.length < PAGE_SIZE) break;
      after = page.at(-1)?.id ?? after;
    }
    if (count > 0)
      logger.info({ count }, 'secrets of webhook endpoints are encrypted with the new SECRET_KEY');
    return count;
  }

  const work = createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'secrets of webhook endpoints could not be encrypted again; trying again later',
    beginsAtOnce: true,
  });
  return work;
}
