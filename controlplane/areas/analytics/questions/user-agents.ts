import { Type } from 'typebox';
import { count, LimitSchema } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { LIST_COUNTS, LIST_ORDER, rankedShares, topKey } from './ranked-shares.js';

export const userAgentStats = defineQuestion({
  path: 'stats/user-agents',
  summary: 'User agents',
  title: 'UserAgentStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    userAgents: Type.Array(
      Type.Object({
        userAgent: Type.String({ description: '`User-Agent` of the requests, or an empty string.' }),
        ...LIST_COUNTS,
      }),
      { description: LIST_ORDER },
    ),
    summary: Type.Object({
      totalUserAgents: count('Number of user agents, including those beyond the end of the list.'),
      topUserAgent: topKey('The first row of the list.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const { rows, totalRows } = await rankedShares(context, {
      rollUp: 'by_user_agent',
      keys: { userAgent: 'user_agent' },
      limit,
    });
    const summary = { totalUserAgents: totalRows, topUserAgent: rows[0]?.userAgent ?? null };
    return { data: { userAgents: rows, summary }, meta: { limit } };
  },
});
