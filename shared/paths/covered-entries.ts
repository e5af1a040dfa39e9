import type { PreparedEntry } from './publish-table.js';
import { NO_CONDITIONS } from './query-conditions.js';

/** An entry that never decides, and the entry that completes its cover, by their indexes. */
export interface CoveredEntry {
  readonly index: number;
  readonly by: number;
}

const ABSENT = /^!([^&]+)$/;

/**
 * Returns the entry that never answers because of this one. Most tables have none: a more exact entry decides first, and rarely
 * do several of them leave nothing.
 *
 * @param indexes of all entries, by key and conditions with a space between
 */
export function coveredBy(
  { published: { key, conditions }, shape }: PreparedEntry,
  by: number,
  indexes: ReadonlyMap<string, number>,
  ignoresSlash: boolean,
): CoveredEntry | undefined {
  const at = (one: string, condition = NO_CONDITIONS) => indexes.get(`${one} ${condition}`);
  const absent = ABSENT.exec(conditions)?.[1];
  if (absent !== undefined && at(key, `?${absent}`) !== undefined) {
    const index = at(key);
    return index === undefined ? undefined : { index, by };
  }
  // `/a` and `/a/:id/*` leave nothing for `/a/*`.
  if (!ignoresSlash || conditions !== NO_CONDITIONS || !shape.endsWith('PS')) return undefined;
  const outer = shape.slice(0, -2);
  const path = key.slice(shape.length, -'/:'.length);
  const root = outer.includes('P') ? outer + path : path || '/';
  const index = at(`${outer}S${path}`);
  return index === undefined || at(root) === undefined ? undefined : { index, by };
}
