import { createHash } from 'node:crypto';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { changeRows } from '../../storage/clickhouse/table-rows.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { JoinedConversion } from './visitor-lookup.js';

/** The first 16 bytes of the SHA-256 of an id. */
function hashOf(id: string): Buffer {
  return createHash('sha256').update(id).digest().subarray(0, 16);
}

/** A deleted rule whose conversions are still stored. */
export interface LeftConversions {
  readonly ruleId: number;
  readonly redirectId: string;
}

/**
 * SQL about conversions. ClickHouse stores them, for joins with hits. PostgreSQL stores their ids, so each counts once.
 */
export const conversionRepository = {
  /** Returns the known ids among the given ones. */
  async knownIds(source: Queryable, ruleId: number, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await source.query<{ position: number }>(
      `SELECT given.position::int AS position FROM unnest($2::bytea[]) WITH ORDINALITY AS given (id_hash, position)
       JOIN conversion_ids AS known ON known.rule_id = $1 AND known.id_hash = given.id_hash`,
      [ruleId, ids.map(hashOf)],
    );
    return new Set(rows.flatMap(({ position }) => ids[position - 1] ?? []));
  },

  /** Returns the number of ids of a rule, counted up to a limit. */
  async countIds(source: Queryable, ruleId: number, limit: number): Promise<number> {
    const [row] = await source.query<{ ids: number }>(
      `SELECT count(*)::int AS ids FROM (SELECT FROM conversion_ids WHERE rule_id = $1 LIMIT $2) AS counted`,
      [ruleId, limit],
    );
    return row?.ids ?? 0;
  },

  /** Records that a rule has conversions, before the first one is stored. They are erased with the rule. */
  async noteSet(source: Queryable, ruleId: number, redirectId: string): Promise<void> {
    await source.query(
      'INSERT INTO conversion_sets (rule_id, redirect_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [ruleId, redirectId],
    );
  },

  /**
   * Stores ids, and returns the number of new ones. If several calls have the same id, it is new for only one of them.
   *
   * @param retentionDays 0 for ever
   */
  async noteIds(
    source: Queryable,
    ruleId: number,
    conversions: readonly JoinedConversion[],
    retentionDays: number,
  ): Promise<number> {
    const rows = await source.query(
      `INSERT INTO conversion_ids (rule_id, id_hash, expires_at)
       SELECT $1, id_hash, CASE WHEN $4::int > 0 THEN at + make_interval(days => $4) END
       FROM unnest($2::bytea[], $3::timestamptz[]) AS given (id_hash, at) ORDER BY id_hash
       ON CONFLICT DO NOTHING RETURNING 1`,
      [
        ruleId,
        conversions.map(({ id }) => hashOf(id)),
        conversions.map(({ atMs }) => new Date(atMs)),
        retentionDays,
      ],
    );
    return rows.length;
  },

  /** Stores conversions. Repeated ones become one row. */
  async store(
    store: AnalyticsStore,
    { ruleId, redirectId }: LeftConversions,
    conversions: readonly JoinedConversion[],
    retentionDays: number,
  ): Promise<void> {
    const columns = [
      'redirect_id',
      'rule_id',
      'id',
      'goal',
      'visitor',
      'at',
      'value',
      'has_value',
      'retention_days',
    ];
    const rows = conversions.map(({ id, goal, visitor, atMs, value }) =>
      JSON.stringify([
        redirectId,
        ruleId,
        id,
        goal,
        BigInt(`0x${visitor}`).toString(),
        new Date(atMs).toISOString().replace('T', ' ').replace('Z', ''),
        value ?? 0,
        value === undefined ? 0 : 1,
        retentionDays,
      ]),
    );
    await store.insertRows({ table: 'conversions', columns, rows: rows.join('\n') });
  },

  /** Deletes ids whose conversions have expired. Returns how many. */
  async deleteExpired(source: Queryable, limit: number): Promise<number> {
    const rows = await source.query(
      `DELETE FROM conversion_ids WHERE (rule_id, id_hash) IN (
         SELECT rule_id, id_hash FROM conversion_ids WHERE expires_at <= now() ORDER BY expires_at LIMIT $1)
       RETURNING 1`,
      [limit],
    );
    return rows.length;
  },

  /** Returns deleted rules whose conversions are still stored. */
  async leftSets(source: Queryable, limit: number): Promise<LeftConversions[]> {
    const rows = await source.query<{ rule_id: number; redirect_id: string }>(
      `SELECT rule_id, redirect_id FROM conversion_sets AS held
       WHERE NOT EXISTS (SELECT FROM rules WHERE rules.id = held.rule_id) LIMIT $1`,
      [limit],
    );
    return rows.map((row) => ({ ruleId: row.rule_id, redirectId: row.redirect_id }));
  },

  /** Deletes the conversions of rules. Resolves when the store has accepted the deletion. Safe to repeat. */
  async erase(store: AnalyticsStore, sets: readonly LeftConversions[]): Promise<void> {
    const params = {
      redirects: [...new Set(sets.map(({ redirectId }) => redirectId))],
      rules: sets.map(({ ruleId }) => ruleId),
    };
    const change =
      'DELETE WHERE redirect_id IN {redirects:Array(String)} AND rule_id IN {rules:Array(UInt64)}';
    await changeRows(store, { table: 'conversions', change, params });
  },

  /** Deletes some ids of a rule. Returns how many. */
  async deleteIds(source: Queryable, ruleId: number, limit: number): Promise<number> {
    const rows = await source.query(
      `DELETE FROM conversion_ids WHERE rule_id = $1 AND id_hash IN (
         SELECT id_hash FROM conversion_ids WHERE rule_id = $1 LIMIT $2) RETURNING 1`,
      [ruleId, limit],
    );
    return rows.length;
  },

  async deleteSet(source: Queryable, ruleId: number): Promise<void> {
    await source.query('DELETE FROM conversion_sets WHERE rule_id = $1', [ruleId]);
  },
};
