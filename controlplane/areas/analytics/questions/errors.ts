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
  summary: 'Errors',
  title: 'ErrorStats',
  query: {},
  data: Type.Object({
    errors: Type.Array(
      Type.Object({
        statusCode: errorCode('4xx or 5xx. `hits?statusCode=` lists these hits.'),
        ...rowCounts('all errors'),
      }),
      { description: 'Sorted by hits, then by code.' },
    ),
    successes: Type.Array(
      Type.Object({ statusCode: statusCode('A status below 400.'), ...rowCounts('all successes') }),
      { description: 'Sorted by hits, then by code.' },
    ),
    summary: Type.Object({
      totalHits: count('All hits, with or without errors. Includes bots unless `includeBots=false`.'),
      errorHits: count('Hits answered with 4xx or 5xx.'),
      successHits: count('Hits answered with a status below 400.'),
      errorRate: percent('Percentage of `errorHits` in `totalHits`.'),
      successRate: percent('Percentage of `successHits` in `totalHits`.'),
      topStatusCode: Type.Union([errorCode('The most frequent value.'), Type.Null()]),
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
