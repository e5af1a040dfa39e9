import { Type } from 'typebox';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { percentage } from '../ratios.js';
import { LIST_COUNTS, LIST_ORDER, rankedShares, topKey } from './ranked-shares.js';

export const destinationUrlStats = defineQuestion({
  path: 'stats/destination-urls',
  summary: 'Destinations',
  title: 'DestinationUrlStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    destinationUrls: Type.Array(
      Type.Object({
        destinationUrl: Type.String({ description: '`Location` of the answers.' }),
        ...LIST_COUNTS,
      }),
      { description: `${LIST_ORDER} Answers without a \`Location\` are left out.` },
    ),
    summary: Type.Object({
      totalHits: count('Hits of the period. Excludes bots unless `includeBots`.'),
      sentHits: count('Hits with a destination, including rows beyond the end of the list.'),
      totalDestinationUrls: count('Number of destinations, including those beyond the end of the list.'),
      topDestinationUrl: topKey('The first row of the list.'),
      coverage: percent('Percentage of hits with a destination.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const { rows, totalRows, totalHits, otherHits } = await rankedShares(context, {
      rollUp: 'by_destination',
      keys: { destinationUrl: 'destination_url' },
      covered: "destinationUrl != ''",
      limit,
    });
    const summary = {
      totalHits: totalHits + otherHits,
      sentHits: totalHits,
      totalDestinationUrls: totalRows,
      topDestinationUrl: rows[0]?.destinationUrl ?? null,
      coverage: percentage(totalHits, totalHits + otherHits),
    };
    return { data: { destinationUrls: rows, summary }, meta: { limit } };
  },
});
