import type { Queryable } from '../../storage/postgres/database.js';
import type { ClaimedCertificate } from './certificate-queue.js';

/** Columns of a certificate that are set aside and come back together. */
const COLUMNS = 'sealed, key_id, issuer, names, not_before, not_after, renewal_id, renew_at';
const PAGE_SIZE = 500;

/** SQL about certificates that a SECRET_KEY encrypted which this process does not have. They are kept until they expire. */
export const setAsideRepository = {
  /** Keeps the certificate of a host before another one replaces it, if its key is unknown. */
  async setAside(tx: Queryable, { host, claim }: ClaimedCertificate, knownKeyIds: readonly string[]) {
    await tx.query(
      `INSERT INTO certificates_set_aside (host, fingerprint, user_id, ${COLUMNS})
       SELECT host, fingerprint, user_id, ${COLUMNS} FROM certificates
       WHERE host = $1 AND claim = $2 AND fingerprint IS NOT NULL AND key_id <> ALL ($3)
       ON CONFLICT DO NOTHING`,
      [host, claim, [...knownKeyIds]],
    );
  },

  /**
   * Restores certificates of known keys where the present one has an unknown key. Returns the hosts, at most 500 in a call;
   * empty when there are no more.
   */
  async restore(tx: Queryable, knownKeyIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ host: string }>(
      `WITH readable AS (
         SELECT DISTINCT ON (aside.host) aside.* FROM certificates_set_aside AS aside
           JOIN certificates USING (host, user_id)
         WHERE aside.key_id = ANY ($1) AND certificates.key_id <> ALL ($1) AND certificates.source = 'acme'
           AND certificates.fingerprint IS NOT NULL AND aside.not_after > now()
         ORDER BY aside.host, aside.not_after DESC LIMIT ${PAGE_SIZE}
       ), kept AS (
         INSERT INTO certificates_set_aside (host, fingerprint, user_id, ${COLUMNS})
         SELECT host, certificates.fingerprint, certificates.user_id, ${COLUMNS.replaceAll(/\w+/g, 'certificates.$&')}
         FROM certificates JOIN readable USING (host) ON CONFLICT DO NOTHING
       )
       UPDATE certificates SET fingerprint = readable.fingerprint, state = 'issued', last_error = NULL, failures = 0,
         next_attempt_at = now(), claim = NULL, updated_at = now(), ${assigned('readable')}
       FROM readable WHERE certificates.host = readable.host RETURNING certificates.host`,
      [[...knownKeyIds]],
    );
    return rows.map(({ host }) => host);
  },

  /** Returns the number of certificates in use whose key is unknown. */
  async countUnreadable(source: Queryable, knownKeyIds: readonly string[]): Promise<number> {
    const [row] = await source.query<{ count: number }>(
      'SELECT count(*) AS count FROM certificates WHERE fingerprint IS NOT NULL AND key_id <> ALL ($1)',
      [[...knownKeyIds]],
    );
    return row?.count ?? 0;
  },

  async deleteExpired(source: Queryable): Promise<void> {
    await source.query('DELETE FROM certificates_set_aside WHERE not_after < now()');
  },
};

function assigned(table: string): string {
  return COLUMNS.replaceAll(/\w+/g, (column) => `${column} = ${table}.${column}`);
}
