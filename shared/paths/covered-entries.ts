import { EXACT } from './path-key.js';
import type { PreparedEntry } from './publish-table.js';
import { NO_CONDITIONS } from './query-conditions.js';

/** An entry that never decides, and the entry that completes its cover, by their indexes. */
export interface CoveredEntry {
  readonly index: number;
  readonly by: number;
}

const ABSENT = /^!([^&]+)$/;

/**
 * Returns the entry that never answers because of this one. Most tables have none: more exact entries decide first, but
 * they rarely cover all paths of another entry.
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
  // `/a` and `/a/:id/*` together match every path of `/a/*`.
  if (!ignoresSlash || conditions !== NO_CONDITIONS || !shape.endsWith('PS')) return undefined;
  const outer = shape.slice(0, -2);
  const path = key.slice(shape.length, -'/:'.length);
  const root = outer.includes('P') ? outer + path : path || '/';
  const index = at(`${outer}S${path}`);
  return index === undefined || at(root) === undefined ? undefined : { index, by };
}

/**
 * Returns the covers among some entries that depend on one of them.
 *
 * @param entries all entries with a key of `relatedKeys`; no two have the same key and conditions
 * @param cause index of the entry
 */
export function coversBecauseOf(
  entries: readonly PreparedEntry[],
  cause: number,
  ignoresSlash: boolean,
): readonly CoveredEntry[] {
  const indexes = new Map(
    entries.map(({ published: { key, conditions } }, index) => [`${key} ${conditions}`, index]),
  );
  const others = new Map([...indexes].filter(([, index]) => index !== cause));
  return entries.flatMap((one, index) => {
    const covered = coveredBy(one, index, indexes, ignoresSlash);
    if (covered === undefined) return [];
    const isOlder = index !== cause && coveredBy(one, index, others, ignoresSlash) !== undefined;
    return isOlder ? [] : [covered];
  });
}

/** Returns the keys of all entries that can be covered together with this one, its own first. */
export function relatedKeys(
  { published: { key, conditions }, shape }: PreparedEntry,
  ignoresSlash: boolean,
): readonly string[] {
  if (!ignoresSlash || conditions !== NO_CONDITIONS) return [key];
  const placesOf = (outer: string, path: string) => [
    outer.includes('P') ? outer + path : path || '/',
    `${outer}S${path}`,
    `${outer}PS${path}/:`,
  ];
  const path = key.slice(shape.length);
  const related = placesOf(...outerOf(shape, path));
  if (shape.endsWith('PS')) related.push(...placesOf(shape.slice(0, -2), path.slice(0, -'/:'.length)));
  return [...new Set([key, ...related])];
}

/** Returns the letters and the path of a source, without `*` at its end. */
function outerOf(shape: string, path: string): [outer: string, path: string] {
  if (shape !== EXACT) return [shape.replace(/S$/, ''), path];
  return path === '/' ? ['', ''] : ['L'.repeat(path.split('/').length - 1), path];
}
