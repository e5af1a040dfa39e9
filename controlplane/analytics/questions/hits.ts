import { Type } from 'typebox';
import { count } from '../analytics-schema.js';
import { HITS_OF_PERIOD } from '../hit-filter.js';
import { type Asking, defineQuestion } from '../question.js';
import type { RollUp } from '../source.js';
import { HIT_CONDITIONS, type HitWhere, hitWhere, NO_META } from './hit-conditions.js';
import { HIT_ORDER, HIT_RECORD, type HitRecord, HitSchema, hitOf } from './hit-record.js';

const MAX_HITS_OF_PAGE = 100;

export const PaginationSchema = Type.Object({
  page: Type.Integer({ minimum: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: MAX_HITS_OF_PAGE }),
  total: count('Hits on all pages.'),
  totalPages: count('Pages; none without hits.'),
});

/** A page of single hits. Bots are among them, unless `isBot` says otherwise. */
export const hitPage = defineQuestion({
  path: 'hits',
  summary: 'The hits themselves, newest first, page by page',
  title: 'Hits',
  query: {
    page: Type.Integer({ minimum: 1, default: 1, description: 'Counted from 1.' }),
    limit: Type.Integer({
      minimum: 1,
      maximum: MAX_HITS_OF_PAGE,
      default: 20,
      description: 'Hits on a page.',
    }),
    ...HIT_CONDITIONS,
  },
  data: Type.Object({
    hits: Type.Array(HitSchema, {
      description: 'Newest first, those of the same millisecond too where the same worker answered them.',
    }),
    pagination: PaginationSchema,
  }),
  meta: NO_META,
  async ask(asking, { page, limit, ...conditions }) {
    const where = hitWhere(conditions);
    const total = await countHits(asking, where);
    const skipped = (page - 1) * limit;
    const hits = skipped < total ? await readPage(asking, where, { limit, skipped }) : [];
    const pagination = { page, limit, total, totalPages: Math.ceil(total / limit) };
    return { data: { hits, pagination }, meta: {} };
  },
});

/** Roll-ups that can tell the number of hits, by the conditions that each of them knows. */
const COUNTED_FROM = [
  ['by_hour', ['is_bot', 'status_code']],
  ['by_place', ['is_bot', 'country']],
  ['by_rule', ['is_bot', 'rule_id']],
] as const satisfies readonly (readonly [RollUp, readonly string[]])[];

/** From a roll-up that knows all the conditions; where none does, hit by hit. */
async function countHits({ source, select }: Asking, where: HitWhere): Promise<number> {
  const fitting = COUNTED_FROM.find(([, known]) =>
    where.columns.every((column) => known.some((name) => name === column)),
  );
  const groups =
    fitting === undefined
      ? `SELECT count() AS n FROM hits WHERE ${HITS_OF_PERIOD} AND ${where.sql}`
      : source.groups({ rollUp: fitting[0], keys: { is_bot: 'is_bot' }, measures: ['n'], where: where.sql });
  const [row] = await select<{ total: number }>(`SELECT sum(n) AS total FROM (${groups})`, where.params);
  return row?.total ?? 0;
}

async function readPage({ select }: Asking, where: HitWhere, page: { limit: number; skipped: number }) {
  const records = await select<HitRecord>(
    `SELECT ${HIT_RECORD} FROM hits WHERE ${HITS_OF_PERIOD} AND ${where.sql}
     ${HIT_ORDER} LIMIT {limit:UInt32} OFFSET {skipped:UInt64}`,
    { ...where.params, ...page },
  );
  return records.map(hitOf);
}
