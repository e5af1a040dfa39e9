import type { Logger } from 'pino';
import { ConfigError } from '../../../shared/config/environment.js';
import type { AnalyticsStore } from './analytics-store.js';
import { openAnalyticsStore } from './client.js';
import { migrateAnalyticsStore } from './migrate.js';
import { storeProblem } from './store-problem.js';

/**
 * Opens the store that the configuration names and brings its schema up to date.
 *
 * @param signal ends the opening
 * @throws {ConfigError} when the server cannot be reached or refuses the login
 */
export async function openMigratedStore(
  config: Parameters<typeof openAnalyticsStore>[0],
  logger: Logger,
  signal = new AbortController().signal,
): Promise<AnalyticsStore> {
  const store = await openAnalyticsStore(config);
  try {
    await migrateAnalyticsStore(store, logger, { signal });
  } catch (error) {
    await store.close();
    const problem = storeProblem(error, store.kind);
    throw problem === undefined ? error : new ConfigError(problem, { cause: error });
  }
  return store;
}
