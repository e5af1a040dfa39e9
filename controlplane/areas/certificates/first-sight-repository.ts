import { MAX_NAMED_CERTIFICATES } from '../../../shared/ruleset/redirect-options.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { IS_OF_OWNER, KEPT_BY_OWNER } from './certificate-row.js';

/** A name that a handshake asked for, and the wildcard redirect that serves it. */
export interface SeenName {
  readonly name: string;
  readonly wildcard: string;
  readonly userId: string;
}

/** Maximum numbers of names per week that begin to get a certificate. */
export interface FirstSightLimits {
  readonly perWildcard: number;
  readonly perOwner: number;
}

const WILDCARD_OF = (name: string) => `'*' || substr(${name}, strpos(${name}, '.'))`;

/** SQL about certificates of names below wildcards. */
export const firstSightRepository = {
  /**
   * Returns those of the names that need a certificate: a wildcard redirect without one serves them, directly above. A name with a
   * redirect of its own, or with work or a certificate, needs none from here.
   */
  async findServed(source: Queryable, names: readonly string[]): Promise<SeenName[]> {
    const rows = await source.query<{ name: string; wildcard: string; user_id: string }>(
      `SELECT name, from_domain AS wildcard, redirects.user_id FROM unnest($1::text[]) AS name
         JOIN redirects ON from_domain = ${WILDCARD_OF('name')} AND verified_at IS NOT NULL AND deleted_at IS NULL
           AND https_mode IS DISTINCT FROM 'off'
       WHERE NOT EXISTS (SELECT FROM redirects AS own WHERE own.from_domain = name AND own.verified_at IS NOT NULL
           AND own.deleted_at IS NULL)
         AND NOT EXISTS (SELECT FROM certificates WHERE host = from_domain AND fingerprint IS NOT NULL
           AND certificates.user_id = redirects.user_id)
         AND NOT EXISTS (SELECT FROM certificates WHERE host = name AND certificates.user_id = redirects.user_id
           AND (removed_at IS NOT NULL OR (wildcard = from_domain AND next_attempt_at IS NOT NULL)))`,
      [[...names]],
    );
    return rows.map(({ name, wildcard, user_id: userId }) => ({ name, wildcard, userId }));
  },

  /** Returns whether the limits allow another name of this wildcard. */
  async hasRoom(
    source: Queryable,
    { wildcard, userId }: SeenName,
    limits: FirstSightLimits,
  ): Promise<boolean> {
    const [row] = await source.query<{ of_wildcard: number; of_owner: number; total: number }>(
      `SELECT count(*) FILTER (WHERE wildcard = $2 AND seen_at > now() - interval '7 days') AS of_wildcard,
         count(*) FILTER (WHERE seen_at > now() - interval '7 days') AS of_owner,
         count(*) FILTER (WHERE wildcard = $2) AS total
       FROM certificates WHERE user_id = $1 AND wildcard IS NOT NULL`,
      [userId, wildcard],
    );
    const { of_wildcard: ofWildcard = 0, of_owner: ofOwner = 0, total = 0 } = row ?? {};
    return ofWildcard < limits.perWildcard && ofOwner < limits.perOwner && total < MAX_NAMED_CERTIFICATES;
  },

  /** Adds the name to the queue. @returns whether the limits allowed it */
  async enrol(tx: Queryable, seen: SeenName, limits: FirstSightLimits): Promise<boolean> {
    // Names of an owner are counted one after another. Other changes of the owner do not wait.
    await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [seen.userId]);
    if (!(await this.hasRoom(tx, seen, limits))) return false;
    await tx.query(
      `INSERT INTO certificates (host, user_id, source, state, next_attempt_at, wildcard, seen_at)
       VALUES ($1, $2, 'acme', 'waiting_for_dns', now(), $3, now())
       ON CONFLICT (host) DO UPDATE SET user_id = excluded.user_id, source = 'acme', next_attempt_at = now(), claim = NULL,
         updated_at = now(), removed_at = NULL, wildcard = excluded.wildcard, seen_at = now(), ${KEPT_BY_OWNER},
         state = CASE WHEN certificates.fingerprint IS NOT NULL AND ${IS_OF_OWNER} THEN 'issued'
           ELSE 'waiting_for_dns' END
       WHERE NOT ${IS_OF_OWNER} OR certificates.removed_at IS NULL`,
      [seen.name, seen.userId, seen.wildcard],
    );
    return true;
  },
};
