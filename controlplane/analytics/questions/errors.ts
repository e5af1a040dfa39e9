import { Type } from 'typebox';
import { count, MAX_LIST_ROWS, percent } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { rankedList } from '../ranked-list.js';
import { percentage } from '../ratios.js';
import { rowCounts, withShares } from './list-rows.js';

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
    summary: Type.Object({
      totalHits: count('All hits, errors or not; without bots unless `includeBots`.'),
      errorHits: count('Those answered with 4xx or 5xx.'),
      errorRate: percent('Share of `errorHits` in `totalHits`.'),
      topStatusCode: Type.Union([errorCode('The most frequent one.'), Type.Null()]),
    }),
  }),
  meta: {},
  async ask(asking) {
    const { rows, totalHits, otherHits } = await rankedList(asking, {
      rollUp: 'by_day',
      keys: { code: 'toString(status_code)' },
      // All codes have three digits, so that the order of texts is that of numbers.
      covered: "code >= '400'",
      limit: MAX_LIST_ROWS,
    });
    const errors = withShares(rows, totalHits).map(({ code, ...counts }) => ({
      statusCode: Number(code),
      ...counts,
    }));
    const summary = {
      totalHits: totalHits + otherHits,
      errorHits: totalHits,
      errorRate: percentage(totalHits, totalHits + otherHits),
      topStatusCode: errors[0]?.statusCode ?? null,
    };
    return { data: { errors, summary }, meta: {} };
  },
});
