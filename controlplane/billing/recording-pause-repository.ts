import type { Queryable } from '../database/database.js';

interface HostRow {
  readonly from_domain: string;
}

/** All SQL about redirects that record nothing for the rest of their month. Each resolves to the hosts it changed. */
export const recordingPauseRepository = {
  /** Whose redirects these are; those that are gone are missing. */
  async ownersOf(source: Queryable, redirectIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await source.query<{ id: string; user_id: string }>(
      'SELECT id, user_id FROM redirects WHERE id = ANY ($1)',
      [redirectIds],
    );
    return new Map(rows.map((row) => [row.id, row.user_id]));
  },

  async pause(tx: Queryable, redirectIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<HostRow>(
      `WITH added AS (
         INSERT INTO recording_pauses (redirect_id) SELECT id FROM redirects WHERE id = ANY ($1)
         ON CONFLICT DO NOTHING RETURNING redirect_id)
       SELECT from_domain FROM redirects JOIN added ON id = redirect_id WHERE verified_at IS NOT NULL`,
      [redirectIds],
    );
    return rows.map((row) => row.from_domain);
  },

  /** Lets all others record again. */
  async resumeExcept(tx: Queryable, redirectIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<HostRow>(
      `DELETE FROM recording_pauses USING redirects
       WHERE id = redirect_id AND NOT redirect_id = ANY ($1) RETURNING from_domain`,
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
