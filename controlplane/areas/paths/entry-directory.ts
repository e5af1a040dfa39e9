import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import type { Database } from '../../storage/postgres/database.js';
import type { PathEntries } from '../analytics/public.js';
import { createHitEntriesReader, type ReadEntryHits } from './entry-hits.js';
import { pathRepository } from './path-repository.js';

export interface EntryDirectoryDeps {
  readonly database: Database;
  readonly store: AnalyticsStore;
  readonly hitsOf: ReadEntryHits;
}

/** Tells the statistics the meaning of entry ids. */
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
