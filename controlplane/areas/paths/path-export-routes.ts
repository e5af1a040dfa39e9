import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import { clientLeft } from '../../http/answer-over.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { createUserStreams, type RedirectService } from '../redirects/public.js';
import { EXPORT_FORMATS, type ExportFormat, WRITERS } from './path-export.js';
import { pathRepository } from './path-repository.js';
import { RedirectParamSchema } from './path-schema.js';
import type { StoredEntry } from './path-table.js';

const ENTRIES_PER_PAGE = 1_000;

const FILES: Readonly<Record<ExportFormat, { readonly type: string; readonly name: string }>> = {
  csv: { type: 'text/csv; charset=utf-8', name: 'paths.csv' },
  json: { type: 'application/json; charset=utf-8', name: 'paths.json' },
  nginx: { type: 'text/plain; charset=utf-8', name: 'redirects.conf' },
  netlify: { type: 'text/plain; charset=utf-8', name: '_redirects' },
  caddy: { type: 'text/plain; charset=utf-8', name: 'Caddyfile' },
};

const FileSchema = {
  description: 'A file.',
  content: {
    'text/csv': {
      schema: Type.Unsafe<Readable>({
        type: 'string',
        description: 'The columns are the members of an entry. `query` is JSON.',
      }),
    },
    'text/plain': {
      schema: Type.Unsafe<Readable>({
        type: 'string',
        description: 'Configuration for nginx, Netlify or Caddy.',
      }),
    },
    'application/json': { schema: Type.Array(Type.Unknown({ description: 'Path table entry.' })) },
  },
};

export interface PathExportRoutesDeps {
  readonly database: Queryable;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
}

/** The table of paths of a redirect as a file. */
export function createPathExportRoutes(deps: PathExportRoutesDeps): FastifyPluginAsyncTypebox {
  const { database, redirects } = deps;
  const stream = createUserStreams();

  async function* pages(redirectId: string): AsyncGenerator<readonly StoredEntry[]> {
    for (let after = 0; ; ) {
      const page = { after, limit: ENTRIES_PER_PAGE, search: '' };
      const entries = await pathRepository.pageOfEntries(database, redirectId, page);
      yield entries;
      const last = entries.at(-1);
      if (last === undefined || entries.length < ENTRIES_PER_PAGE) return;
      after = last.id;
    }
  }

  return async (app) => {
    app.get(
      '/exports/redirects/:id/paths',
      {
        config: { scope: 'redirects:read' },
        // A HEAD request would read the whole file.
        exposeHeadRoute: false,
        schema: {
          operationId: 'exportRedirectPaths',
          tags: ['paths'],
          summary: 'Export the table of paths',
          description:
            'Oldest first. `POST /imports?kind=paths` accepts the `csv` file. Entries that nginx, Netlify or Caddy cannot express become comments. The file is incomplete if the response does not end properly.',
          params: RedirectParamSchema,
          querystring: Type.Object({
            format: Type.Optional(Type.Enum([...EXPORT_FORMATS], { description: 'Default: `csv`.' })),
          }),
          response: { 200: FileSchema },
        },
      },
      async (request, reply) => {
        const { user, params, query } = request;
        const { format = 'csv' } = query;
        const redirect = await redirects.requireOwned(params.id, user.id);
        const table = await pathRepository.findTable(database, redirect.id);
        const options = table?.options ?? DEFAULT_PATH_OPTIONS;
        const file = await stream(user.id, clientLeft(reply), async () =>
          WRITERS[format]({ redirect, options, pages: () => pages(redirect.id) }),
        );
        reply.header('Content-Disposition', `attachment; filename="${FILES[format].name}"`);
        return reply.type(FILES[format].type).send(file);
      },
    );
  };
}
