import { rowShare, visitorsOfRow } from './estimates.fixture.js';
import type { KnownHit } from './random-traffic.fixture.js';

type Key = Readonly<Record<string, string | number>>;

/** Hits with a common key. */
export interface Group<Of extends Key> {
  readonly key: Of;
  readonly hits: readonly KnownHit[];
}

/**
 * Groups hits by key: most hits first, then by the members of the key. A hit belongs to one group for each of its
 * keys.
 */
export function ranked<Of extends Key>(
  hits: readonly KnownHit[],
  keysOf: (hit: KnownHit) => readonly Of[],
): Group<Of>[] {
  const groups = new Map<string, { key: Of; hits: KnownHit[] }>();
  for (const hit of hits) {
    for (const key of keysOf(hit)) {
      const name = JSON.stringify(key);
      const group = groups.get(name) ?? { key, hits: [] };
      groups.set(name, group);
      group.hits.push(hit);
    }
  }
  return [...groups.values()].sort(
    (one, other) => other.hits.length - one.hits.length || compareKeys(one.key, other.key),
  );
}

/**
 * Returns the members of a row beside its key.
 *
 * @param whole number of hits that the percentage refers to
 */
export function countsOf(hits: readonly KnownHit[], whole: number) {
  return {
    hits: hits.length,
    uniqueVisitors: visitorsOfRow(hits),
    percentage: rowShare(hits.length, whole),
  };
}

/** Returns the first `limit` groups as rows, with shares of all hits in the groups. */
export function rowsOf<Of extends Key>(groups: readonly Group<Of>[], limit = 1_000) {
  const whole = sizeOf(groups);
  return groups.slice(0, limit).map(({ key, hits }) => ({ ...key, ...countsOf(hits, whole) }));
}

export function sizeOf(groups: readonly Group<Key>[]): number {
  return groups.reduce((sum, { hits }) => sum + hits.length, 0);
}

function compareKeys(one: Key, other: Key): number {
  for (const [name, value] of Object.entries(one)) {
    const order = compare(value, other[name] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares texts by their bytes in UTF-8. */
function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
