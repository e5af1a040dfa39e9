import type { Queryable } from '../../storage/postgres/database.js';
import type { Certificate, ServedCertificate } from './certificate.js';
import {
  CERTIFICATE_COLUMNS,
  type CertificateRow,
  IS_OF_OWNER,
  KEPT_BY_OWNER,
  toCertificate,
} from './certificate.js';
import type { CertificateState } from './certificate-states.js';
import { limitRepository } from './limit-repository.js';

/** Joins the redirect that a certificate is for: that of the host, or the wildcard above it. The owner of the redirect owns the certificate. */
export const REDIRECT_OF = `redirects.from_domain = coalesce(certificates.wildcard, certificates.host) AND redirects.verified_at IS NOT NULL
  AND redirects.deleted_at IS NULL AND redirects.user_id = certificates.user_id`;

/** A certificate that its owner uploads. */
export interface UploadedCertificate extends ServedCertificate {
  readonly host: string;
  readonly userId: string;
  readonly sealed: string;
  readonly keyId: string;
}

/** SQL about certificates as the API and data planes see them. `certificate-queue.ts` has that of the work on them. */
export const certificateRepository = {
  /** Returns the user whose verified redirect serves the host. A name below a wildcard must have been seen by a visitor. */
  async findOwner(source: Queryable, host: string): Promise<string | undefined> {
    const [row] = await source.query<{ user_id: string }>(
      `SELECT user_id FROM redirects WHERE from_domain = $1 AND verified_at IS NOT NULL AND deleted_at IS NULL
       UNION ALL
       SELECT certificates.user_id FROM certificates JOIN redirects ON ${REDIRECT_OF}
       WHERE host = $1 AND wildcard IS NOT NULL LIMIT 1`,
      [host],
    );
    return row?.user_id;
  },

  /** Returns the certificates of these hosts. Omits hosts whose redirect was deleted. */
  async findByHosts(source: Queryable, hosts: readonly string[]): Promise<Certificate[]> {
    const rows = await source.query<CertificateRow>(
      `SELECT ${CERTIFICATE_COLUMNS} FROM certificates JOIN redirects ON ${REDIRECT_OF}
       WHERE host = ANY ($1) AND certificates.removed_at IS NULL`,
      [[...hosts]],
    );
    return rows.map(toCertificate);
  },

  /** Replaces the certificate of the host. Ends the claim of a running order. */
  async upload(tx: Queryable, uploaded: UploadedCertificate): Promise<void> {
    await limitRepository.leave(tx, uploaded.host);
    await tx.query(
      `INSERT INTO certificates (host, user_id, source, state, fingerprint, sealed, key_id, issuer, names, not_before,
         not_after)
       VALUES ($1, $2, 'uploaded', 'issued', $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (host) DO UPDATE SET user_id = excluded.user_id, source = 'uploaded', state = 'issued',
         fingerprint = excluded.fingerprint, sealed = excluded.sealed, key_id = excluded.key_id,
         issuer = excluded.issuer, names = excluded.names, not_before = excluded.not_before,
         not_after = excluded.not_after, ${WITHOUT_WORK}, removed_at = NULL, updated_at = now()`,
      [
        uploaded.host,
        uploaded.userId,
        uploaded.fingerprint,
        uploaded.sealed,
        uploaded.keyId,
        uploaded.issuer,
        [...uploaded.names],
        uploaded.notBefore,
        uploaded.notAfter,
      ],
    );
  },

  /** Removes the certificate and its key. Keeps the row, which prevents an automatic order of another one. */
  async delete(tx: Queryable, host: string): Promise<void> {
    await limitRepository.leave(tx, host);
    await tx.query(
      `UPDATE certificates SET ${WITHOUT_CERTIFICATE}, ${WITHOUT_WORK}, removed_at = now(), updated_at = now()
       WHERE host = $1`,
      [host],
    );
    await tx.query('DELETE FROM certificates_set_aside WHERE host = $1', [host]);
  },

  /**
   * Makes a host due immediately. A deleted certificate is ordered again. A running attempt continues instead, because
   * a second attempt would place a second order. A host that waits for a limit of the authority gives up its place.
   */
  async makeDue(tx: Queryable, host: string, userId: string): Promise<void> {
    const idle = await tx.query('SELECT FROM certificates WHERE host = $1 AND claim IS NULL FOR UPDATE', [
      host,
    ]);
    if (idle.length > 0) await limitRepository.leave(tx, host);
    await tx.query(
      `INSERT INTO certificates (host, user_id, source, state, next_attempt_at)
       VALUES ($1, $2, 'acme', 'waiting_for_dns', now())
       ON CONFLICT (host) DO UPDATE SET user_id = excluded.user_id, source = 'acme', removed_at = NULL,
         updated_at = now(), next_attempt_at = now(), claim = NULL, ${KEPT_BY_OWNER},
         state = CASE WHEN certificates.removed_at IS NULL AND ${IS_OF_OWNER} THEN certificates.state
           ELSE 'waiting_for_dns' END
       WHERE NOT (${IS_OF_OWNER} AND certificates.removed_at IS NULL AND certificates.claim IS NOT NULL
         AND certificates.next_attempt_at > now())`,
      [host, userId],
    );
  },

  /** Returns the encrypted certificates of these fingerprints, each once. */
  async findSealed(
    source: Queryable,
    fingerprints: readonly string[],
  ): Promise<{ fingerprint: string; sealed: string }[]> {
    return source.query(
      `SELECT DISTINCT ON (fingerprint) fingerprint, sealed FROM certificates WHERE fingerprint = ANY ($1)
       ORDER BY fingerprint`,
      [[...fingerprints]],
    );
  },

  async countByState(source: Queryable): Promise<{ state: CertificateState; count: number }[]> {
    return source.query(
      'SELECT state, count(*) AS count FROM certificates WHERE removed_at IS NULL GROUP BY state',
    );
  },

  /** Returns when the first certificate that is in use expires. */
  async nearestExpiry(source: Queryable): Promise<Date | undefined> {
    const [row] = await source.query<{ not_after: Date }>(
      `SELECT not_after FROM certificates JOIN redirects ON ${REDIRECT_OF} WHERE fingerprint IS NOT NULL
       ORDER BY not_after LIMIT 1`,
    );
    return row?.not_after;
  },

  /**
   * Takes certificates that expire within 14 days, or a quarter of their lifetime if that is less, each once. ACME
   * renews earlier, so these need their owners.
   */
  async takeExpiring(tx: Queryable, limit: number): Promise<Certificate[]> {
    const rows = await tx.query<CertificateRow>(
      `UPDATE certificates SET expiry_announced = fingerprint WHERE host IN (
         SELECT host FROM certificates JOIN redirects ON ${REDIRECT_OF}
         WHERE fingerprint IS NOT NULL AND not_after < now() + interval '14 days'
           AND now() > not_after - (not_after - not_before) / 4
           AND expiry_announced IS DISTINCT FROM fingerprint
         ORDER BY not_after LIMIT $1 FOR UPDATE OF certificates SKIP LOCKED)
       RETURNING ${CERTIFICATE_COLUMNS}`,
      [limit],
    );
    return rows.map(toCertificate);
  },
};

const WITHOUT_CERTIFICATE = `fingerprint = NULL, sealed = NULL, key_id = NULL, issuer = NULL, names = NULL,
  not_before = NULL, not_after = NULL`;

const WITHOUT_WORK = `renewal_id = NULL, renew_at = NULL, last_error = NULL, failures = 0, next_attempt_at = NULL,
  claim = NULL, pending_order = NULL, pending_key = NULL`;
