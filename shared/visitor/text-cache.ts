import { LRUCache } from 'lru-cache';

/** Longer texts are worked out each time, so that hostile headers cannot blow up a cache. */
const MAX_CACHED_LENGTH = 512;

/**
 * `compute`, which must be pure, with its results for the `maxEntries` texts used last remembered. For what comes
 * again and again from request to request; 512 bytes each are the bound of memory.
 */
export function cachedByText<T extends object | string>(
  compute: (text: string) => T,
  maxEntries: number,
): (text: string) => T {
  const known = new LRUCache<string, T>({ max: maxEntries });
  return (text) => {
    if (text.length > MAX_CACHED_LENGTH) return compute(text);
    let result = known.get(text);
    if (result === undefined) {
      result = compute(text);
      known.set(text, result);
    }
    return result;
  };
}
