import { MAX_LIST_ROWS } from '../analytics-schema.js';
import type { QueryContext } from '../question.js';
import { rankedList } from '../ranked-list.js';
import { withShares } from './list-rows.js';

export const UNKNOWN = 'unknown';

/** Software of visitors, sorted by hits, then by name. The name is `UNKNOWN` if the user agent does not tell. */
export async function readFamilies(context: QueryContext, column: 'device_type' | 'browser_name') {
  const { rows, totalRows, totalHits } = await rankedList(context, {
    rollUp: 'by_client',
    keys: { name: `if(${column} = '', '${UNKNOWN}', ${column})` },
    limit: MAX_LIST_ROWS,
  });
  return {
    families: withShares(rows, totalHits),
    totalRows,
    /** The first one that is known. */
    top: rows.find(({ name }) => name !== UNKNOWN)?.name ?? null,
  };
}
