/** Maximum length of a cached text. It prevents hostile headers from filling a cache. */
const MAX_CACHED_LENGTH = 512;

/** A function of texts that caches results. */
export interface CachedByText<T> {
  (text: string): T;
  /** Returns the result for a text if it is cached. Counts as a use of the text. */
  known(text: string): T | undefined;
}

/**
 * Caches `compute`, which must be pure, for texts that repeat from request to request. Memory is limited by the number
 * of texts and 512 characters each.
 *
 * The cache has two generations. A used text enters the recent one; when that is full, it replaces the older one (the
 * hashlru algorithm, https://github.com/dominictarr/hashlru). Most visitors are new. A cache that orders its entries by
 * use pays for each of them and for each entry that it removes, and took two to three times as long.
 *
 * @param maxEntries maximum number of texts, an even number; at least half of it is always kept
 */
export function cachedByText<T extends object | string>(
  compute: (text: string) => T,
  maxEntries: number,
): CachedByText<T> {
  const maxRecent = maxEntries / 2;
  let recent = new Map<string, T>();
  let older = new Map<string, T>();

  function keep(text: string, result: T): T {
    if (recent.size === maxRecent) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, result);
    return result;
  }

  function known(text: string): T | undefined {
    const result = recent.get(text);
    if (result !== undefined) return result;
    const earlier = older.get(text);
    return earlier === undefined ? undefined : keep(text, earlier);
  }

  const cached = (text: string) =>
    text.length > MAX_CACHED_LENGTH ? compute(text) : (known(text) ?? keep(text, compute(text)));
  return Object.assign(cached, { known });
}
