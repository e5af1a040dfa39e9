import { type Asking, AUDIENCE } from './question.js';
import { type HitGroups, type Measure, type RollUp, visitorsOf } from './source.js';

/** Measures whose greatest is told of a row. */
type Extreme = Extract<Measure, 'north' | 'east'>;

export interface ListOptions<Key extends string, Told extends Extreme = never>
  extends Pick<HitGroups, 'rollUp'> {
  /** What tells the rows apart: names, and text expressions over the roll-up's columns. */
  readonly keys: Readonly<Record<Key, string>>;
  /** The columns that the keys are made of, in the roll-up's order. Default: the keys are columns themselves. */
  readonly columns?: readonly string[];
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

const NO_HITS: Totals = { totalRows: 0, totalHits: 0, otherHits: 0 };

/** Roll-ups with so few different rows that visitors are worked out for all of them sooner than the first are found. */
const SMALL: ReadonlySet<RollUp> = new Set(['by_day', 'by_hour', 'by_country', 'by_client', 'by_language']);

/** Hits and visitors of the audience by some keys. */
export function rankedList<Key extends string, Told extends Extreme = never>(
  asking: Asking,
  options: ListOptions<Key, Told>,
): Promise<RankedList<Key, Told>> {
  return SMALL.has(options.rollUp) ? allAtOnce(asking, options) : firstThenVisitors(asking, options);
}

/** The measures of a row, and what is said of them around the groups. */
const measured = (extremes: readonly Extreme[] = []): readonly Measure[] => ['n', 'visitors', ...extremes];

const told = (rollUp: RollUp, extremes: readonly Extreme[] = []) =>
  [
    'sum(n) AS hits',
    `least(${visitorsOf(rollUp)}, hits) AS uniqueVisitors`,
    ...extremes.map((name) => `max(${name}) AS ${name}`),
  ].join(', ');

async function allAtOnce<Key extends string, Told extends Extreme>(
  { source, select }: Asking,
  { rollUp, keys, covered = '1', extremes, limit }: ListOptions<Key, Told>,
): Promise<RankedList<Key, Told>> {
  const names = Object.keys(keys).join(', ');
  const groups = source.groups({ rollUp, keys, measures: measured(extremes), where: AUDIENCE });
  // What the list does not cover comes last, so that there is a row with the totals if there are any hits.
  const found = await select<RankedRow<Key, Told> & Totals & { isCovered: 0 | 1 }>(
    `SELECT *, toUInt8(${covered}) AS isCovered, sum(isCovered) OVER () AS totalRows,
       sumIf(hits, isCovered) OVER () AS totalHits, sumIf(hits, NOT isCovered) OVER () AS otherHits
     FROM (SELECT ${names}, ${told(rollUp, extremes)} FROM (${groups}) GROUP BY ${names})
     ORDER BY isCovered DESC, hits DESC, ${names} LIMIT {limit:UInt32}`,
    { limit },
  );
  const { totalRows, totalHits, otherHits } = found[0] ?? NO_HITS;
  const rows = found.filter(({ isCovered }) => isCovered === 1).map(withoutTotals);
  return { rows, totalRows, totalHits, otherHits };
}

function withoutTotals<Row extends object>(row: Row & Totals & { isCovered: 0 | 1 }): Row {
  const { isCovered, totalRows, totalHits, otherHits, ...rest } = row;
  return rest as unknown as Row;
}

/**
 * Merging visitors is what costs, so the rows are found by their hits first, and visitors worked out for those alone:
 * by a condition on the columns, with which the engine passes over all others.
 */
async function firstThenVisitors<Key extends string, Told extends Extreme>(
  { source, select }: Asking,
  { rollUp, keys, columns, covered = '1', extremes, limit }: ListOptions<Key, Told>,
): Promise<RankedList<Key, Told>> {
  const names = Object.keys(keys).join(', ');
  const named = Object.entries(keys)
    .map(([name, expression]) => `${expression} AS ${name}`)
    .join(', ');
  const parts = columns ?? Object.values<string>(keys);
  const tuple = `(${parts.join(', ')})`;
  const groups = (measures: readonly Measure[], where = AUDIENCE) =>
    source.groups({
      rollUp,
      keys: Object.fromEntries(parts.map((column) => [column, column])),
      measures,
      where,
    });
  const counted = `SELECT ${named}, sum(n) AS hits, groupArray(${tuple}) AS combinations
    FROM (${groups(['n'])}) GROUP BY ${names}`;
  const top = `SELECT ${columns === undefined ? `(${names})` : 'arrayJoin(combinations)'} FROM (
    SELECT * FROM (${counted}) WHERE ${covered} ORDER BY hits DESC, ${names} LIMIT {limit:UInt32})`;
  const withVisitors = groups(measured(extremes), `${AUDIENCE} AND ${tuple} IN (${top})`);

  const [rows, [totals = NO_HITS]] = await Promise.all([
    select<RankedRow<Key, Told>>(
      `SELECT ${named}, ${told(rollUp, extremes)}
       FROM (${withVisitors}) GROUP BY ${names} ORDER BY hits DESC, ${names}`,
      { limit },
    ),
    select<Totals>(
      `SELECT countIf(${covered}) AS totalRows, sumIf(hits, ${covered}) AS totalHits,
         sumIf(hits, NOT (${covered})) AS otherHits
       FROM (${counted})`,
    ),
  ]);
  return { rows, otherHits: totals.otherHits, ...agreeing(totals, rows, limit) };
}

/**
 * The totals of a list that was read by another statement: hits may come between the two. A list that is not cut is all
 * there is, and none is more than that.
 *
 * @param limit rows of the list at most
 */
export function agreeing(
  { totalRows, totalHits }: Omit<Totals, 'otherHits'>,
  rows: readonly { readonly hits: number }[],
  limit: number,
): Omit<Totals, 'otherHits'> {
  const listedHits = rows.reduce((sum, { hits }) => sum + hits, 0);
  const isCut = rows.length === limit && totalRows > limit;
  return isCut
    ? { totalRows, totalHits: Math.max(totalHits, listedHits) }
    : { totalRows: rows.length, totalHits: listedHits };
}
