import type { AnalyticsStore } from './analytics-store.js';
import { createEmbeddedStore } from './embedded-store.js';
import { openServerStore } from './server-store.js';

export interface AnalyticsStoreOptions {
  /** Address of a server, with user, password and database. If it is undefined, the embedded store is opened. */
  readonly clickhouseUrl?: string | undefined;
  /** The embedded store lives in `clickhouse/` below it. */
  readonly dataDir: string;
}

/**
 * Opens the store that the configuration names. The first statement connects to a server.
 *
 * @throws a one-line error when the embedded store is needed and is not installed, or is open elsewhere
 */
export async function openAnalyticsStore({
  clickhouseUrl,
  dataDir,
}: AnalyticsStoreOptions): Promise<AnalyticsStore> {
  return clickhouseUrl === undefined ? createEmbeddedStore(dataDir) : openServerStore(clickhouseUrl);
}
