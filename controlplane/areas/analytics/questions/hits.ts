import { Type } from 'typebox';
import { AppError } from '../../../errors/app-error.js';
import { count } from '../analytics-schema.js';
import type { HitWhere } from '../hit-filters.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { HIT_CONDITIONS, hitWhere, NO_META } from './hit-conditions.js';
import { HIT_ORDER, HIT_RECORD, type HitRecord, HitSchema, hitOf } from './hit-record.js';

const MAX_HITS_OF_PAGE = 100;
/** Maximum offset of a page. The engine must read everything before it. */
const MAX_SKIPPED_HITS = 100_000;

export const PaginationSchema = Type.Object(
  {
    page: Type.Integer({ minimum: 1 }),
    limit: Type.Integer({ minimum: 1, maximum: MAX_HITS_OF_PAGE }),
    total: count('Total number of hits.'),
    totalPages: count('Number of pages. 0 without hits.'),
  },
  { title: 'Pagination' },
);

/** A page of single hits. It includes bots, unless `isBot` excludes them. */
export const hitPage = defineQuestion({
  path: 'hits',
  summary: 'List hits, newest first',
  title: 'Hits',
  query: {
    page: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1,
      description: `Page number, starting with 1. Pages cover the first ${MAX_SKIPPED_HITS} hits; \`hits/export\` has all.`,
    }),
    limit: Type.Integer({
      minimum: 1,
      maximum: MAX_HITS_OF_PAGE,
      default: 20,
      description: 'Hits per page.',
    }),
    ...HIT_CONDITIONS,
  },
  data: Type.Object({
    hits: Type.Array(HitSchema, {
      description: 'Newest first.',
    }),
    pagination: PaginationSchema,
  }),
  meta: NO_META,
  async ask(context, { page, limit, ...conditions }) {
    const skipped = (page - 1) * limit;
    const isTooFar = skipped >= MAX_SKIPPED_HITS;
    const where = hitWhere(conditions);
    const [total, hits] = await Promise.all([
      countHits(context, where),
      isTooFar ? [] : readPage(context, where, { limit, skipped }),
    ]);
    if (isTooFar && skipped < total) throw tooFar(limit);
    const pagination = { page, limit, total, totalPages: Math.ceil(total / limit) };
    return { data: { hits, pagination }, meta: {} };
  },
});

function tooFar(limit: number): AppError {
  const lastPage = Math.ceil(MAX_SKIPPED_HITS / limit);
  const message = `page must be 1 to ${lastPage} with a limit of ${limit} and so many hits: pages end with the first ${MAX_SKIPPED_HITS} hits. For older ones give an earlier end, or take hits/export.`;
  return new AppError('INVALID_REQUEST', { message, field: 'page' });
}

/** Counts hits from the smallest roll-up that has all the columns of the filters. */
async function countHits({ source, select }: QueryContext, where: HitWhere): Promise<number> {
  const groups = source.groups({
    rollUp: source.has('by_day') ? 'by_day' : 'by_condition',
    keys: { is_bot: 'is_bot' },
    measures: ['n'],
    where: where.sql,
  });
  const [row] = await select<{ total: number }>(`SELECT sum(n) AS total FROM (${groups})`, where.params);
  return row?.total ?? 0;
}

interface PageTimes {
  /** Returns the distinct times of the hits on the page; none beyond the last hit. */
  readonly times: readonly string[];
  /** Number of hits that are younger than all of these. */
  readonly younger: number;
}

/**
 * The table is sorted by time, so the times of a page are found without other columns. Only the hits of these times
 * are read and sorted.
 */
async function readPage(context: QueryContext, where: HitWhere, page: { limit: number; skipped: number }) {
  const { times, younger } = await readTimes(context, where, page);
  if (times.length === 0) return [];
  const records = await context.select<HitRecord>(
    `SELECT ${HIT_RECORD} FROM hits
     WHERE ${context.source.hits} AND ${where.sql} AND timestamp IN {times:Array(DateTime64(3, 'UTC'))}
     ${HIT_ORDER} LIMIT {limit:UInt32} OFFSET {before:UInt64}`,
    { ...where.params, limit: page.limit, times, before: page.skipped - younger },
  );
  return records.map((record) => hitOf(record, context));
}

async function readTimes(
  { source, select }: QueryContext,
  where: HitWhere,
  { limit, skipped }: { limit: number; skipped: number },
): Promise<PageTimes> {
  const [found] = await select<PageTimes>(
    `SELECT arrayMap(time -> toString(time), arrayDistinct(arraySlice(ordered, {skipped:UInt64} + 1))) AS times,
       arrayCount(time -> time > ordered[{skipped:UInt64} + 1], ordered) AS younger
     FROM (
       SELECT arrayReverseSort(groupArray(timestamp)) AS ordered FROM (
         SELECT timestamp FROM hits WHERE ${source.hits} AND ${where.sql}
         ORDER BY timestamp DESC LIMIT {last:UInt64}
       )
     )`,
    { ...where.params, skipped, last: skipped + limit },
  );
  return found ?? { times: [], younger: 0 };
}
