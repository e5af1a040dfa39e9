import { count, percent } from '../analytics-schema.js';
import { type Asking, AUDIENCE } from '../question.js';
import type { HitGroups } from '../source.js';
import { withShares } from './list-rows.js';

const TOP_ROWS = 10;

/** What rows of the dashboard's lists say beside their key. */
export const TOP_COUNTS = {
  count: count('Hits; without bots unless `includeBots`.'),
  percentage: percent('Share of all hits that the list covers, also those beyond its end.'),
};

export const TOP_ORDER = `By hits, most first, then by name; ${TOP_ROWS} at most.`;

interface TopList extends Pick<HitGroups, 'rollUp'> {
  /** What tells the rows apart: an expression over the roll-up's columns. */
  readonly key: string;
  /** Which rows the list covers: a condition over `name`. Default: all. */
  readonly covered?: string;
}

export interface TopRow<Key> {
  readonly name: Key;
  readonly count: number;
  readonly percentage: number;
}

/** The most frequent ones, by hits alone. */
export async function readTop<Key extends string | number>(
  { source, select }: Asking,
  { rollUp, key, covered = '1' }: TopList,
): Promise<TopRow<Key>[]> {
  const groups = source.groups({ rollUp, keys: { name: key }, measures: ['n'], where: AUDIENCE });
  const rows = await select<{ name: Key; hits: number; totalHits: number }>(
    `SELECT name, sum(n) AS hits, sum(sum(n)) OVER () AS totalHits
     FROM (${groups}) WHERE ${covered} GROUP BY name ORDER BY hits DESC, name LIMIT {limit:UInt32}`,
    { limit: TOP_ROWS },
  );
  return withShares(rows, rows[0]?.totalHits ?? 0).map(({ name, hits, percentage }) => ({
    name,
    count: hits,
    percentage,
  }));
}
