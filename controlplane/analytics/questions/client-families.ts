import { MAX_LIST_ROWS } from '../analytics-schema.js';
import { type Asking, AUDIENCE } from '../question.js';
import { visitorsOf } from '../source.js';
import { withShares } from './list-rows.js';

export const UNKNOWN = 'unknown';

interface FamilyRow {
  /** `UNKNOWN` where the user agent does not tell. */
  readonly name: string;
  readonly hits: number;
  readonly uniqueVisitors: number;
  /** Of all rows. */
  readonly totalHits: number;
  readonly totalRows: number;
}

/**
 * What visitors use, by hits, most first, then by name. There are so few names that visitors are worked out for all
 * of them at once.
 */
export async function readFamilies({ source, select }: Asking, column: 'device_type' | 'browser_name') {
  const hits = source.groups({
    rollUp: 'by_client',
    keys: { name: `if(${column} = '', '${UNKNOWN}', ${column})` },
    measures: ['n', 'visitors'],
    where: AUDIENCE,
  });
  const rows = await select<FamilyRow>(
    `SELECT name, sum(n) AS hits, least(${visitorsOf('by_client')}, hits) AS uniqueVisitors, sum(hits) OVER () AS totalHits,
       count() OVER () AS totalRows
     FROM (${hits}) GROUP BY name ORDER BY hits DESC, name LIMIT {limit:UInt32}`,
    { limit: MAX_LIST_ROWS },
  );
  const { totalHits = 0, totalRows = 0 } = rows[0] ?? {};
  const counted = rows.map(({ name, hits: ofName, uniqueVisitors }) => ({
    name,
    hits: ofName,
    uniqueVisitors,
  }));
  return {
    families: withShares(counted, totalHits),
    totalRows,
    /** The first one that is known. */
    top: rows.find(({ name }) => name !== UNKNOWN)?.name ?? null,
  };
}
