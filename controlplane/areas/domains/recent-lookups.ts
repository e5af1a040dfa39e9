import type { TxtLookup } from './txt-lookup.js';

/** Maximum number of cached lookups. The oldest is dropped first. */
const MAX_REMEMBERED = 1_000;

/** Shares lookups of a name among callers that accept an answer of some age. */
export interface RecentLookups {
  /**
   * Returns the last lookup of a name. Starts one if the last one began before `sinceMs`.
   *
   * @param sinceMs as `performance.now()`
   */
  get(name: string, sinceMs: number, lookUp: () => Promise<TxtLookup>): Promise<TxtLookup>;
}

export function createRecentLookups(): RecentLookups {
  const lookups = new Map<string, { readonly begunMs: number; readonly outcome: Promise<TxtLookup> }>();
  return {
    get(name, sinceMs, lookUp) {
      const known = lookups.get(name);
      if (known !== undefined && known.begunMs >= sinceMs) return known.outcome;
      const begun = { begunMs: performance.now(), outcome: lookUp() };
      lookups.delete(name);
      lookups.set(name, begun);
      const [oldest] = lookups.keys();
      if (lookups.size > MAX_REMEMBERED && oldest !== undefined) lookups.delete(oldest);
      return begun.outcome;
    },
  };
}
