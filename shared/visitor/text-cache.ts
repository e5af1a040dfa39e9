/** Longer texts are worked out each time, so that hostile headers cannot blow up a cache. */
const MAX_CACHED_LENGTH = 512;

/** A function of texts that remembers results. */
export interface CachedByText<T> {
  (text: string): T;
  /** The result for a text if it is remembered. Counts as a use of it. */
  known(text: string): T | undefined;
}

/**
 * `compute`, which must be pure, with the results for the texts used last remembered. For texts that come again from
 * request to request. Memory is limited by the number of texts and 512 characters each.
 *
 * There are two generations. What is used enters the recent one, and when that is full it replaces the older one (the
 * hashlru algorithm, https://github.com/dominictarr/hashlru). Most visitors are new, and a cache that orders its
 * entries by use pays for each of them, and for each that it removes: that took two to three times as long.
 *
 * @param maxEntries most texts remembered, an even number; half of them are always remembered
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
