import type { Queryable } from '../../storage/postgres/database.js';

/** SQL of the health of redirects, which follows from the states of their destinations. */
export const redirectHealth = {
  /**
   * Locks redirects that no other transaction has locked. It does not wait for the others: two waiting writers could
   * block each other.
   */
  async lock(tx: Queryable, redirectIds: readonly string[]): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }>(
      'SELECT id FROM redirects WHERE id = ANY ($1::text[]) FOR NO KEY UPDATE SKIP LOCKED',
      [[...redirectIds]],
    );
    return new Set(rows.map(({ id }) => id));
  },

  /** Writes the health of locked redirects. */
  async refresh(tx: Queryable, redirectIds: readonly string[]): Promise<void> {
    await tx.query(
      `UPDATE redirects SET health = found.health FROM (
         SELECT wanted.id, CASE WHEN bool_or(state = 'broken') THEN 'broken' WHEN bool_and(state = 'ok') THEN 'ok'
           ELSE 'unknown' END AS health
         FROM unnest($1::text[]) AS wanted (id) LEFT JOIN redirect_destinations ON redirect_id = wanted.id
         LEFT JOIN destinations ON destinations.id = destination_id GROUP BY wanted.id) AS found
       WHERE redirects.id = found.id AND redirects.health <> found.health`,
      [[...redirectIds]],
    );
  },
};
