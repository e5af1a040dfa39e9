import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { clientLeft } from '../../http/answer-over.js';
import { csvLine } from '../../http/csv.js';
import { useTag } from '../../http/openapi-tags.js';
import { decodeCursor, encodeCursor, FIRST_PAGE } from '../../http/page-cursor.js';
import type { Database } from '../../storage/postgres/database.js';
import { auditFilterOf } from './audit-filter.js';
import { type AuditFilter, type AuditPosition, historyRepository } from './history-repository.js';
import {
  AuditExportQuerySchema,
  AuditPageSchema,
  AuditQuerySchema,
  type AuditRecord,
  auditRecord,
} from './history-schema.js';

export interface AuditRoutesDeps {
  readonly database: Database;
  /** Streams pieces of an answer to a user, one answer at a time. */
  readonly streamToUser: (
    userId: string,
    signal: AbortSignal,
    open: () => Promise<AsyncIterable<Buffer>>,
  ) => Promise<Readable>;
}

const ENTRIES_AT_ONCE = 1_000;
/** Position after every id. */
const LAST_ID = '9223372036854775807';

const config = { scope: 'redirects:read' } as const;
const WHAT =
  'Changes of redirects with their rules and paths, certificates and imports. A token with `tokens:write` sees those of tokens, sessions and the account too, and one with `billing:read` those of webhook endpoints. Entries cannot be changed, and are kept for the days of statistics of the plan.';

/** `GET /audit` and `GET /exports/audit`. */
export function createAuditRoutes({ database, streamToUser }: AuditRoutesDeps): FastifyPluginAsyncTypebox {
  const read = (userId: string, filter: AuditFilter, after: AuditPosition, limit: number) =>
    historyRepository.audit(database, userId, filter, after, limit);

  async function* pagesOf(userId: string, filter: AuditFilter): AsyncGenerator<AuditRecord[]> {
    let after = START;
    for (;;) {
      const rows = await read(userId, filter, after, ENTRIES_AT_ONCE);
      yield rows.map(auditRecord);
      const last = rows.at(-1);
      if (last === undefined || rows.length < ENTRIES_AT_ONCE) return;
      after = last;
    }
  }

  return async (app) => {
    useTag(app, 'history');
    app.get(
      '/audit',
      {
        config,
        schema: {
          operationId: 'listAuditEntries',
          summary: 'Changes of everything you own, newest first',
          description: `${WHAT} A bulk request or an import makes one entry for up to 1,000 redirects.`,
          querystring: AuditQuerySchema,
          response: { 200: AuditPageSchema },
        },
      },
      async ({ user, query: { limit, cursor, ...query } }) => {
        const filter = auditFilterOf(query, user.scopes);
        const rows = await read(user.id, filter, positionOf(cursor), limit + 1);
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return {
          data: shown.map(auditRecord),
          page: { limit, nextCursor: last ? encodeCursor(last) : null },
        };
      },
    );

    app.get(
      '/exports/audit',
      {
        config,
        // A HEAD request would read the whole log.
        exposeHeadRoute: false,
        schema: {
          operationId: 'exportAuditEntries',
          summary: 'Changes of everything you own as a file',
          description: `Newest first. ${WHAT} A file that breaks off without an end of the response is not complete.`,
          querystring: AuditExportQuerySchema,
          response: { 200: ExportSchema },
        },
      },
      async (request, reply) => {
        const { user, query } = request;
        const { format = 'csv', ...filters } = query;
        const filter = auditFilterOf(filters, user.scopes);
        const file = await streamToUser(user.id, clientLeft(reply), async () =>
          WRITERS[format](pagesOf(user.id, filter)),
        );
        reply.header('Content-Disposition', `attachment; filename="audit.${format}"`);
        return reply.type(MEDIA_TYPES[format]).send(file as never);
      },
    );
  };
}

const START: AuditPosition = { at: FIRST_PAGE.at, id: LAST_ID };

/** @throws {AppError} INVALID_REQUEST */
function positionOf(cursor: string | undefined): AuditPosition {
  const { at, id } = decodeCursor(cursor);
  return /^\d{1,18}$/.test(id) ? { at, id } : START;
}

const MEDIA_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const;

const ExportSchema = {
  description: 'The file.',
  content: {
    'text/csv': {
      schema: Type.String({
        description:
          'RFC 4180 with a header line. A text that a spreadsheet would take for a formula has an apostrophe in front of it.',
      }),
    },
    'application/x-ndjson': { schema: Type.String({ description: 'One entry on each line.' }) },
  },
};

const COLUMNS = `id,at,action,resourceType,resourceId,resourceName,resourceCount,version,summary,userId,email,tokenId,address`;

const WRITERS: Readonly<
  Record<keyof typeof MEDIA_TYPES, (pages: AsyncIterable<readonly AuditRecord[]>) => AsyncIterable<Buffer>>
> = {
  async *csv(pages) {
    yield Buffer.from(csvLine(COLUMNS.split(',')));
    for await (const page of pages) yield Buffer.from(page.map(csvLineOf).join(''));
  },
  async *ndjson(pages) {
    for await (const page of pages) {
      yield Buffer.from(page.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    }
  },
};

function csvLineOf({ id, at, action, resource, version, summary, by }: AuditRecord): string {
  const { type, id: resourceId, name, count } = resource;
  const { userId, email, tokenId, address } = by;
  return csvLine([
    id,
    at,
    action,
    type,
    resourceId,
    name,
    count,
    version,
    summary,
    userId,
    email,
    tokenId,
    address,
  ]);
}
