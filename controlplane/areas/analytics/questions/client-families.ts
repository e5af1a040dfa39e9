import type { QueryContext } from '../question.js';
import { byHits, sumOfHits, withShares } from './list-rows.js';

export const UNKNOWN = 'unknown';

/** Software of visitors, sorted by hits, then by name. The name is `UNKNOWN` if the user agent does not contain it. */
export async function readFamilies(context: QueryContext, column: 'device_type' | 'browser_name') {
  const keys = { name: `if(${column} = '', '${UNKNOWN}', ${column})` };
  const rows = await context.countHits({ rollUp: 'by_client', keys, of: 'audience', withVisitors: true });
  const families = byHits(rows, ({ name }) => name);
  return {
    families: withShares(families, sumOfHits(families)),
    /** Returns the first known one. */
    top: families.find(({ name }) => name !== UNKNOWN)?.name ?? null,
  };
}
