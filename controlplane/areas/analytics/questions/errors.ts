import { Type } from 'typebox';
import { count, MAX_LIST_ROWS, percent } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { rankedList } from '../ranked-list.js';
import { percentage } from '../ratios.js';
import { rowCounts, withShares } from './list-rows.js';

const statusCode = (description: string) => Type.Integer({ minimum: 100, maximum: 399, description });
const errorCode = (description: string) => Type.Integer({ minimum: 400, maximum: 999, description });

export const errorStats = defineQuestion({
  path: 'stats/errors',
  summary: 'What could not be redirected',
  title: 'ErrorStats',
  query: {},
  data: Type.Object({
    errors: Type.Array(
      Type.Object({
        statusCode: errorCode('4xx or 5xx. `hits?statusCode=` lists the hits that got it.'),
        ...rowCounts('all errors'),
      }),
      { description: 'By hits, most first, then by code.' },
    ),
    successes: Type.Array(
      Type.Object({ statusCode: statusCode('Below 400.'), ...rowCounts('all successes') }),
      { description: 'By hits, most first, then by code.' },
    ),
    summary: Type.Object({
      totalHits: count("All hits, errors or not; bots' included unless `includeBots=false`."),
      errorHits: count('Those answered with 4xx or 5xx.'),
      successHits: count('All others.'),
      errorRate: percent('Share of `errorHits` in `totalHits`.'),
      successRate: percent('Share of `successHits` in `totalHits`.'),
      topStatusCode: Type.Union([errorCode('The most frequent one.'), Type.Null()]),
    }),
  }),
  meta: {},
  bots: 'included',
  async ask(context) {
    const { rows, totalHits } = await rankedList(context, {
      rollUp: 'by_day',
      // All codes have three digits, so that the order of texts is that of numbers.
      keys: { code: 'toString(status_code)' },
      limit: MAX_LIST_ROWS,
    });
    const coded = rows.map(({ code, ...counts }) => ({ statusCode: Number(code), ...counts }));
    const failed = coded.filter(({ statusCode: code }) => code >= 400);
    const succeeded = coded.filter(({ statusCode: code }) => code < 400);
    const errorHits = hitsOf(failed);
    const successHits = hitsOf(succeeded);
    const summary = {
      totalHits,
      errorHits,
      successHits,
      errorRate: percentage(errorHits, totalHits),
      successRate: percentage(successHits, totalHits),
      topStatusCode: failed[0]?.statusCode ?? null,
    };
    return {
      data: {
        errors: withShares(failed, errorHits),
        successes: withShares(succeeded, successHits),
        summary,
      },
      meta: {},
    };
  },
});

function hitsOf(rows: readonly { readonly hits: number }[]): number {
  return rows.reduce((sum, { hits }) => sum + hits, 0);
}
