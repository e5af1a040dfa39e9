import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Queryable } from '../../storage/postgres/database.js';
import { IdParamSchema, type RedirectService } from '../redirects/public.js';
import { readDestinations } from './destination-records.js';
import { RedirectHealthSchema } from './destination-schema.js';

export interface DestinationRoutesDeps {
  readonly database: Queryable;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
}

/** The route that shows the destinations of a redirect with their last checks. */
export function createDestinationRoutes({
  database,
  redirects,
}: DestinationRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/redirects/:id/health',
      {
        config: { scope: 'redirects:read' },
        schema: {
          operationId: 'getRedirectHealth',
          tags: ['redirects'],
          summary: 'Whether the destinations of a redirect work',
          description:
            'Destinations of verified redirects are requested about once a day. One is `broken` after three failed checks in a row over at least 15 minutes. 5xx, timeouts, failures of DNS, TLS and connections, and 4xx except 401, 403, 405 and 429 are failures.',
          params: IdParamSchema,
          response: { 200: RedirectHealthSchema },
        },
      },
      async ({ params, user }) => {
        const { id } = await redirects.requireOwned(params.id, user.id);
        return readDestinations(database, id);
      },
    );
  };
}
