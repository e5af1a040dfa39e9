import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type IsOperator, requireOperator } from '../http/current-user.js';
import { type OverviewDeps, readOverview } from './dataplane-reports.js';
import { DataplaneListSchema, dataplaneList } from './dataplane-schema.js';
import type { ProducerAccount } from './producer-accounts.js';

export interface DataplaneRoutesDeps extends OverviewDeps {
  readonly isOperator: IsOperator;
  /** Rejects while the store cannot be read. */
  readonly readProducers: () => Promise<readonly ProducerAccount[]>;
}

/** `/admin/dataplanes`. */
export function createDataplaneRoutes({
  isOperator,
  readProducers,
  ...overview
}: DataplaneRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/admin/dataplanes',
      {
        config: { scope: 'all' },
        schema: {
          tags: ['operations'],
          operationId: 'listDataplanes',
          summary: 'State of data planes and their hits',
          description: 'Only the operator (the first user of the installation) can use it.',
          response: { 200: DataplaneListSchema },
        },
      },
      async (request) => {
        await requireOperator(isOperator, request.user, 'see its data planes');
        const [standings, producers] = await Promise.all([
          readOverview(overview),
          readProducers().catch((error: unknown) => {
            request.log.warn({ err: error }, 'the accounts of hits could not be read');
            return undefined;
          }),
        ]);
        return dataplaneList(standings, producers);
      },
    );
  };
}
