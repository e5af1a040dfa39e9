import type { Logger } from 'pino';
import { createBackgroundWork, type RoundWork } from '../jobs/background-work.js';
import type { AnalyticsStore } from '../storage/clickhouse/analytics-store.js';
import { changeRows } from '../storage/clickhouse/table-rows.js';

const ROUND_INTERVAL_MS = 24 * 3600 * 1_000;
/**
 * Age at which a producer's totals are deleted. No data plane runs so long without a visitor. A producer that
 * returned would seem to have lost hits.
 */
const SILENT_DAYS = 400;
/** Maximum size of a list in one parameter of a server: 128 KiB (`http_max_field_value_size`). */
const PRODUCERS_PER_ROUND = 1_000;

const SILENT = `
  SELECT producer_id AS id FROM redirect_counters
  GROUP BY producer_id HAVING max(seen_at) BETWEEN toDateTime(1, 'UTC') AND now() - toIntervalDay(${SILENT_DAYS})
  ORDER BY max(seen_at) LIMIT ${PRODUCERS_PER_ROUND}`;

/** The roll-up by_producer answers this. */
const WITH_HITS = `
  SELECT producer_id AS id FROM hits WHERE producer_id IN {producers:Array(String)} GROUP BY producer_id`;

export interface EndedProducersDeps {
  readonly store: AnalyticsStore;
  readonly logger: Logger;
}

/**
 * Deletes the totals of producers that ended long ago and whose hits have all expired. Otherwise they would stay for
 * ever, some for each redirect and each start of a data plane. The counters of rules stay: `hitCount` is their sum.
 */
export function createEndedProducers({ store, logger }: EndedProducersDeps): RoundWork {
  async function runRound(): Promise<void> {
    const silent = await idsOf(SILENT);
    if (silent.length === 0) return;
    const withHits = new Set(await idsOf(WITH_HITS, silent));
    const producers = silent.filter((id) => !withHits.has(id));
    if (producers.length === 0) return;
    await changeRows(store, {
      table: 'redirect_counters',
      change: 'DELETE WHERE producer_id IN {producers:Array(String)}',
      params: { producers },
    });
    logger.info({ producers: producers.length }, 'the totals of producers that ended long ago are forgotten');
  }

  async function idsOf(sql: string, producers: readonly string[] = []): Promise<string[]> {
    return (await store.query<{ id: string }>(sql, { producers })).map(({ id }) => id);
  }

  return createBackgroundWork({
    intervalMs: ROUND_INTERVAL_MS,
    runRound,
    logger,
    failure: 'the totals of ended producers could not be forgotten; trying again tomorrow',
  });
}
