import { type Queryable, sendLater } from '../../storage/postgres/database.js';
import { deletedRedirects } from './deleted-redirects.js';
import type { Redirect, StoredSettings } from './redirect.js';
import { COLUMNS, type RedirectRow, SETTINGS_COLUMNS, toRedirect } from './redirect-rows.js';
import { parameterColumns } from './settings-columns.js';

/** Names of redirects of one user. */
export interface TargetNames {
  readonly ids: readonly string[];
  readonly externalIds: readonly string[];
  readonly domains: readonly string[];
}

/** The SQL for changes and deletions of many redirects at once. */
export const changeBatches = {
  /** The live redirects of a user that have one of the names, locked in the order of their ids. */
  async lockTargets(tx: Queryable, userId: string, names: TargetNames): Promise<Redirect[]> {
    const rows = await tx.query<RedirectRow>(
      `SELECT ${COLUMNS} FROM redirects WHERE deleted_at IS NULL AND id IN (
           SELECT id FROM redirects WHERE id = ANY ($2) AND user_id = $1
           UNION SELECT id FROM redirects WHERE user_id = $1 AND external_id = ANY ($3) AND deleted_at IS NULL
             AND external_id IS NOT NULL
           UNION SELECT id FROM redirects WHERE user_id = $1 AND from_domain = ANY ($4) AND deleted_at IS NULL)
       ORDER BY id FOR UPDATE`,
      [userId, names.ids, names.externalIds, names.domains],
    );
    return rows.map(toRedirect);
  },

  /**
   * Locks the live redirects with these ids, of any owner, in the order of their ids, except those that another transaction
   * holds. Resolves to them and to the time of the transaction.
   */
  async lockFree(
    tx: Queryable,
    ids: readonly string[],
  ): Promise<{ readonly redirects: readonly Redirect[]; readonly now: Date }> {
    const rows = await tx.query<RedirectRow & { readonly now: Date }>(
      `SELECT ${COLUMNS}, now() AS now FROM redirects WHERE id = ANY ($1::text[]) AND deleted_at IS NULL
       ORDER BY id FOR UPDATE SKIP LOCKED`,
      [ids],
    );
    return { redirects: rows.map(({ now: _, ...row }) => toRedirect(row)), now: rows[0]?.now ?? new Date() };
  },

  /**
   * Changes the settings of locked redirects, by id, with the next statement of the transaction. The statement is the same
   * for any of them. They are updated at the time of the transaction.
   */
  async updatePlanned(tx: Queryable, settingsById: ReadonlyMap<string, StoredSettings>): Promise<void> {
    const ids = [...settingsById.keys()];
    const { source, settings, params } = parameterColumns({ id: ids }, [...settingsById.values()], true);
    await sendLater(
      tx,
      `UPDATE redirects SET (${SETTINGS_COLUMNS}) = (${settings}), updated_at = now(), version = version + 1
       FROM ${source} WHERE redirects.id = given.id AND redirects.id = ANY ($1::text[])`,
      params,
    );
  },

  /** Changes the settings of locked redirects, by id. Resolves to the domains of those that are verified. */
  async update(tx: Queryable, settingsById: ReadonlyMap<string, StoredSettings>): Promise<string[]> {
    const { source, settings, params } = parameterColumns({ id: [...settingsById.keys()] }, [
      ...settingsById.values(),
    ]);
    const rows = await tx.query<{ from_domain: string }>(
      `WITH updated AS (UPDATE redirects SET (${SETTINGS_COLUMNS}) = (${settings}), updated_at = now(),
           version = version + 1
         FROM ${source} WHERE redirects.id = given.id RETURNING from_domain, verified_at)
       SELECT from_domain FROM updated WHERE verified_at IS NOT NULL`,
      params,
    );
    return rows.map((row) => row.from_domain);
  },

  /** Deletes locked redirects. Resolves to what data planes no longer serve: hosts, and keys of pages of paths. */
  async delete(tx: Queryable, ids: readonly string[]): Promise<string[]> {
    const served = await tx.query<{ host: string }>(
      `SELECT from_domain AS host FROM redirects WHERE id = ANY ($1) AND verified_at IS NOT NULL
       UNION ALL SELECT key FROM path_pages JOIN redirects ON redirects.id = redirect_id
       WHERE redirect_id = ANY ($1) AND verified_at IS NOT NULL`,
      [ids],
    );
    await deletedRedirects.delete(tx, ids);
    return served.map(({ host }) => host);
  },
};
