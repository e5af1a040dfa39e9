import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Database } from '../../storage/postgres/database.js';
import { RESTORABLE_DAYS } from './deleted-redirects.js';
import { decodeCursor, encodeCursor } from './list-cursor.js';
import type { Redirect } from './redirect.js';
import {
  DEFAULT_LIMIT,
  FIELDS,
  type ListedRedirect,
  type ListQuery,
  type RedirectPageAnswer,
} from './redirect-list-schema.js';
import { currentMonth, NO_USAGE, redirectRecord } from './redirect-record.js';
import type { RecordsOf } from './redirect-records.js';
import type { RedirectRecord } from './redirect-schema.js';
import { isPosition, redirectSearch } from './redirect-search.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Answers `GET /redirects`. @throws {AppError} INVALID_REQUEST naming `cursor` or `fields` */
export type ReadList = (
  user: CurrentUser,
  query: ListQuery,
  log: FastifyBaseLogger,
) => Promise<RedirectPageAnswer>;

export interface RedirectListsDeps {
  readonly database: Database;
  readonly recordsOf: RecordsOf;
}

export function createRedirectLists({ database, recordsOf }: RedirectListsDeps): ReadList {
  async function recordsFor(
    redirects: readonly Redirect[],
    user: CurrentUser,
    fields: readonly string[] | undefined,
    log: FastifyBaseLogger,
  ): Promise<readonly RedirectRecord[]> {
    // Statistics and certificates are read only where they are shown.
    if (fields === undefined || fields.includes('analyticsUsage') || fields.includes('certificate')) {
      return (await recordsOf(redirects, user.plan, log)).records;
    }
    const month = currentMonth();
    return redirects.map((redirect) => redirectRecord(redirect, user.plan, NO_USAGE, month));
  }

  return async (user, query, log) => {
    const {
      limit = DEFAULT_LIMIT,
      deleted,
      sort = deleted === true ? '-updatedAt' : '-createdAt',
      cursor,
      search,
      status,
      verified,
      tag,
      health,
    } = query;
    const filter = { search, status, verified, tag, health, deleted };
    const fields = parseFields(query.fields);
    const after =
      cursor === undefined ? undefined : decodeCursor(sort, cursor, (position) => isPosition(sort, position));
    const [page, facets] = await Promise.all([
      redirectSearch.page(database, user.id, filter, { sort, limit, after }),
      query.count === true ? redirectSearch.facets(database, user.id, filter) : undefined,
    ]);
    const records = await recordsFor(page.redirects, user, fields, log);
    return {
      data: records.map((record, at) => {
        const listed = withDeletion(record, page.redirects[at]?.deletedAt);
        return fields === undefined ? listed : pick(listed, fields);
      }),
      page: { limit, nextCursor: page.next === undefined ? null : encodeCursor(sort, page.next) },
      ...(facets && { total: sumOf(facets.status), facets }),
    };
  };
}

function parseFields(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const fields = text.split(',').map((field) => field.trim());
  const unknown = fields.find((field) => !FIELDS.has(field));
  if (unknown === undefined) return fields;
  throw new AppError('INVALID_REQUEST', {
    field: 'fields',
    message: `fields must name members of a redirect, separated by commas: ${[...FIELDS].join(', ')}.`,
  });
}

function withDeletion(record: RedirectRecord, deletedAt: Date | null | undefined): ListedRedirect {
  if (deletedAt == null) return record;
  const restorableUntil = new Date(deletedAt.getTime() + RESTORABLE_DAYS * DAY_MS);
  return { ...record, deletedAt: deletedAt.toISOString(), restorableUntil: restorableUntil.toISOString() };
}

function pick(record: ListedRedirect, fields: readonly string[]): ListedRedirect {
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)));
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
