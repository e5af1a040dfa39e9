import { Type } from 'typebox';
import { ENTRY_IDS_FROM, NO_ENTRY } from '../../../../shared/paths/entry-ids.js';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { AUDIENCE, defineQuestion, type QueryContext } from '../question.js';
import { withShares } from './list-rows.js';

const ENTRY = {
  entryId: Type.Integer({ minimum: 1 }),
  source: Type.Union([Type.String(), Type.Null()], { description: 'Null if the entry was deleted.' }),
  destination: Type.Union([Type.String(), Type.Null()], {
    description: 'Destination as its owner wrote it. Null for 410 and for a deleted entry.',
  }),
};

export const entryStats = defineQuestion({
  path: 'stats/entries',
  summary: 'Used and unused entries of the table of paths',
  title: 'EntryStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    entries: Type.Array(
      Type.Object({
        ...ENTRY,
        hits: count(
          'Recorded hits of the period that the entry decided. Excludes bots unless `includeBots`.',
        ),
        percentage: percent('Percentage of the hits that an entry decided.'),
        lastHitAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
          description: 'Last hit over all time, independent of the sampling rate. Null if there was none.',
        }),
      }),
      { description: 'Sorted by hits, then by id.' },
    ),
    neverHit: Type.Array(Type.Object(ENTRY), {
      description: 'Entries that no request has ever used, sorted by id.',
    }),
    summary: Type.Object({
      totalEntries: count('Current number of entries in the table.'),
      entriesHit: count('Number of entries with hits in the period, including deleted ones.'),
      entriesNeverHit: count('Total number, including entries beyond the end of the list.'),
      totalHits: count('Hits of the period that an entry decided.'),
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

/** A hit names the entry that decided, or the entry beside the rule that decided. */
function readRows({ source, select }: QueryContext, limit: number): Promise<Row[]> {
  const hits = source.groups({
    rollUp: 'by_entry',
    keys: { decider: `if(rule_id > ${ENTRY_IDS_FROM}, rule_id, entry_id + ${ENTRY_IDS_FROM})` },
    measures: ['n'],
    where: `${AUDIENCE} AND (rule_id > ${ENTRY_IDS_FROM} OR entry_id BETWEEN 1 AND ${NO_ENTRY - 1})`,
  });
  return select<Row>(
    `SELECT decider - ${ENTRY_IDS_FROM} AS entryId, sum(n) AS hits, count() OVER () AS totalRows,
       sum(hits) OVER () AS totalHits
     FROM (${hits}) GROUP BY decider ORDER BY hits DESC, entryId LIMIT {limit:UInt32}`,
    { limit },
  );
}
