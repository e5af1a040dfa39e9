import { ALL_REDIRECTS } from '../../shared/hits/all-redirects.js';
import type { AnalyticsStore, QueryParams } from '../storage/clickhouse/analytics-store.js';
import { answerWithin } from '../storage/clickhouse/answer-within.js';

/** Delivery figures of one producer (one run of a data-plane process). */
export interface ProducerAccount {
  readonly id: string;
  /** Unix time in seconds at which it closed the last batch that has arrived. */
  readonly seenAt: number;
  /** Hits that were chosen by sampling, as far as the producer reported it. */
  readonly recorded: number;
  /** Stored hits, each counted once, including those that have expired since. */
  readonly stored: number;
  /** Additional copies in the store, until merges remove them. */
  readonly duplicated: number;
  /** Hits that are not stored: dropped, lost by a kill, or missing while later ones arrived. */
  readonly lost: number;
}

/** Maximum number of producers that are shown, the latest ones. */
const MAX_PRODUCERS = 64;
const TIMEOUT_MS = 1_500;
const LIMITS = { withinMs: TIMEOUT_MS };

const SEEN_LAST = `
  SELECT producer_id AS id, toUnixTimestamp(max(seen_at)) AS seenAt FROM redirect_counters
  GROUP BY producer_id HAVING seenAt > 0 ORDER BY seenAt DESC, id LIMIT ${MAX_PRODUCERS}`;

/** Counts by producer and redirect. FINAL holds only one bitmap of ordinals in memory at a time. */
const COUNTED = `
  SELECT producer_id AS id, redirect_id, max(recorded) AS counted, sum(bitmapCardinality(delivered)) AS found,
    max(if(bitmapCardinality(delivered) = 0, 0, bitmapMax(delivered))) AS highest
  FROM redirect_counters FINAL WHERE producer_id IN {producers:Array(String)} GROUP BY producer_id, redirect_id`;

/** The roll-up by_producer answers this. */
const THERE = `
  SELECT producer_id AS id, count() AS rows, max(ordinal) AS last
  FROM hits WHERE producer_id IN {producers:Array(String)} GROUP BY producer_id`;

// If hits have expired, the surplus may be too small, but never too large. A batch that is being written is in the
// store before its ordinals are counted.
const ACCOUNTS = `
  SELECT id, recorded, stored, recorded - stored AS lost,
    greatest(toInt64(rows) - stored - greatest(toInt64(last) - highest, 0), 0) AS duplicated
  FROM (
    SELECT id, toInt64(sum(found)) AS stored, toInt64(max(highest)) AS highest,
      toInt64(greatest(sumIf(greatest(counted, found), redirect_id != {all:String}),
        maxIf(counted, redirect_id = {all:String}))) AS recorded
    FROM (${COUNTED}) GROUP BY id
  ) AS counted LEFT JOIN (${THERE}) AS there USING id`;

/**
 * Returns the accounts of the latest producers, at most 64, the latest first.
 *
 * @throws AnalyticsStoreError also when the store takes longer than 1.5 s
 */
export async function readProducerAccounts(
  store: Pick<AnalyticsStore, 'query'>,
): Promise<readonly ProducerAccount[]> {
  return answerWithin(TIMEOUT_MS, read(store));
}

async function read(store: Pick<AnalyticsStore, 'query'>): Promise<readonly ProducerAccount[]> {
  const seen = await store.query<Pick<ProducerAccount, 'id' | 'seenAt'>>(SEEN_LAST, {}, LIMITS);
  if (seen.length === 0) return [];
  const params: QueryParams = { producers: seen.map(({ id }) => id), all: ALL_REDIRECTS };
  const rows = await store.query<Omit<ProducerAccount, 'seenAt'>>(ACCOUNTS, params, LIMITS);
  const accounts = new Map(rows.map((row) => [row.id, row]));
  return seen.flatMap(({ id, seenAt }) => {
    const account = accounts.get(id);
    return account === undefined ? [] : [{ ...account, seenAt }];
  });
}
