import { type Asking, AUDIENCE } from './question.js';
import { type HitGroups, type Measure, VISITORS } from './source.js';

export interface ListOptions<Key extends string> extends Pick<HitGroups, 'rollUp'> {
  /** What tells the rows apart: names, and text expressions over the roll-up's columns. */
  readonly keys: Readonly<Record<Key, string>>;
  /** Which groups the list covers: a condition over the keys. Default: all. */
  readonly covered?: string;
  /** Rows at most. */
  readonly limit: number;
}

export type RankedRow<Key extends string> = Readonly<Record<Key, string>> & {
  readonly hits: number;
  readonly uniqueVisitors: number;
};

export interface RankedList<Key extends string> {
  /** By hits, most first, then by the keys. */
  readonly rows: readonly RankedRow<Key>[];
  /** Rows without the limit. */
  readonly totalRows: number;
  /** Hits of these. */
  readonly totalHits: number;
  /** Hits that the list does not cover. */
  readonly otherHits: number;
}

type Totals = Pick<RankedList<never>, 'totalRows' | 'totalHits' | 'otherHits'>;

/**
 * Hits and visitors of the audience by some keys. Merging visitors is what costs, so the rows are found by their
 * hits first, and visitors worked out for those alone.
 */
export async function rankedList<Key extends string>(
  asking: Asking,
  { rollUp, keys, covered = '1', limit }: ListOptions<Key>,
): Promise<RankedList<Key>> {
  const names = Object.keys(keys).join(', ');
  const groups = (measures: readonly Measure[], where = AUDIENCE) =>
    asking.source.groups({ rollUp, keys, measures, where });
  const counted = `SELECT ${names}, sum(n) AS hits FROM (${groups(['n'])}) GROUP BY ${names}`;
  const top = `SELECT ${names} FROM (${counted}) WHERE ${covered} ORDER BY hits DESC, ${names} LIMIT {limit:UInt32}`;
  const withVisitors = groups(['n', 'visitors'], `${AUDIENCE} AND (${names}) IN (${top})`);

  const [rows, [totals]] = await Promise.all([
    asking.select<RankedRow<Key>>(
      `SELECT ${names}, sum(n) AS hits, ${VISITORS} AS uniqueVisitors
       FROM (${withVisitors}) GROUP BY ${names} ORDER BY hits DESC, ${names}`,
      { limit },
    ),
    asking.select<Totals>(
      `SELECT countIf(${covered}) AS totalRows, sumIf(hits, ${covered}) AS totalHits,
         sumIf(hits, NOT (${covered})) AS otherHits
       FROM (${counted})`,
    ),
  ]);
  return { rows, ...(totals ?? { totalRows: 0, totalHits: 0, otherHits: 0 }) };
}
