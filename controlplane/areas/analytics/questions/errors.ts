import { Type } from 'typebox';
import { count, percent } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { percentage } from '../ratios.js';
import { rowCounts, sumOfHits, withShares } from './list-rows.js';
import { readStatusCodes } from './status-codes.js';

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
    const coded = await readStatusCodes(context);
    const totalHits = sumOfHits(coded);
    const failed = coded.filter(({ statusCode: code }) => code >= 400);
    const succeeded = coded.filter(({ statusCode: code }) => code < 400);
    const errorHits = sumOfHits(failed);
    const successHits = sumOfHits(succeeded);
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
