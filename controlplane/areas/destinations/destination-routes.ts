import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type IsOperator, requireOperator } from '../../http/current-user.js';
import { decodeCursor, toReadPage } from '../../http/page-cursor.js';
import { IdParamSchema } from '../../http/schema-parts.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { RedirectService } from '../redirects/public.js';
import { brokenRecord, readBrokenDestinations, readDestinations } from './destination-records.js';
import { BrokenPageSchema, BrokenQuerySchema, RedirectHealthSchema } from './destination-schema.js';

export interface DestinationRoutesDeps {
  readonly database: Queryable;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  readonly isOperator: IsOperator;
}

/** Routes that show the destinations of a redirect with their last checks, and the broken ones of all users. */
export function createDestinationRoutes({
  database,
  redirects,
  isOperator,
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

    app.get(
      '/admin/destinations',
      {
        config: { scope: 'all' },
        schema: {
          operationId: 'listBrokenDestinations',
          tags: ['operations'],
          summary: 'List the broken destinations of all users, the last to break first',
          description: 'Only the operator (the first user of the installation) can use it.',
          querystring: BrokenQuerySchema,
          response: { 200: BrokenPageSchema },
        },
      },
      async ({ user, query: { limit, cursor, search } }) => {
        await requireOperator(isOperator, user, 'see destinations of all users');
        const rows = await readBrokenDestinations(database, decodeCursor(cursor), limit, search);
        return toReadPage(rows, limit, brokenRecord);
      },
    );
  };
}
