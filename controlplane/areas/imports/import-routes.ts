import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientLeft } from '../../http/answer-over.js';
import { useTag } from '../../http/openapi-tags.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { createUserStreams } from '../redirects/public.js';
import { importRecord } from './import-record.js';
import { reportCsv, reportPage } from './import-report.js';
import {
  IdParamSchema,
  ImportListSchema,
  ImportSchema,
  ListQuerySchema,
  RowsQuerySchema,
  RowsSchema,
} from './import-schema.js';
import type { ImportService } from './import-service.js';

export interface ImportRoutesDeps {
  readonly service: ImportService;
  readonly database: Queryable;
}

const reading = { scope: 'redirects:read' } as const;
const DEFAULT_LIMIT = 50;

/** Routes about imports whose files have arrived. */
export function createImportRoutes({ service, database }: ImportRoutesDeps): FastifyPluginAsyncTypebox {
  const stream = createUserStreams();

  return async (app) => {
    useTag(app, 'imports');
    app.get(
      '/imports',
      {
        config: reading,
        schema: {
          summary: 'List your imports, newest first',
          querystring: ListQuerySchema,
          response: { 200: ImportListSchema },
        },
      },
      async ({ user, query: { limit = DEFAULT_LIMIT, cursor } }) =>
        service.list(user.id, { limit, ...(cursor !== undefined && { cursor }) }),
    );

    app.get(
      '/imports/:id',
      {
        config: reading,
        schema: {
          summary: 'Get an import and its progress',
          params: IdParamSchema,
          response: { 200: ImportSchema },
        },
      },
      async ({ user, params }) => importRecord(await service.requireOwned(params.id, user.id)),
    );

    app.get(
      '/imports/:id/rows',
      {
        config: reading,
        exposeHeadRoute: false,
        schema: {
          operationId: 'listImportRows',
          summary: 'Results of the rows of an import',
          params: IdParamSchema,
          querystring: RowsQuerySchema,
          response: { 200: RowsSchema },
        },
      },
      async (request, reply) => {
        const { user, params, query } = request;
        const { status, format = 'json', limit = DEFAULT_LIMIT, cursor } = query;
        const { id } = await service.requireOwned(params.id, user.id);
        if (format === 'json') {
          return reportPage(database, id, {
            limit,
            ...(status !== undefined && { status }),
            ...(cursor !== undefined && { cursor }),
          });
        }
        const file = await stream(user.id, clientLeft(reply), async () => reportCsv(database, id, status));
        reply.header('Content-Disposition', 'attachment; filename="import-rows.csv"');
        return reply.type('text/csv; charset=utf-8').send(file);
      },
    );

    app.post(
      '/imports/:id/cancel',
      {
        config: { scope: 'redirects:write' },
        schema: {
          operationId: 'cancelImport',
          summary: 'Cancel an import',
          description: 'Finished rows stay applied. Canceling an ended import changes nothing.',
          params: IdParamSchema,
          response: { 200: ImportSchema },
        },
      },
      async ({ user, params }) => importRecord(await service.cancel(params.id, user)),
    );
  };
}
