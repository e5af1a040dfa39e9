import { Type } from 'typebox';
import { NO_ENTRY } from '../../../../shared/paths/entry-ids.js';
import { count, LimitSchema } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { LIST_COUNTS, LIST_ORDER, rankedShares, topKey } from './ranked-shares.js';

export const unmatchedPathStats = defineQuestion({
  path: 'stats/unmatched-paths',
  summary: 'Requested paths without an entry or rule',
  title: 'UnmatchedPathStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    paths: Type.Array(
      Type.Object({
        path: Type.String({
          description: 'Path of the request without the query. It can be the `source` of a new entry.',
        }),
        ...LIST_COUNTS,
      }),
      { description: LIST_ORDER },
    ),
    summary: Type.Object({
      totalPaths: count('Number of paths, including those beyond the end of the list.'),
      totalHits: count('Hits of all these paths.'),
      topPath: topKey('The first row of the list.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const list = await rankedShares(context, {
      rollUp: 'by_path_and_match',
      keys: { unmatched: UNMATCHED },
      lookUp: { columns: ['path'], textsOf: ({ unmatched }) => [unmatched] },
      covered: "unmatched != ''",
      hasOtherGroups: true,
      limit,
    });
    const paths = list.rows.map(({ unmatched: path, ...counts }) => ({ path, ...counts }));
    const summary = {
      totalPaths: list.totalRows,
      totalHits: list.totalHits,
      topPath: paths[0]?.path ?? null,
    };
    return { data: { paths, summary }, meta: { limit } };
  },
});

/**
 * The path of a hit that neither an entry nor a rule decided, else an empty text. A percentage that leaves the visitor out
 * does not decide; the hit then has its rule and `NO_ENTRY`. The roll-up has exactly this condition as a key.
 */
const UNMATCHED = `if(rule_id = 0 OR entry_id = ${NO_ENTRY}, path, '')`;
