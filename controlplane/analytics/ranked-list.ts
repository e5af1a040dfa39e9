import { type Asking, AUDIENCE } from './question.js';
import { type HitGroups, type Measure, visitorsOf } from './source.js';

/** Measures whose greatest is told of a row. */
type Extreme = Extract<Measure, 'north' | 'east'>;

export interface ListOptions<Key extends string, Told extends Extreme = never>
  extends Pick<HitGroups, 'rollUp'> {
  /** What tells the rows apart: names, and text expressions over the roll-up's columns. */
  readonly keys: Readonly<Record<Key, string>>;
  /** Which groups the list covers: a condition over the keys. Default: all. */
  readonly covered?: string;
  /** Default: none. */
  readonly extremes?: readonly Told[];
  /** Rows at most. */
  readonly limit: number;
}

export type RankedRow<Key extends string, Told extends Extreme = never> = Readonly<Record<Key, string>> &
  Readonly<Record<Told, number>> & {
    readonly hits: number;
    readonly uniqueVisitors: number;
  };

export interface RankedList<Key extends string, Told extends Extreme = never> {
  /** By hits, most first, then by the keys. */
  readonly rows: readonly RankedRow<Key, Told>[];
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
export async function rankedList<Key extends string, Told extends Extreme = never>(
  asking: Asking,
  { rollUp, keys, covered = '1', extremes = [], limit }: ListOptions<Key, Told>,
): Promise<RankedList<Key, Told>> {
  const names = Object.keys(keys).join(', ');
  const groups = (measures: readonly Measure[], where = AUDIENCE) =>
    asking.source.groups({ rollUp, keys, measures, where });
  const counted = `SELECT ${names}, sum(n) AS hits FROM (${groups(['n'])}) GROUP BY ${names}`;
  const top = `SELECT ${names} FROM (${counted}) WHERE ${covered} ORDER BY hits DESC, ${names} LIMIT {limit:UInt32}`;
  const withVisitors = groups(['n', 'visitors', ...extremes], `${AUDIENCE} AND (${names}) IN (${top})`);

  const told = extremes.map((name) => `, max(${name}) AS ${name}`).join('');
  const [rows, [totals]] = await Promise.all([
    asking.select<RankedRow<Key, Told>>(
      `SELECT ${names}, sum(n) AS hits, least(${visitorsOf(rollUp)}, hits) AS uniqueVisitors${told}
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
