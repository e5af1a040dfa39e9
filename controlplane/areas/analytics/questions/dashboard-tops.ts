import { count, percent } from '../analytics-schema.js';
import { AUDIENCE, type QueryContext } from '../question.js';
import type { RollUp } from '../source.js';
import { byHits, sumOfHits, withShares } from './list-rows.js';

const TOP_ROWS = 10;

/** Columns of the dashboard's lists beside the key. */
export const TOP_COUNTS = {
  count: count('Excludes bots unless `includeBots`.'),
  percentage: percent('Percentage of all hits of the list, including rows beyond its end.'),
};

export const TOP_ORDER = `The first ${TOP_ROWS}, sorted by hits, then by name.`;

export interface TopRow {
  readonly name: string;
  readonly count: number;
  readonly percentage: number;
}

/**
 * Returns the rows with the most hits, without visitors, of a roll-up with few rows. It is counted by the same statement as the
 * other lists of the roll-up in the request.
 *
 * @param key text expression over the roll-up's columns; rows with an empty one are left out
 */
export async function countTops({ countHits }: QueryContext, rollUp: RollUp, key: string): Promise<TopRow[]> {
  const counted = await countHits({ rollUp, keys: { name: key }, of: 'audience' });
  const rows = counted.filter(({ name }) => name !== '');
  return topRows(
    byHits(rows, ({ name }) => name),
    sumOfHits(rows),
  );
}

/** Does the same for a roll-up with many rows, by a separate statement that reads only the top rows. */
export async function readTops(
  { source, select }: QueryContext,
  rollUp: RollUp,
  key: string,
): Promise<TopRow[]> {
  const groups = source.groups({ rollUp, keys: { name: key }, measures: ['n'], where: AUDIENCE });
  const rows = await select<{ name: string; hits: number; totalHits: number }>(
    `SELECT name, sum(n) AS hits, sum(hits) OVER () AS totalHits FROM (${groups}) WHERE name != ''
     GROUP BY name ORDER BY hits DESC, name LIMIT {limit:UInt32}`,
    { limit: TOP_ROWS },
  );
  return topRows(rows, rows[0]?.totalHits ?? 0);
}

function topRows(rows: readonly { name: string; hits: number }[], totalHits: number): TopRow[] {
  const shown = withShares(rows.slice(0, TOP_ROWS), totalHits);
  return shown.map(({ name, hits, percentage }) => ({ name, count: hits, percentage }));
}
