import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Plan } from '../../plan.js';
import type { Database } from '../../storage/postgres/database.js';
import { RESTORABLE_DAYS } from './deleted-redirects.js';
import { createKeptPages } from './kept-pages.js';
import { decodeCursor, encodeCursor } from './list-cursor.js';
import type { Redirect } from './redirect.js';
import { countRedirects } from './redirect-counts.js';
import {
  DEFAULT_LIMIT,
  FIELDS,
  type ListedRedirect,
  type ListQuery,
  type RedirectPageAnswer,
} from './redirect-list-schema.js';
import { currentMonth, NO_USAGE, redirectRecord } from './redirect-record.js';
import { firstStatusChangeMs, type Records, type RecordsOf } from './redirect-records.js';
import type { RedirectRecord } from './redirect-schema.js';
import { isPosition, redirectSearch, type SearchedPage } from './redirect-search.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

export interface ListOptions {
  readonly log: FastifyBaseLogger;
  /** Serializes the answer by its schema. */
  serialize(answer: RedirectPageAnswer): string;
}

/** Answers `GET /redirects` as JSON in UTF-8. @throws {AppError} INVALID_REQUEST naming `cursor` or `fields` */
export type ReadList = (user: CurrentUser, query: ListQuery, options: ListOptions) => Promise<Buffer>;

interface Answer {
  readonly month: string;
  readonly freshUntilMs: number;
  readonly body: Buffer;
}

/** The answer for a page. Concurrent callers share it. */
interface KeptAnswer {
  readonly fields: string | undefined;
  readonly plan: Plan;
  readonly body: Promise<Buffer>;
  /** Infinity until the answer exists. */
  freshUntilMs: number;
  month: string;
}

export interface RedirectListsDeps {
  readonly database: Database;
  readonly recordsOf: RecordsOf;
}

export function createRedirectLists({ database, recordsOf }: RedirectListsDeps): ReadList {
  const readKeptPage = createKeptPages(database);
  const answers = new WeakMap<SearchedPage, KeptAnswer>();

  async function recordsFor(
    redirects: readonly Redirect[],
    user: CurrentUser,
    fields: readonly string[] | undefined,
    log: FastifyBaseLogger,
  ): Promise<Records> {
    // Read statistics and certificates only if they are shown.
    if (fields === undefined || fields.includes('analyticsUsage') || fields.includes('certificate')) {
      return recordsOf(redirects, user.plan, log);
    }
    const month = currentMonth();
    const records = redirects.map((redirect) => redirectRecord(redirect, user.plan, NO_USAGE, month));
    return { records, month, freshUntilMs: firstStatusChangeMs(redirects) };
  }

  return async (user, query, { log, serialize }) => {
    const {
      limit = DEFAULT_LIMIT,
      deleted,
      sort = deleted === true ? '-updatedAt' : '-createdAt',
      cursor,
      count,
      fields,
      search,
      status,
      verified,
      tag,
      health,
    } = query;
    const filter = { search, status, verified, tag, health, deleted };
    const names = parseFields(fields);
    const after =
      cursor === undefined ? undefined : decodeCursor(sort, cursor, (position) => isPosition(sort, position));
    const range = { sort, limit, after };
    const isPlain =
      deleted !== true && [search, status, verified, tag, health].every((part) => part === undefined);
    const [page, counts] = await Promise.all([
      isPlain ? readKeptPage(user.id, range) : redirectSearch.page(database, user.id, filter, range),
      count === true ? countRedirects(database, user.id, filter) : undefined,
    ]);
    const make = async (): Promise<Answer> => {
      const { records, month, freshUntilMs } = await recordsFor(page.redirects, user, names, log);
      const answer: RedirectPageAnswer = {
        data: records.map((record, at) => {
          const listed = withDeletion(record, page.redirects[at]?.deletedAt);
          return names === undefined ? listed : pick(listed, names);
        }),
        page: { limit, nextCursor: page.next === undefined ? null : encodeCursor(sort, page.next) },
        ...counts,
      };
      return { month, freshUntilMs, body: Buffer.from(serialize(answer)) };
    };
    if (counts !== undefined) return (await make()).body;
    const known = answers.get(page);
    if (known !== undefined && known.fields === fields && isCurrent(known, user.plan)) return known.body;
    const kept = keptAnswer(make(), fields, user.plan);
    answers.set(page, kept);
    return kept.body;
  };
}

function keptAnswer(made: Promise<Answer>, fields: string | undefined, plan: Plan): KeptAnswer {
  const kept: KeptAnswer = {
    fields,
    plan,
    body: made.then(({ body }) => body),
    freshUntilMs: Number.POSITIVE_INFINITY,
    month: currentMonth(),
  };
  made.then(
    ({ freshUntilMs, month }) => Object.assign(kept, { freshUntilMs, month }),
    () => Object.assign(kept, { freshUntilMs: 0 }),
  );
  return kept;
}

function isCurrent({ plan, month, freshUntilMs }: KeptAnswer, planNow: Plan): boolean {
  return Date.now() < freshUntilMs && plan === planNow && month === currentMonth();
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
