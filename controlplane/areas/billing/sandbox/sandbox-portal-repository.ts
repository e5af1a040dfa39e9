import { asMembers } from '../../../storage/postgres/as-members.js';
import type { Queryable } from '../../../storage/postgres/database.js';

export interface SandboxPortal {
  readonly id: string;
  readonly userId: string;
  readonly returnUrl: string | null;
  readonly expiresAt: Date;
}

/** All SQL about the sandbox's portal pages. */
export const sandboxPortalRepository = {
  /** Adds a page, and deletes those that expired long ago. */
  async insert(tx: Queryable, portal: SandboxPortal): Promise<void> {
    await tx.query("DELETE FROM sandbox_portals WHERE expires_at < now() - interval '1 day'");
    await tx.query(
      'INSERT INTO sandbox_portals (id, user_id, return_url, expires_at) VALUES ($1, $2, $3, $4)',
      [portal.id, portal.userId, portal.returnUrl, portal.expiresAt],
    );
  },

  async findById(source: Queryable, id: string): Promise<SandboxPortal | undefined> {
    const [portal] = await source.query<SandboxPortal>(
      `SELECT ${asMembers('id, user_id, return_url, expires_at')} FROM sandbox_portals WHERE id = $1`,
      [id],
    );
    return portal;
  },
};
