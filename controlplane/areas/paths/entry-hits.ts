import { ENTRY_IDS_FROM, hitIdOf } from '../../../shared/paths/entry-ids.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { answerWithin, KEPT_ANSWER_LIMITS } from '../../storage/clickhouse/answer-within.js';
import type { Database } from '../../storage/postgres/database.js';
import type { PathEntries } from '../analytics/public.js';
import { pathRepository } from './path-repository.js';

/** Visits that an entry redirected. */
export interface EntryHits {
  readonly hits: number;
  /** Time at which the last batch with a visit closed; undefined until data planes report it. */
  readonly lastHitAt: Date | undefined;
}

/** Reads the hits of entries, by id. Entries without hits are absent. */
export type ReadEntryHits = (
  redirectId: string,
  entryIds: readonly number[],
) => Promise<ReadonlyMap<number, EntryHits>>;

/** Maximum wait. Entries are shown without hits after that. */
const TIMEOUT_MS = 1_000;

interface HitsRow {
  readonly ruleId: number;
  readonly hits: number;
  /** Unix time in seconds; 0 for none. */
  readonly seenAt: number;
}

/** @throws AnalyticsStoreError when the store fails, or has not answered after a second */
export function createEntryHitsReader(store: AnalyticsStore): ReadEntryHits {
  return async (redirectId, entryIds) => {
    if (entryIds.length === 0) return new Map();
    const rows = await answerWithin(
      TIMEOUT_MS,
      // A producer's totals only grow: the greatest is the newest.
      store.query<HitsRow>(
        `SELECT rule_id AS ruleId, sum(newest) AS hits, max(seen) AS seenAt FROM (
           SELECT rule_id, max(hits) AS newest, toUnixTimestamp(max(seen_at)) AS seen FROM rule_counters
           WHERE redirect_id = {redirect:String} AND rule_id IN {ids:Array(UInt64)} GROUP BY rule_id, producer_id
         ) GROUP BY ruleId`,
        { redirect: redirectId, ids: entryIds.map(hitIdOf) },
        KEPT_ANSWER_LIMITS,
      ),
    );
    return new Map(
      rows.map(({ ruleId, hits, seenAt }) => [
        ruleId - ENTRY_IDS_FROM,
        { hits, lastHitAt: seenAt === 0 ? undefined : new Date(seenAt * 1_000) },
      ]),
    );
  };
}

/** Maximum ids that are read. A table has 100,000 entries at most; deleted ones keep their hits. */
const MAX_IDS = 500_000;

/** Returns a reader of the ids of all entries of a redirect that were ever hit, deleted ones included. */
function createHitEntriesReader(store: AnalyticsStore): (redirectId: string) => Promise<number[]> {
  return async (redirectId) => {
    const rows = await answerWithin(
      TIMEOUT_MS,
      store.query<{ ruleId: number }>(
        `SELECT DISTINCT rule_id AS ruleId FROM rule_counters
         WHERE redirect_id = {redirect:String} AND rule_id > ${ENTRY_IDS_FROM} AND hits > 0 LIMIT ${MAX_IDS}`,
        { redirect: redirectId },
        KEPT_ANSWER_LIMITS,
      ),
    );
    return rows.map(({ ruleId }) => ruleId - ENTRY_IDS_FROM);
  };
}

export interface EntryDirectoryDeps {
  readonly database: Database;
  readonly store: AnalyticsStore;
  readonly hitsOf: ReadEntryHits;
}

/** Creates the directory by which the statistics resolve entry ids. */
export function createEntryDirectory({ database, store, hitsOf }: EntryDirectoryDeps): PathEntries {
  const hitEntries = createHitEntriesReader(store);
  return {
    async named(redirectId, ids) {
      const [texts, hits] = await Promise.all([
        pathRepository.textsOf(database, redirectId, ids),
        hitsOf(redirectId, ids),
      ]);
      return new Map(
        texts.map(({ id, source, destination }) => {
          return [id, { source, destination, lastHitAt: hits.get(id)?.lastHitAt ?? null }];
        }),
      );
    },
    async neverHit(redirectId, limit) {
      const hit = await hitEntries(redirectId);
      return pathRepository.entriesBeside(database, redirectId, hit, limit);
    },
  };
}
