import { Type } from 'typebox';
import { count, MAX_LIST_ROWS, percent } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { rankedList } from '../ranked-list.js';
import { percentage } from '../ratios.js';
import { rowCounts, withShares } from './list-rows.js';

const statusCode = (description: string) => Type.Integer({ minimum: 100, maximum: 999, description });

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
    const { rows, totalRows, totalHits } = await rankedList(context, {
      rollUp: 'by_day',
      keys: { code: 'toString(status_code)' },
      limit: MAX_LIST_ROWS,
    });
    const statusCodes = withShares(rows, totalHits).map(({ code, ...counts }) => ({
      statusCode: Number(code),
      ...counts,
    }));
    const successfulHits = statusCodes
      .filter(({ statusCode: code }) => code >= 200 && code < 400)
      .reduce((sum, { hits }) => sum + hits, 0);
    const summary = {
      totalStatusCodes: totalRows,
      topStatusCode: statusCodes[0]?.statusCode ?? null,
      successRate: percentage(successfulHits, totalHits),
    };
    return { data: { statusCodes, summary }, meta: {} };
  },
});
