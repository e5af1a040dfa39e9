import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { AppError } from '../../errors/app-error.js';
import { useTag } from '../../http/openapi-tags.js';
import { IdParamSchema } from '../../http/schema-parts.js';
import type { Database } from '../../storage/postgres/database.js';
import { historyRepository } from './history-repository.js';
import {
  DiffQuerySchema,
  DiffSchema,
  MAX_VERSION,
  NOBODY,
  VersionPageSchema,
  VersionParamSchema,
  VersionQuerySchema,
  VersionStateSchema,
  VersionsQuerySchema,
  versionRecord,
} from './history-schema.js';
import { decodeNumber, encodeNumber } from './number-cursor.js';
import { differencesOf } from './state-differences.js';
import type { StateOf } from './state-of.js';
import type { VersionState } from './version-state.js';

export interface VersionRoutesDeps {
  readonly database: Database;
  /** @throws {AppError} NOT_FOUND, FORBIDDEN */
  readonly requireOwned: (redirectId: string, userId: string) => Promise<unknown>;
  readonly stateOf: StateOf;
}

/** @throws {AppError} INVALID_REQUEST */
function versionIn(text: string): number {
  const version = /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  if (version > 0 && version <= MAX_VERSION) return version;
  throw new AppError('INVALID_REQUEST', {
    field: 'n',
    message: 'n must be the number of a version: a whole number from 1 on.',
  });
}

const config = { scope: 'redirects:read' } as const;

/** Versions of a redirect: the list, a state, and the differences of two states. */
export function createVersionRoutes(deps: VersionRoutesDeps): FastifyPluginAsyncTypebox {
  const { database, requireOwned, stateOf } = deps;

  async function requireState(redirectId: string, version: number): Promise<VersionState> {
    const state = await stateOf(database, redirectId, version);
    if (state !== undefined) return state;
    throw new AppError('NOT_FOUND', {
      message: `Version ${version} of this redirect does not exist, or is no longer kept. GET /redirects/{id}/versions lists those that are.`,
    });
  }

  /** Returns undefined for the state before a creation. */
  async function stateBefore(redirectId: string, version: number): Promise<VersionState | undefined> {
    return version === 0 ? undefined : requireState(redirectId, version);
  }

  return async (app) => {
    useTag(app, 'history');
    app.get(
      '/redirects/:id/versions',
      {
        config,
        schema: {
          operationId: 'listVersions',
          summary: 'List the versions of a redirect, newest first',
          description:
            'Each change of the settings, the rules or the paths makes a version. Versions are kept for the days of statistics of the plan. The list of a redirect from before this feature begins with its first change since.',
          params: IdParamSchema,
          querystring: VersionsQuerySchema,
          response: { 200: VersionPageSchema },
        },
      },
      async ({ user, params: { id }, query: { limit, cursor } }) => {
        await requireOwned(id, user.id);
        const rows = await historyRepository.versions(
          database,
          id,
          decodeNumber(cursor, MAX_VERSION),
          limit + 1,
        );
        const data = rows.slice(0, limit).map(versionRecord);
        const last = rows.length > limit ? data.at(-1)?.version : undefined;
        return { data, page: { limit, nextCursor: encodeNumber(last) } };
      },
    );

    app.get(
      '/redirects/:id/versions/:n',
      {
        config,
        schema: {
          operationId: 'getVersion',
          summary: 'The state of a redirect at a version',
          description:
            'Settings, rules and paths as they were right after the change. The state before the first recorded version can be read too.',
          params: VersionParamSchema,
          querystring: VersionQuerySchema,
          response: { 200: VersionStateSchema },
        },
      },
      async ({ user, params, query: { limit, cursor } }) => {
        const { id } = params;
        const n = versionIn(params.n);
        await requireOwned(id, user.id);
        const { redirect, rules, paths } = await requireState(id, n);
        const row = await historyRepository.version(database, id, n);
        const { at, by, action, summary } = row ? versionRecord(row) : UNRECORDED;
        const after = decodeNumber(cursor, 0);
        const left = paths.entries.filter((entry) => entry.id > after);
        const entries = left.slice(0, limit);
        const last = left.length > limit ? entries.at(-1)?.id : undefined;
        return {
          version: n,
          at,
          by,
          action,
          summary,
          redirect,
          rules: [...rules],
          paths: {
            options: paths.options,
            total: paths.entries.length,
            entries,
            nextCursor: encodeNumber(last),
          },
        };
      },
    );

    app.get(
      '/redirects/:id/versions/:n/diff',
      {
        config,
        schema: {
          operationId: 'compareVersions',
          summary: 'The differences of two versions',
          params: VersionParamSchema,
          querystring: DiffQuerySchema,
          response: { 200: DiffSchema },
        },
      },
      async ({ user, params, query: { limit, cursor, ...query } }) => {
        const { id } = params;
        const n = versionIn(params.n);
        const { against = n - 1 } = query;
        await requireOwned(id, user.id);
        const after = await requireState(id, n);
        const all = differencesOf(await stateBefore(id, against), after);
        const from = decodeNumber(cursor, 0);
        const until = from + limit;
        return {
          changes: all.slice(from, until),
          page: { limit, nextCursor: encodeNumber(until < all.length ? until : undefined) },
        };
      },
    );
  };
}

const UNRECORDED = { at: null, by: NOBODY, action: null, summary: null };
