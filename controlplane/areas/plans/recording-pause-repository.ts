import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';

interface HostRow {
  readonly from_domain: string;
}

/** A redirect whose recording is paused, and why. */
export interface RecordingPause {
  readonly redirectId: string;
  readonly userId: string;
  /** Month whose events are used up: `YYYY-MM`. */
  readonly month: string;
  /** The limit that was reached. */
  readonly eventLimit: number;
}

/** All SQL about redirects that record nothing for the rest of the month. */
export const recordingPauseRepository = {
  /** Returns the owners of redirects. Deleted redirects are missing. */
  async ownersOf(source: Queryable, redirectIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await source.query<{ id: string; user_id: string }>(
      'SELECT id, user_id FROM redirects WHERE id = ANY ($1)',
      [redirectIds],
    );
    return new Map(rows.map((row) => [row.id, row.user_id]));
  },

  /** Returns whether the redirect records nothing because its events are used up. */
  async isPaused(source: Queryable, redirectId: string): Promise<boolean> {
    const rows = await source.query('SELECT 1 FROM recording_pauses WHERE redirect_id = $1', [redirectId]);
    return rows.length > 0;
  },

  async list(source: Queryable): Promise<RecordingPause[]> {
    return source.query<RecordingPause>(
      `SELECT ${asMembers('redirect_id, user_id, month, event_limit')}
       FROM recording_pauses JOIN redirects ON redirects.id = redirect_id`,
    );
  },

  /** Pauses redirects. Resolves to the hosts that changed; paused ones stay unchanged. */
  async pause(tx: Queryable, pauses: readonly Omit<RecordingPause, 'userId'>[]): Promise<string[]> {
    const rows = await tx.query<HostRow>(
      `WITH added AS (
         INSERT INTO recording_pauses (redirect_id, month, event_limit)
         SELECT id, month, event_limit
         FROM unnest($1::text[], $2::text[], $3::bigint[]) AS new (redirect_id, month, event_limit)
           JOIN redirects ON redirects.id = redirect_id
         ON CONFLICT DO NOTHING RETURNING redirect_id)
       SELECT from_domain FROM redirects JOIN added ON id = redirect_id WHERE verified_at IS NOT NULL`,
      [
        pauses.map(({ redirectId }) => redirectId),
        pauses.map(({ month }) => month),
        pauses.map(({ eventLimit }) => eventLimit),
      ],
    );
    return rows.map((row) => row.from_domain);
  },

  /** Resumes redirects. Resolves to their hosts. */
  async resume(tx: Queryable, redirectIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<HostRow>(
      `DELETE FROM recording_pauses USING redirects
       WHERE id = redirect_id AND redirect_id = ANY ($1) RETURNING from_domain`,
      [redirectIds],
    );
    return rows.map((row) => row.from_domain);
  },

  async resumeOfUser(tx: Queryable, userId: string): Promise<string[]> {
    const rows = await tx.query<HostRow>(
      `DELETE FROM recording_pauses USING redirects
       WHERE id = redirect_id AND user_id = $1 RETURNING from_domain`,
      [userId],
    );
    return rows.map((row) => row.from_domain);
  },
};
