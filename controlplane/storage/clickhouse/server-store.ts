import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { messageOf } from '../../../shared/process/error-facts.js';
import { createServerWatch } from '../../../shared/process/server-watch.js';
import type { AnalyticsStore } from './analytics-store.js';
import { createFairQueue } from './fair-queue.js';
import { insertRows } from './insert-rows.js';
import { REQUEST_TIMEOUT_MS } from './query-settings.js';
import { createStatementKiller, killTagged } from './statement-killer.js';
import { createStatements, named, ping } from './statements.js';
import { AnalyticsStoreError } from './store-error.js';

/** Maximum number of concurrent queries of this process. */
const QUESTIONS_AT_ONCE = 8;
/** Maximum number of concurrent queries and ingestion statements. */
const MAX_OPEN_CONNECTIONS = 12;
/** Time limit of a ping, and of a request that ends statements. */
const PING_TIMEOUT_MS = 1_000;
/** Maximum number of waiting questions of all users. */
const MAX_WAITING = 1_000;

/** Opens the store on a server. The first statement connects to it. */
export function openServerStore(url: string): AnalyticsStore {
  const common = {
    url,
    application: 'waymark',
    keep_alive: { enabled: true, eagerly_destroy_stale_sockets: true },
    // Errors are thrown, so the client need not write them to the console.
    log: { level: ClickHouseLogLevel.OFF },
  };
  const client = createClient({
    ...common,
    request_timeout: REQUEST_TIMEOUT_MS,
    max_open_connections: MAX_OPEN_CONNECTIONS,
    // Requests are small, or compressed already.
    compression: { request: false, response: true },
    use_multipart_params_auto: true,
  });
  // It has its own connections: those of the other client may all be waiting for an answer.
  const control = createClient({ ...common, request_timeout: PING_TIMEOUT_MS, max_open_connections: 2 });
  const pingServer = () => ping(control, false);
  const watch = createServerWatch({
    ping: pingServer,
    problemOf: (cause) =>
      new AnalyticsStoreError(
        'unavailable',
        new Error(`ClickHouse does not answer: ${messageOf(cause)}`, { cause }),
      ),
  });
  const killer = createStatementKiller((tags) => killTagged(control, tags));
  const questions = createFairQueue<ClickHouseClient>(
    Array.from({ length: QUESTIONS_AT_ONCE }, () => client),
    MAX_WAITING,
  );

  return {
    kind: 'server',
    ...createStatements({
      kind: 'server',
      read: (task, limits) =>
        limits.isIngestion === true
          ? task(client)
          : questions.run((client) => watch.during((signal) => task(client, signal)), limits),
      write: (task) => task(client),
      killer,
    }),
    insertRows: (insert) => named(() => insertRows(client, insert)),
    ping: () => ping(control, true),
    async close() {
      watch.close();
      await killer.close();
      await Promise.all([client.close(), control.close()]);
    },
  };
}
