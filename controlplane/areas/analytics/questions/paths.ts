import { Type } from 'typebox';
import { count, LimitSchema } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { LIST_COUNTS, LIST_ORDER, rankedShares, topKey } from './ranked-shares.js';

export const pathStats = defineQuestion({
  path: 'stats/paths',
  summary: 'Requested paths',
  title: 'PathStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    paths: Type.Array(
      Type.Object({
        path: Type.String({ description: 'Path of the request without the query.' }),
        ...LIST_COUNTS,
      }),
      { description: LIST_ORDER },
    ),
    summary: Type.Object({
      totalPaths: count('Number of paths, including those beyond the end of the list.'),
      topPath: topKey('The first row of the list.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const list = await rankedShares(context, { rollUp: 'by_path_and_match', keys: { path: 'path' }, limit });
    const summary = { totalPaths: list.totalRows, topPath: list.rows[0]?.path ?? null };
    return { data: { paths: list.rows, summary }, meta: { limit } };
  },
});
