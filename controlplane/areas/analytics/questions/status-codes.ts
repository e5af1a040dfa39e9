import { Type } from 'typebox';
import { count, percent } from '../analytics-schema.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { percentage } from '../ratios.js';
import { byHits, rowCounts, sumOfHits, withShares } from './list-rows.js';

const statusCode = (description: string) => Type.Integer({ minimum: 100, maximum: 999, description });
const errorCode = (description: string) => Type.Integer({ minimum: 400, maximum: 999, description });
const successCode = (description: string) => Type.Integer({ minimum: 100, maximum: 399, description });

export const statusCodeStats = defineQuestion({
  path: 'stats/status-codes',
  summary: 'Status codes',
  title: 'StatusCodeStats',
  query: {},
  data: Type.Object({
    statusCodes: Type.Array(
      Type.Object({ statusCode: statusCode('HTTP status code.'), ...rowCounts('all these hits') }),
      { description: 'Sorted by hits, then by code.' },
    ),
    summary: Type.Object({
      totalStatusCodes: count('Number of different status codes.'),
      topStatusCode: Type.Union([statusCode('The most frequent value.'), Type.Null()]),
      successRate: percent('Percentage of these hits answered with 2xx or 3xx.'),
    }),
  }),
  meta: {},
  async ask(context) {
    const rows = await readStatusCodes(context);
    const totalHits = sumOfHits(rows);
    const statusCodes = withShares(rows, totalHits);
    const successfulHits = sumOfHits(statusCodes.filter(({ statusCode: code }) => code >= 200 && code < 400));
    const summary = {
      totalStatusCodes: statusCodes.length,
      topStatusCode: statusCodes[0]?.statusCode ?? null,
      successRate: percentage(successfulHits, totalHits),
    };
    return { data: { statusCodes, summary }, meta: {} };
  },
});

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
      Type.Object({ statusCode: successCode('A status below 400.'), ...rowCounts('all successes') }),
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
    const [errors, successes] = [withShares(failed, errorHits), withShares(succeeded, successHits)];
    return { data: { errors, successes, summary }, meta: {} };
  },
});

/** Reads the status codes of the audience's hits, sorted by hits, then by code. */
async function readStatusCodes(context: QueryContext) {
  const keys = { code: 'status_code' };
  const rows = await context.countHits({ rollUp: 'by_day', keys, of: 'audience', withVisitors: true });
  // All codes have three digits, so texts sort like numbers.
  return byHits(rows, ({ code }) => code).map(({ code, hits, uniqueVisitors }) => ({
    statusCode: Number(code),
    ...{ hits, uniqueVisitors },
  }));
}
