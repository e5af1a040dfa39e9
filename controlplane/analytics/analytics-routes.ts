import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  BasicStatsSchema,
  RedirectParams,
  StatsQuerySchema,
  TimeStatsQuerySchema,
  TimeStatsSchema,
} from './analytics-schema.js';
import type { AnalyticsService } from './analytics-service.js';

export interface AnalyticsRoutesDeps {
  readonly analytics: AnalyticsService;
}

const config = { scope: 'analytics:read' } as const;

/** The statistics of one redirect. */
export function createAnalyticsRoutes({ analytics }: AnalyticsRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/analytics/redirect/:redirectId/stats/basic',
      {
        config,
        schema: {
          tags: ['analytics'],
          summary: 'Counts of a period',
          params: RedirectParams,
          querystring: StatsQuerySchema,
          response: { 200: BasicStatsSchema },
        },
      },
      async ({ params, user, query }) => analytics.basicStats(params.redirectId, user.id, query),
    );

    app.get(
      '/analytics/redirect/:redirectId/stats/time',
      {
        config,
        schema: {
          tags: ['analytics'],
          summary: 'Hits over time',
          params: RedirectParams,
          querystring: TimeStatsQuerySchema,
          response: { 200: TimeStatsSchema },
        },
      },
      async ({ params, user, query }) => analytics.timeStats(params.redirectId, user.id, query),
    );
  };
}
