import { LRUCache } from 'lru-cache';
import { ALL_HITS, type HitWhere } from './hit-filters.js';

/** Numbers of rows by the name of a list. Any of them may be missing or out of date. */
export interface RowsOfLists {
  get(list: string): number | undefined;
  set(list: string, rows: number): void;
}

/** Maximum number of lists of all redirects. */
const REMEMBERED_LISTS = 10_000;

/** Remembers how many rows lists had when they were last read. */
export function createRowsOfLists() {
  const rows = new LRUCache<string, number>({ max: REMEMBERED_LISTS });
  return {
    /** Returns the lists of a redirect in a period of some days. Lists with filters differ too much to be remembered. */
    of(redirectId: string, days: number, where: HitWhere): RowsOfLists {
      if (where !== ALL_HITS) return { get: () => undefined, set: () => {} };
      const key = (list: string) => `${redirectId} ${days} ${list}`;
      return {
        get: (list) => rows.get(key(list)),
        set: (list, count) => void rows.set(key(list), count),
      };
    },
  };
}
