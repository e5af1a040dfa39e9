import type { Logger } from 'pino';
import { createLocalRateLimitStores, type RateLimitStores } from './rate-limit-store.js';

/** Opens the stores in Redis if there is one. Otherwise each process counts for itself. */
export async function openRateLimitStores(
  redisUrl: string | undefined,
  logger: Logger,
): Promise<RateLimitStores> {
  if (redisUrl === undefined) return createLocalRateLimitStores();
  const { openSharedRateLimitStores } = await import('./shared-rate-limit-store.js');
  return openSharedRateLimitStores(redisUrl, logger);
}
