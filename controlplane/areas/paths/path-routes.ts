import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '../../errors/app-error.js';
import { MessageSchema } from '../redirects/public.js';
import type { EntryHits, ReadEntryHits } from './entry-hits.js';
import { settingsOf } from './path-file.js';
import {
  EntryChangesSchema,
  EntryListSchema,
  EntryParamSchema,
  type EntryRecord,
  EntrySchema,
  ListQuerySchema,
  NewEntrySchema,
  NewTableSchema,
  RedirectParamSchema,
  TableReplacedSchema,
  TestedPathsSchema,
  TestPathsSchema,
} from './path-schema.js';
import type { PathService } from './path-service.js';
import type { StoredEntry } from './path-table.js';
import type { PathTest } from './path-test.js';

export interface PathRoutesDeps {
  readonly service: PathService;
  readonly test: PathTest;
  readonly hitsOf: ReadEntryHits;
}

const tags = ['paths'];
const reading = { scope: 'redirects:read' } as const;
const writing = { scope: 'redirects:write' } as const;
/** 100,000 entries of usual length, with room. */
const TABLE_LIMIT_BYTES = 64 * 1024 * 1024;
/** 10,000 URLs of usual length. */
const URLS_LIMIT_BYTES = 8 * 1024 * 1024;
const DEFAULT_LIMIT = 50;
const PATH = '/redirects/:id/paths';

/** Routes of tables of paths. */
export function createPathRoutes({ service, test, hitsOf }: PathRoutesDeps): FastifyPluginAsyncTypebox {
  async function records(
    redirectId: string,
    entries: readonly StoredEntry[],
    log: FastifyBaseLogger,
  ): Promise<EntryRecord[]> {
    const ids = entries.map(({ id }) => id);
    const hits = await hitsOf(redirectId, ids).catch((error: unknown) => {
      log.warn({ err: error }, 'the hits of paths cannot be read; they are shown as zero');
      return new Map<number, EntryHits>();
    });
    return entries.map((entry) => recordOf(entry, hits.get(entry.id)));
  }

  return async (app) => {
    app.get(
      PATH,
      {
        config: reading,
        schema: {
          tags,
          summary: 'The table of paths of a redirect',
          params: RedirectParamSchema,
          querystring: ListQuerySchema,
          response: { 200: EntryListSchema },
        },
      },
      async ({ params, query, user, log }) => {
        const { limit = DEFAULT_LIMIT, cursor, search = '' } = query;
        const after = cursor === undefined ? 0 : readCursor(cursor);
        const list = await service.list(user.id, params.id, { after, limit: limit + 1, search });
        const shown = list.entries.slice(0, limit);
        const last = shown.at(-1);
        const nextCursor = list.entries.length > limit && last !== undefined ? writeCursor(last.id) : null;
        return {
          data: await records(params.id, shown, log),
          page: { limit, nextCursor },
          options: list.options,
        };
      },
    );

    app.post(
      PATH,
      {
        config: writing,
        schema: {
          tags,
          summary: 'Add a path',
          params: RedirectParamSchema,
          body: NewEntrySchema,
          response: { 201: EntrySchema },
        },
      },
      async ({ params, user, body }, reply) => {
        const entry = await service.create(user, params.id, settingsOf(body));
        return reply.code(201).send(recordOf(entry, undefined));
      },
    );

    app.put(
      PATH,
      {
        config: writing,
        bodyLimit: TABLE_LIMIT_BYTES,
        schema: {
          operationId: 'replaceRedirectPaths',
          tags,
          summary: 'Replace the table of paths',
          description:
            'One step for visitors: they get the old table or the new one. Entries with the source and query of an earlier one keep its id and hits. Up to 64 MiB.',
          params: RedirectParamSchema,
          body: NewTableSchema,
          response: { 200: TableReplacedSchema },
        },
      },
      async ({ params, user, body: { options = {}, entries } }) => {
        const { total, diagnostics } = await service.replace(
          user,
          params.id,
          options,
          entries.map(settingsOf),
        );
        return { summary: { total }, diagnostics: [...diagnostics] };
      },
    );

    app.patch(
      `${PATH}/:entryId`,
      {
        config: writing,
        schema: {
          tags,
          summary: 'Change a path',
          description: 'Only the members sent change.',
          params: EntryParamSchema,
          body: EntryChangesSchema,
          response: { 200: EntrySchema },
        },
      },
      async ({ params, user, body, log }) => {
        const entry = await service.update(user, params.id, params.entryId, body);
        const [record = recordOf(entry, undefined)] = await records(params.id, [entry], log);
        return record;
      },
    );

    app.delete(
      `${PATH}/:entryId`,
      {
        config: writing,
        schema: {
          tags,
          summary: 'Delete a path',
          params: EntryParamSchema,
          response: { 200: MessageSchema },
        },
      },
      async ({ params, user }) => {
        const { source } = await service.delete(user.id, params.id, params.entryId);
        return { message: `The path ${source} was deleted.` };
      },
    );

    app.post(
      `${PATH}/test`,
      {
        config: reading,
        bodyLimit: URLS_LIMIT_BYTES,
        schema: {
          tags,
          summary: 'Where URLs lead',
          description:
            'Says for each URL which entry decides. Rules decide first: those that need to know more of a visitor than the URL are taken not to match. Counts nothing.',
          params: RedirectParamSchema,
          body: TestPathsSchema,
          response: { 200: TestedPathsSchema },
        },
      },
      async ({ params, user, body }) => ({ results: await test(user.id, params.id, body.urls) }),
    );
  };
}

function recordOf(entry: StoredEntry, hits: EntryHits | undefined): EntryRecord {
  const { redirectId: _, createdAt, updatedAt, ...rest } = entry;
  return {
    ...rest,
    hitCount: hits?.hits ?? 0,
    lastHitAt: hits?.lastHitAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function writeCursor(id: number): string {
  return Buffer.from(String(id)).toString('base64url');
}

function readCursor(cursor: string): number {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  if (/^\d{1,15}$/.test(id)) return Number(id);
  const message = 'cursor must be the nextCursor of an earlier page.';
  throw new AppError('INVALID_REQUEST', { field: 'cursor', message });
}
