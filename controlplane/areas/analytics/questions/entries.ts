import { Type } from 'typebox';
import { ENTRY_IDS_FROM } from '../../../../shared/paths/entry-ids.js';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { AUDIENCE, defineQuestion, type QueryContext } from '../question.js';
import { withShares } from './list-rows.js';

const ENTRY = {
  entryId: Type.Integer({ minimum: 1 }),
  source: Type.Union([Type.String(), Type.Null()], { description: 'null: the entry was deleted.' }),
  destination: Type.Union([Type.String(), Type.Null()], {
    description: 'As its owner wrote it; null for 410, and for a deleted entry.',
  }),
};

export const entryStats = defineQuestion({
  path: 'stats/entries',
  summary: 'Which entries of the table of paths visitors used, and which never',
  title: 'EntryStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    entries: Type.Array(
      Type.Object({
        ...ENTRY,
        hits: count('Recorded hits of the period that it decided; without bots unless `includeBots`.'),
        percentage: percent('Share of the hits that any entry decided.'),
        lastHitAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
          description: 'Over all time and whatever the sampling rate; null where none was reported yet.',
        }),
      }),
      { description: 'By hits, most first, then by id.' },
    ),
    neverHit: Type.Array(Type.Object(ENTRY), {
      description: 'Entries that no request has used, over all time and whatever the sampling rate, by id.',
    }),
    summary: Type.Object({
      totalEntries: count('Entries of the table now.'),
      entriesHit: count('Entries with hits in the period, deleted ones included.'),
      entriesNeverHit: count('Also those beyond the end of the list.'),
      totalHits: count('Hits of the period that any entry decided.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const [rows, never] = await Promise.all([readRows(context, limit), context.pathEntries.neverHit(limit)]);
    const named = await context.pathEntries.named(rows.map(({ entryId }) => entryId));
    const { totalRows = 0, totalHits = 0 } = rows[0] ?? {};
    const entries = withShares(rows, totalHits).map(({ entryId, hits, percentage }) => {
      const { source = null, destination = null, lastHitAt = null } = named.get(entryId) ?? {};
      return { entryId, source, destination, hits, percentage, lastHitAt: lastHitAt?.toISOString() ?? null };
    });
    const neverHit = never.entries.map(({ id, ...entry }) => ({ entryId: id, ...entry }));
    const summary = {
      totalEntries: never.totalEntries,
      entriesHit: totalRows,
      entriesNeverHit: never.totalNeverHit,
      totalHits,
    };
    return { data: { entries, neverHit, summary }, meta: { limit } };
  },
});

interface Row {
  readonly entryId: number;
  readonly hits: number;
  readonly totalRows: number;
  readonly totalHits: number;
}

function readRows({ source, select }: QueryContext, limit: number): Promise<Row[]> {
  const groups = source.groups({
    rollUp: 'by_condition',
    keys: { decider: 'rule_id' },
    measures: ['n'],
    where: AUDIENCE,
  });
  return select<Row>(
    `SELECT decider - ${ENTRY_IDS_FROM} AS entryId, sum(n) AS hits, count() OVER () AS totalRows,
       sum(hits) OVER () AS totalHits
     FROM (${groups}) WHERE decider > ${ENTRY_IDS_FROM} GROUP BY decider ORDER BY hits DESC, entryId LIMIT {limit:UInt32}`,
    { limit },
  );
}
