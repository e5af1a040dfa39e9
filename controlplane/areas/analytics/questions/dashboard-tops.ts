import { count, percent } from '../analytics-schema.js';
import { AUDIENCE, type QueryContext } from '../question.js';
import type { HitGroups } from '../source.js';
import { withShares } from './list-rows.js';

const TOP_ROWS = 10;

/** Columns of the dashboard's lists beside the key. */
export const TOP_COUNTS = {
  count: count('Excludes bots unless `includeBots`.'),
  percentage: percent('Percentage of all hits of the list, including rows beyond its end.'),
};

export const TOP_ORDER = `The first ${TOP_ROWS}, sorted by hits, then by name.`;

interface TopLists<List extends string> extends Pick<HitGroups, 'rollUp'> {
  /**
   * Keys of each list: text expressions over the roll-up's columns, with names that no column has. Rows with an empty
   * key are left out.
   */
  readonly keys: Readonly<Record<List, string>>;
}

export interface TopRow {
  readonly name: string;
  readonly count: number;
  readonly percentage: number;
}

/** Reads the rows with the most hits, without visitors: all lists of a roll-up with one statement. */
export async function readTops<List extends string>(
  { source, select }: QueryContext,
  { rollUp, keys }: TopLists<List>,
): Promise<Readonly<Record<List, TopRow[]>>> {
  const lists = Object.keys(keys) as List[];
  const groups = source.groups({ rollUp, keys, measures: ['n'], where: AUDIENCE });
  const isOfList = lists.map((list) => `grouping(${list}) = 0, '${list}'`).join(', ');
  const nameInList = lists.map((list) => `list = '${list}', ${list}`).join(', ');
  const rows = await select<{ list: List; name: string; hits: number; totalHits: number }>(
    `SELECT list, name, hits, sum(hits) OVER (PARTITION BY list) AS totalHits
     FROM (
       SELECT multiIf(${isOfList}, '') AS list, multiIf(${nameInList}, '') AS name, sum(n) AS hits
       FROM (${groups}) GROUP BY GROUPING SETS (${lists.map((list) => `(${list})`).join(', ')})
     ) WHERE name != '' ORDER BY list, hits DESC, name LIMIT {limit:UInt32} BY list`,
    { limit: TOP_ROWS },
  );
  const rowsOf = (wanted: List): TopRow[] => {
    const listed = rows.filter(({ list }) => list === wanted);
    return withShares(listed, listed[0]?.totalHits ?? 0).map(({ name, hits, percentage }) => ({
      name,
      count: hits,
      percentage,
    }));
  };
  return Object.fromEntries(lists.map((list) => [list, rowsOf(list)])) as Record<List, TopRow[]>;
}
