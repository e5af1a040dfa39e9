import type { ErrorBody } from '../../errors/app-error.js';
import type { PagePosition } from '../../http/page-cursor.js';
import { asMembers, membersFor } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Actor } from '../history/public.js';
import { type Import, type ImportOptions, ROW_STATUSES, type RowCounts, type RowStatus } from './import.js';
import { encodeOutcomes, type RowOutcome } from './import-part.js';

interface ImportRow extends Omit<Import, 'by' | 'counts'>, RowCounts {
  readonly byEmail: string | null;
  readonly byTokenId: string | null;
  readonly byAddress: string | null;
}

/** Columns that the request for an import sets. */
const GIVEN = `id, user_id, by_email, by_token_id, by_address, kind, format, mode, dry_run, collapse, force, redirect_id,
  on_existing`;
const COLUMNS =
  asMembers(`${GIVEN}, state, total, created, updated, unchanged, failed, skipped, error, next_position, attempts,
  created_at, started_at, finished_at`);

/** A stored part. */
export interface StoredPart {
  readonly position: number;
  readonly content: Uint8Array;
  /** Null until the part is applied. */
  readonly outcome: string | null;
}

/** All SQL about imports, except for the changes that they make. */
export const importRepository = {
  async insert(source: Queryable, id: string, by: Actor, options: ImportOptions): Promise<void> {
    const { id: userId, email: byEmail, tokenId: byTokenId = null, address: byAddress = null } = by;
    await source.query(
      `INSERT INTO imports (${GIVEN}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      membersFor(GIVEN, { ...options, id, userId, byEmail, byTokenId, byAddress }),
    );
  },

  async addPart(source: Queryable, id: string, position: number, content: Uint8Array): Promise<void> {
    await source.query('INSERT INTO import_parts (import_id, position, content) VALUES ($1, $2, $3)', [
      id,
      position,
      content,
    ]);
  },

  /** Makes an import whose file has arrived available to control planes. */
  async enqueue(source: Queryable, id: string, total: number): Promise<Import> {
    const rows = await source.query<ImportRow>(
      `UPDATE imports SET state = 'queued', total = $2 WHERE id = $1 AND state = 'receiving' RETURNING ${COLUMNS}`,
      [id, total],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('the import is gone');
    return toImport(row);
  },

  /** Deletes an import whose file did not arrive or was refused. */
  async discard(source: Queryable, id: string): Promise<void> {
    await source.query(`DELETE FROM imports WHERE id = $1 AND state = 'receiving'`, [id]);
  },

  async find(source: Queryable, id: string): Promise<Import | undefined> {
    const [row] = await source.query<ImportRow>(
      `SELECT ${COLUMNS} FROM imports WHERE id = $1 AND state <> 'receiving'`,
      [id],
    );
    return row && toImport(row);
  },

  /** Returns a page of a user's imports, newest first. */
  async pageOfUser(
    source: Queryable,
    userId: string,
    { at, id }: PagePosition,
    limit: number,
  ): Promise<(Import & PagePosition)[]> {
    const rows = await source.query<ImportRow & { readonly at: string }>(
      `SELECT ${COLUMNS}, created_at::text AS at FROM imports
       WHERE user_id = $1 AND state <> 'receiving' AND (created_at, id) < ($2::timestamptz, $3)
       ORDER BY created_at DESC, id DESC LIMIT $4`,
      [userId, at, id, limit],
    );
    return rows.map(({ at, ...row }) => ({ ...toImport(row), at }));
  },

  async countOpen(source: Queryable, userId: string): Promise<number> {
    const [row] = await source.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM imports WHERE user_id = $1 AND state IN ('queued', 'running')`,
      [userId],
    );
    return row?.count ?? 0;
  },

  /** Resolves to whether the import had not ended. */
  async cancel(source: Queryable, id: string): Promise<boolean> {
    const rows = await source.query(
      `UPDATE imports SET state = 'canceled', finished_at = now() WHERE id = $1 AND state IN ('queued', 'running')
       RETURNING id`,
      [id],
    );
    return rows.length > 0;
  },

  /**
   * Claims an import for some seconds: the import of the user who has waited longest. A user has at most one running
   * import. Imports of suspended users and of accounts that wait for their deletion are not claimed.
   */
  async claim(source: Queryable, claimant: string, seconds: number): Promise<Import | undefined> {
    const [row] = await source.query<ImportRow>(
      `UPDATE imports SET state = 'running', started_at = coalesce(started_at, now()), claimed_by = $1,
         claimed_until = now() + make_interval(secs => $2), turn_at = clock_timestamp(), attempts = attempts + 1
       WHERE id = (SELECT id FROM imports AS candidate
         WHERE state IN ('queued', 'running') AND (claimed_until IS NULL OR claimed_until < now())
           AND NOT EXISTS (SELECT FROM suspensions WHERE user_id = candidate.user_id)
           AND NOT EXISTS (SELECT FROM account_deletions WHERE user_id = candidate.user_id)
           AND NOT EXISTS (SELECT FROM imports AS other
             WHERE other.user_id = candidate.user_id AND candidate.state = 'queued'
               AND (other.state = 'running' OR (other.state = 'queued'
                 AND (other.created_at, other.id) < (candidate.created_at, candidate.id))))
         ORDER BY turn_at NULLS FIRST, created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING ${COLUMNS}`,
      [claimant, seconds],
    );
    return row && toImport(row);
  },

  /** Extends a claim. Resolves to whether the claimant must still work on the import. */
  async renew(source: Queryable, id: string, claimant: string, seconds: number): Promise<boolean> {
    const rows = await source.query(
      `UPDATE imports SET claimed_until = now() + make_interval(secs => $3)
       WHERE id = $1 AND claimed_by = $2 AND state = 'running' RETURNING id`,
      [id, claimant, seconds],
    );
    return rows.length > 0;
  },

  async release(source: Queryable, id: string, claimant: string): Promise<void> {
    await source.query(
      'UPDATE imports SET claimed_by = NULL, claimed_until = NULL WHERE id = $1 AND claimed_by = $2',
      [id, claimant],
    );
  },

  /** Locks an import until the transaction ends, if the claimant must still work on it. */
  async hold(tx: Queryable, id: string, claimant: string): Promise<Import | undefined> {
    const [row] = await tx.query<ImportRow>(
      `SELECT ${COLUMNS} FROM imports WHERE id = $1 AND claimed_by = $2 AND state = 'running' FOR UPDATE`,
      [id, claimant],
    );
    return row && toImport(row);
  },

  /** Returns up to `limit` parts from a position on, in their order. */
  async partsFrom(source: Queryable, id: string, position: number, limit: number): Promise<StoredPart[]> {
    return source.query<StoredPart>(
      `SELECT position, content, outcome FROM import_parts WHERE import_id = $1 AND position >= $2
       ORDER BY position LIMIT $3`,
      [id, position, limit],
    );
  },

  /** Returns the first applied part from a position on that has rows of one of the statuses. */
  async appliedPartFrom(
    source: Queryable,
    id: string,
    position: number,
    statuses: readonly RowStatus[],
  ): Promise<StoredPart | undefined> {
    const wanted = ROW_STATUSES.filter((status) => statuses.includes(status));
    const [part] = await source.query<StoredPart>(
      `SELECT position, content, outcome FROM import_parts
       WHERE import_id = $1 AND position >= $2 AND outcome IS NOT NULL AND ${wanted.join(' + ')} > 0
       ORDER BY position LIMIT 1`,
      [id, position],
    );
    return part;
  },

  /** Stores the outcomes of the rows of a part, and advances the import to the next part. */
  async finishPart(
    tx: Queryable,
    id: string,
    position: number,
    outcomes: readonly RowOutcome[],
  ): Promise<void> {
    const counts = ROW_STATUSES.map((status) => outcomes.filter((one) => one.status === status).length);
    await tx.query(
      `UPDATE import_parts SET outcome = $3, created = $4, updated = $5, deleted = $6, unchanged = $7, failed = $8,
         skipped = $9 WHERE import_id = $1 AND position = $2`,
      [id, position, encodeOutcomes(outcomes), ...counts],
    );
    await tx.query(
      `UPDATE imports SET next_position = $2 + 1, attempts = 0, created = created + $3, updated = updated + $4 + $5,
         unchanged = unchanged + $6, failed = failed + $7, skipped = skipped + $8 WHERE id = $1`,
      [id, position, ...counts],
    );
  },

  async finish(
    tx: Queryable,
    id: string,
    state: 'finished' | 'failed',
    error: ErrorBody['error'] | null,
  ): Promise<Import> {
    const [row] = await tx.query<ImportRow>(
      `UPDATE imports SET state = $2, error = $3::jsonb, finished_at = clock_timestamp() WHERE id = $1
       RETURNING ${COLUMNS}`,
      [id, state, error === null ? null : JSON.stringify(error)],
    );
    if (row === undefined) throw new Error('the import is gone');
    return toImport(row);
  },

  /**
   * Deletes one import that is no longer needed: an old one, one whose file never arrived, or one beyond those kept per user.
   */
  async deleteOld(
    source: Queryable,
    kept: { readonly days: number; readonly perUser: number; readonly receivingHours: number },
  ): Promise<boolean> {
    const rows = await source.query(
      `DELETE FROM imports WHERE id = (SELECT id FROM (
           SELECT id, state, created_at, row_number() OVER (PARTITION BY user_id ORDER BY created_at DESC, id DESC) AS place
           FROM imports WHERE state NOT IN ('queued', 'running')) AS closed
         WHERE created_at < now() - make_interval(days => $1) OR (state <> 'receiving' AND place > $2)
           OR (state = 'receiving' AND created_at < now() - make_interval(hours => $3)) LIMIT 1) RETURNING id`,
      [kept.days, kept.perUser, kept.receivingHours],
    );
    return rows.length > 0;
  },
};

function toImport({ byEmail, byTokenId, byAddress, ...row }: ImportRow): Import {
  const { created, updated, unchanged, failed, skipped, ...others } = row;
  return {
    ...others,
    by: {
      id: row.userId,
      email: byEmail,
      ...(byTokenId !== null && { tokenId: byTokenId }),
      ...(byAddress !== null && { address: byAddress }),
      ...(row.force && { mayBreakExamples: true }),
    },
    counts: { created, updated, unchanged, failed, skipped },
  };
}
