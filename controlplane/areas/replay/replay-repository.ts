import type { ErrorBody } from '../../errors/app-error.js';
import type { PagePosition } from '../../http/page-cursor.js';
import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { ListedReplay, Replay } from './replay.js';
import type { ReplayResult } from './replay-schema.js';

const COLUMNS = `spec AS "order", ${asMembers(
  'id, user_id, redirect_id, state, progress, result, error, attempts, created_at, started_at, finished_at',
)}`;

export type ReplayEnd =
  | { readonly state: 'finished'; readonly result: ReplayResult }
  | { readonly state: 'failed'; readonly error: ErrorBody['error'] };

/** All SQL about replays. */
export const replayRepository = {
  async insert(
    source: Queryable,
    { id, userId, redirectId, order }: Pick<Replay, 'id' | 'userId' | 'redirectId' | 'order'>,
  ): Promise<Replay> {
    const [row] = await source.query<Replay>(
      `INSERT INTO replays (id, user_id, redirect_id, spec) VALUES ($1, $2, $3, $4::jsonb) RETURNING ${COLUMNS}`,
      [id, userId, redirectId, JSON.stringify(order)],
    );
    if (row === undefined) throw new Error('the replay was not stored');
    return row;
  },

  async find(source: Queryable, id: string): Promise<Replay | undefined> {
    const [row] = await source.query<Replay>(`SELECT ${COLUMNS} FROM replays WHERE id = $1`, [id]);
    return row;
  },

  /** Reads a page of the replays of a redirect, newest first, with one row more than `limit`. Leaves large parts out. */
  async page(
    source: Queryable,
    redirectId: string,
    { at, id }: PagePosition,
    limit: number,
  ): Promise<ListedReplay[]> {
    return source.query<ListedReplay>(
      `SELECT id, created_at::text AS at, redirect_id AS "redirectId", state, progress, attempts, error,
         spec->'period' AS period, (spec->'sample')::integer AS sample, (spec->'source'->'version')::integer AS version,
         CASE jsonb_typeof(spec->'source'->'draft') WHEN 'boolean' THEN 'stored_draft' WHEN 'object' THEN 'draft'
           ELSE 'version' END AS source,
         result->'visits' AS visits, created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt"
       FROM replays WHERE redirect_id = $1 AND (created_at, id) < ($2::timestamptz, $3)
       ORDER BY created_at DESC, id DESC LIMIT $4`,
      [redirectId, at, id, limit + 1],
    );
  },

  async countOpen(source: Queryable, userId: string): Promise<number> {
    const [row] = await source.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM replays WHERE user_id = $1 AND state IN ('queued', 'running')`,
      [userId],
    );
    return row?.count ?? 0;
  },

  async cancel(source: Queryable, id: string): Promise<void> {
    await source.query(
      `UPDATE replays SET state = 'canceled', finished_at = now() WHERE id = $1 AND state IN ('queued', 'running')`,
      [id],
    );
  },

  /** Takes the oldest replay of a user who has none running, to work on it for some seconds. */
  async claim(source: Queryable, claimant: string, seconds: number): Promise<Replay | undefined> {
    const [row] = await source.query<Replay>(
      `UPDATE replays SET state = 'running', progress = 0, started_at = coalesce(started_at, now()), claimed_by = $1,
         claimed_until = now() + make_interval(secs => $2), attempts = attempts + 1
       WHERE id = (SELECT id FROM replays AS candidate
         WHERE state IN ('queued', 'running') AND (claimed_until IS NULL OR claimed_until < now())
           AND NOT EXISTS (SELECT FROM suspensions WHERE user_id = candidate.user_id)
           AND NOT EXISTS (SELECT FROM account_deletions WHERE user_id = candidate.user_id)
           AND NOT EXISTS (SELECT FROM replays AS other
             WHERE other.user_id = candidate.user_id AND other.id <> candidate.id AND other.state = 'running')
         ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING ${COLUMNS}`,
      [claimant, seconds],
    );
    return row;
  },

  /** Extends a claim and notes the progress. Resolves to whether the claimant must still work on the replay. */
  async renew(
    source: Queryable,
    id: string,
    claimant: string,
    { seconds, progress }: { readonly seconds: number; readonly progress: number },
  ): Promise<boolean> {
    const rows = await source.query(
      `UPDATE replays SET claimed_until = now() + make_interval(secs => $3), progress = $4
       WHERE id = $1 AND claimed_by = $2 AND state = 'running' RETURNING id`,
      [id, claimant, seconds, progress],
    );
    return rows.length > 0;
  },

  async release(source: Queryable, id: string, claimant: string): Promise<void> {
    await source.query(
      'UPDATE replays SET claimed_by = NULL, claimed_until = NULL WHERE id = $1 AND claimed_by = $2',
      [id, claimant],
    );
  },

  /** Ends a replay that the claimant still works on. */
  async finish(source: Queryable, id: string, claimant: string, end: ReplayEnd): Promise<void> {
    const result = end.state === 'finished' ? JSON.stringify(end.result) : null;
    const error = end.state === 'failed' ? JSON.stringify(end.error) : null;
    await source.query(
      `UPDATE replays SET state = $3, progress = CASE WHEN $3 = 'finished' THEN 1 ELSE progress END, result = $4::jsonb,
         error = $5::jsonb, finished_at = clock_timestamp()
       WHERE id = $1 AND claimed_by = $2 AND state = 'running'`,
      [id, claimant, end.state, result, error],
    );
  },

  /** Deletes one ended replay that is old, or beyond those kept per user. */
  async deleteOld(
    source: Queryable,
    kept: { readonly days: number; readonly perUser: number },
  ): Promise<boolean> {
    const rows = await source.query(
      `DELETE FROM replays WHERE id = (SELECT id FROM (
           SELECT id, created_at, row_number() OVER (PARTITION BY user_id ORDER BY created_at DESC, id DESC) AS place
           FROM replays WHERE state NOT IN ('queued', 'running')) AS closed
         WHERE created_at < now() - make_interval(days => $1) OR place > $2 LIMIT 1) RETURNING id`,
      [kept.days, kept.perUser],
    );
    return rows.length > 0;
  },
};
