import type { AreaParts } from '../../area.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import { endpointRepository } from './endpoint-repository.js';
import type { WebhookSecrets } from './webhook-secrets.js';

const ROUND_INTERVAL_MS = 3_600_000;
const PAGE_SIZE = 200;

export interface SecretRenewalDeps extends Pick<AreaParts, 'database' | 'logger'> {
  readonly secrets: WebhookSecrets;
}

/**
 * Encrypts with the current SECRET_KEY the secrets of endpoints that SECRET_KEY_PREVIOUS encrypted. After a round
 * that finds none, endpoints no longer need the old key. A round resolves to the number of secrets that were encrypted again.
 */
export type SecretRenewal = RoundWork<number>;

export function createSecretRenewal({ database, secrets, logger }: SecretRenewalDeps): SecretRenewal {
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
