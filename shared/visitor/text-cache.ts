/** Longer texts are worked out each time, so that hostile headers cannot blow up a cache. */
const MAX_CACHED_LENGTH = 512;

/**
 * `compute`, which must be pure, with its results for the texts used last remembered. For what comes again and again
 * from request to request; 512 characters each are the bound of memory.
 *
 * There are two generations: what is used enters the recent one, and when that is full it becomes the older one, in
 * place of what was not used since (the hashlru algorithm, https://github.com/dominictarr/hashlru). Most visitors are
 * new, and a cache that orders its entries by use pays for each of them, and for each that has to go: that took two to
 * three times as long.
 *
 * @param maxEntries texts remembered at most, an even number, and half of them at least
 */
export function cachedByText<T extends object | string>(
  compute: (text: string) => T,
  maxEntries: number,
): (text: string) => T {
  const maxRecent = maxEntries / 2;
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  return (text) => {
    if (text.length > MAX_CACHED_LENGTH) return compute(text);
    const known = recent.get(text);
    if (known !== undefined) return known;
    const result = older.get(text) ?? compute(text);
    if (recent.size === maxRecent) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, result);
    return result;
  };
}
