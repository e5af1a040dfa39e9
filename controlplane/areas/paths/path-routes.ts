import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger } from 'fastify';
import { LARGE_BODY_TIMEOUT_MS } from '../../http/body-timeouts.js';
import {
  entityTag,
  IfMatchSchema,
  IfNoneMatchSchema,
  ifMatch,
  NotModifiedSchema,
  tagged,
} from '../../http/entity-tags.js';
import { keepAnswer } from '../../http/idempotency.js';
import { useTag } from '../../http/openapi-tags.js';
import { MessageSchema } from '../../http/schema-parts.js';
import type { EntryHits, ReadEntryHits } from './entry-hits.js';
import {
  ChangedOptionsSchema,
  CollapseQuerySchema,
  EntryChangesSchema,
  EntryListSchema,
  EntryParamSchema,
  type EntryRecord,
  ListQuerySchema,
  NewEntrySchema,
  NewTableSchema,
  OptionChangesSchema,
  RedirectParamSchema,
  TableReplacedSchema,
  TestedPathsSchema,
  TestPathsSchema,
  type WrittenEntryRecord,
  WrittenEntrySchema,
} from './path-schema.js';
import type { PathService, WrittenEntry } from './path-service.js';
import type { StoredEntry } from './path-table.js';
import type { PathTest } from './path-test.js';
import {
  DEFAULT_LIMIT,
  PATH,
  readCursor,
  replaced,
  settingsOf,
  TABLE_LIMIT_BYTES,
  tableOf,
  URLS_LIMIT_BYTES,
  writeCursor,
} from './route-parts.js';

export interface PathRoutesDeps {
  readonly service: PathService;
  readonly test: Pick<PathTest, 'live'>;
  readonly hitsOf: ReadEntryHits;
}

const reading = { scope: 'redirects:read' } as const;
const changing = { scope: 'redirects:write', checksExamples: true } as const;

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
    useTag(app, 'paths');
    app.get(
      PATH,
      {
        config: reading,
        schema: {
          summary: 'The table of paths of a redirect',
          params: RedirectParamSchema,
          querystring: ListQuerySchema,
          headers: IfNoneMatchSchema,
          response: { 200: EntryListSchema, 304: NotModifiedSchema },
        },
      },
      async (request, reply) => {
        const { params, query, user, log } = request;
        const { limit = DEFAULT_LIMIT, cursor, search = '' } = query;
        const after = readCursor(cursor);
        const list = await service.list(user.id, params.id, { after, limit: limit + 1, search });
        const shown = list.entries.slice(0, limit);
        const last = shown.at(-1);
        const nextCursor = list.entries.length > limit && last !== undefined ? writeCursor(last.id) : null;
        return tagged(request, reply, list.version, {
          data: await records(params.id, shown, log),
          page: { limit, nextCursor },
          options: list.options,
        });
      },
    );

    app.post(
      PATH,
      {
        config: changing,
        schema: {
          summary: 'Add a path',
          params: RedirectParamSchema,
          headers: IfMatchSchema,
          body: NewEntrySchema,
          response: { 201: WrittenEntrySchema },
        },
      },
      async (request, reply) => {
        const { params, user, body } = request;
        const bodyOf = (written: WrittenEntry) => writtenRecord(written, recordOf(written.entry, undefined));
        const tagOf = (changed: WrittenEntry) => entityTag(changed.version, bodyOf(changed));
        const changed = await service.create(user, params.id, settingsOf(body), {
          precondition: ifMatch(request),
          keep: keepAnswer(request, reply, 201, bodyOf, tagOf),
        });
        return reply.code(201).header('ETag', tagOf(changed)).send(bodyOf(changed));
      },
    );

    app.put(
      PATH,
      {
        config: { ...changing, bodyTimeoutMs: LARGE_BODY_TIMEOUT_MS },
        bodyLimit: TABLE_LIMIT_BYTES,
        schema: {
          operationId: 'replaceRedirectPaths',
          summary: 'Replace the table of paths',
          description:
            'Replaces the table in one step: visitors get either the old or the new table. An entry with the source and query of an earlier one keeps its id and hits. Maximum body: 64 MiB.',
          params: RedirectParamSchema,
          querystring: CollapseQuerySchema,
          headers: IfMatchSchema,
          body: NewTableSchema,
          response: { 200: TableReplacedSchema },
        },
      },
      async (request, reply) => {
        const { params, user, body, query } = request;
        const table = tableOf(body);
        return replaced(
          reply,
          await service.replace(user, params.id, table, ifMatch(request), query.collapse),
        );
      },
    );

    app.patch(
      PATH,
      {
        config: changing,
        schema: {
          operationId: 'changeRedirectPathOptions',
          summary: 'Change the options of the table of paths',
          description: 'Only the options sent change. All entries stay, with their ids and hits.',
          params: RedirectParamSchema,
          headers: IfMatchSchema,
          body: OptionChangesSchema,
          response: { 200: ChangedOptionsSchema },
        },
      },
      async (request, reply) => {
        const { params, user, body } = request;
        const changed = await service.changeOptions(user, params.id, body.options, ifMatch(request));
        const record = { options: changed.options };
        reply.header('ETag', entityTag(changed.version, record));
        return record;
      },
    );

    app.patch(
      `${PATH}/:entryId`,
      {
        config: changing,
        schema: {
          summary: 'Change a path',
          description: 'Members that are left out stay unchanged.',
          params: EntryParamSchema,
          headers: IfMatchSchema,
          body: EntryChangesSchema,
          response: { 200: WrittenEntrySchema },
        },
      },
      async (request, reply) => {
        const { params, user, body, log } = request;
        const changed = await service.update(user, params.id, params.entryId, body, ifMatch(request));
        const { entry, version } = changed;
        const [shown = recordOf(entry, undefined)] = await records(params.id, [entry], log);
        const record = writtenRecord(changed, shown);
        reply.header('ETag', entityTag(version, record));
        return record;
      },
    );

    app.delete(
      `${PATH}/:entryId`,
      {
        config: changing,
        schema: {
          summary: 'Delete a path',
          params: EntryParamSchema,
          headers: IfMatchSchema,
          response: { 200: MessageSchema },
        },
      },
      async (request) => {
        const { params, user } = request;
        const { entry } = await service.delete(user, params.id, params.entryId, ifMatch(request));
        return { message: `The path ${entry.source} was deleted.` };
      },
    );

    app.post(
      `${PATH}/test`,
      {
        config: reading,
        bodyLimit: URLS_LIMIT_BYTES,
        schema: {
          summary: 'Test the table of paths with URLs',
          description:
            'Returns the entry that decides for each URL. Rules come first; a rule that needs more than the URL counts as not matching. Nothing is counted.',
          params: RedirectParamSchema,
          body: TestPathsSchema,
          response: { 200: TestedPathsSchema },
        },
      },
      async ({ params, user, body }) => ({ results: await test.live(user.id, params.id, body.urls) }),
    );
  };
}

function writtenRecord({ diagnostics }: WrittenEntry, entry: EntryRecord): WrittenEntryRecord {
  return { ...entry, diagnostics: [...diagnostics] };
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
