import { Type } from 'typebox';
import { count, LimitSchema } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { LIST_COUNTS, LIST_ORDER, rankedShares, topKey } from './ranked-shares.js';

export const userAgentStats = defineQuestion({
  path: 'stats/user-agents',
  summary: 'Which user agents visitors sent',
  title: 'UserAgentStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    userAgents: Type.Array(
      Type.Object({
        userAgent: Type.String({ description: 'As sent; empty where none was.' }),
        ...LIST_COUNTS,
      }),
      { description: LIST_ORDER },
    ),
    summary: Type.Object({
      totalUserAgents: count('User agents, also those beyond the end of the list.'),
      topUserAgent: topKey('The first one.'),
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
