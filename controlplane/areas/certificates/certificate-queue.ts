import { asMembers } from '../../storage/postgres/as-members.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Certificate, DnsRecords, LastError, ServedCertificate } from './certificate.js';
import { CERTIFICATE_COLUMNS, type CertificateRow, toCertificate } from './certificate.js';
import { REDIRECT_OF } from './certificate-repository.js';
import type { CertificateState } from './certificate-states.js';
import type { ChallengeRecord } from './dns01/dns-challenges.js';

/** `order`: hosts that wait for the limits of the authority. `check`: all others. */
export type Lane = 'check' | 'order';

const LANES: Readonly<Record<Lane, string>> = {
  check: `next_attempt_at <= now() AND state <> 'ordering'`,
  order: `next_attempt_at <= now() AND state = 'ordering'`,
};

/** Maximum position that is computed. */
const MAX_POSITION = 10_000;
const MAX_COUNTED_USERS = 1_000;

/** An order that an earlier attempt placed. */
export interface PendingOrder {
  readonly directory: string;
  /** Null: the process ended before it had the answer, so the order may exist or not. */
  readonly url: string | null;
  /** The record of its dns-01 challenge, which may not have been removed. */
  readonly record?: ChallengeRecord;
}

interface Claimed {
  readonly claim: string;
  /** The served certificate with its key, encrypted. */
  readonly sealed: string | null;
  readonly renewalId: string | null;
  readonly pendingOrder: PendingOrder | null;
  readonly pendingKey: Buffer | null;
}

/** A host that this process works on, for as long as the claim lasts. */
export type ClaimedCertificate = Certificate & Claimed;

export interface ClaimOptions {
  readonly lane: Lane;
  /** Different in each claim of each process. */
  readonly claim: string;
  readonly limit: number;
  /** Lease after which another process may continue. */
  readonly leaseSeconds: number;
  /** Lower bound, exclusive, of user ids. */
  readonly afterUserId: string;
  /** Users who have the maximum of concurrent hosts. */
  readonly exceptUsers: readonly string[];
}

/** The outcome of an attempt that gave no certificate. */
export interface Setback {
  readonly state: CertificateState;
  readonly lastError: LastError | null;
  readonly failures: number;
  readonly dns: DnsRecords | undefined;
  /** Time until the next attempt; null if there is no next attempt. */
  readonly delaySeconds: number | null;
  /** The limit that the host waits for. Absent: no limit. */
  readonly limitedBy?: string;
}

export interface IssuedCertificate extends ServedCertificate {
  readonly sealed: string;
  readonly keyId: string;
  readonly renewalId: string | undefined;
  readonly renewAt: Date;
  /** Time until the renewal is checked. */
  readonly delaySeconds: number;
  readonly dns: DnsRecords | undefined;
}

/** All SQL about the work on certificates. Several processes share the queue: row locks and leases keep them apart. */
export const certificateQueue = {
  /** Takes due hosts, an equal share of each user. Users come in the order of their ids. */
  async claim(source: Queryable, options: ClaimOptions): Promise<ClaimedCertificate[]> {
    const due = LANES[options.lane];
    const rows = await source.query<CertificateRow & Claimed>(
      `WITH RECURSIVE users_due (user_id, number) AS (
         (SELECT user_id, 1 FROM certificates WHERE ${due} AND user_id > $4 AND user_id <> ALL ($5)
          ORDER BY user_id LIMIT 1)
         UNION ALL
         SELECT next.user_id, number + 1 FROM users_due, LATERAL (SELECT user_id FROM certificates
           WHERE ${due} AND user_id > users_due.user_id AND user_id <> ALL ($5) ORDER BY user_id LIMIT 1) AS next
         WHERE number < $1
       ), taken AS MATERIALIZED (
         -- As a subquery of the update it could run more than once, each time with a limit of its own.
         SELECT next.host FROM users_due, LATERAL (SELECT host FROM certificates
           WHERE user_id = users_due.user_id AND ${due} ORDER BY next_attempt_at
           LIMIT (SELECT greatest($1 / max(number), 1) FROM users_due) FOR UPDATE SKIP LOCKED) AS next
       )
       UPDATE certificates SET claim = $2, next_attempt_at = now() + make_interval(secs => $3)
       -- Once more: another process may have taken it since.
       FROM taken WHERE certificates.host = taken.host AND ${due}
       RETURNING ${CERTIFICATE_COLUMNS}, ${asMembers('claim, sealed, renewal_id, pending_order, pending_key')}`,
      [options.limit, options.claim, options.leaseSeconds, options.afterUserId, [...options.exceptUsers]],
    );
    return rows.map(toCertificate);
  },

  /** Keeps other processes from taking the host. */
  async extendLease(source: Queryable, one: ClaimedCertificate, leaseSeconds: number): Promise<void> {
    await change(source, one, 'next_attempt_at = now() + make_interval(secs => $3)', [leaseSeconds]);
  },

  /** Returns whether the host still has a redirect that wants a certificate. */
  async isWanted(source: Queryable, { host }: ClaimedCertificate): Promise<boolean> {
    const rows = await source.query(
      `SELECT FROM certificates JOIN redirects ON ${REDIRECT_OF}
       WHERE host = $1 AND source = 'acme' AND certificates.removed_at IS NULL
         AND redirects.https_mode IS DISTINCT FROM 'off'`,
      [host],
    );
    return rows.length > 0;
  },

  /** Stores the state and the DNS records while the work continues. */
  async noteState(
    source: Queryable,
    one: ClaimedCertificate,
    state: CertificateState,
    dns: DnsRecords | undefined,
  ): Promise<void> {
    await change(source, one, 'state = $3, dns = coalesce($4::jsonb, dns), updated_at = now()', [state, dns]);
  },

  /**
   * Stores an order and its key, so that another process can continue the order; null if there is no order.
   *
   * @returns whether the claim still held
   */
  keepOrder(
    source: Queryable,
    one: ClaimedCertificate,
    order: PendingOrder | null,
    encryptedKey: Buffer | null,
  ): Promise<boolean> {
    return change(source, one, 'pending_order = $3::jsonb, pending_key = $4', [order, encryptedKey]);
  },

  /** @returns whether the claim still held */
  settleIssued(tx: Queryable, one: ClaimedCertificate, issued: IssuedCertificate): Promise<boolean> {
    return change(
      tx,
      one,
      `state = 'issued', fingerprint = $3, sealed = $4, key_id = $5, issuer = $6, names = $7, not_before = $8,
       not_after = $9, renewal_id = $10, renew_at = $11, dns = coalesce($13::jsonb, dns),
       next_attempt_at = now() + make_interval(secs => $12), last_error = NULL, failures = 0, claim = NULL,
       pending_order = NULL, pending_key = NULL, limited_by = NULL, updated_at = now()`,
      [
        ...[issued.fingerprint, issued.sealed, issued.keyId, issued.issuer, [...issued.names]],
        ...[issued.notBefore, issued.notAfter, issued.renewalId, issued.renewAt, issued.delaySeconds],
        issued.dns,
      ],
    );
  },

  /** @returns whether the claim still held */
  settle(tx: Queryable, one: ClaimedCertificate, setback: Setback): Promise<boolean> {
    const { state, lastError, failures, dns, delaySeconds, limitedBy } = setback;
    return change(
      tx,
      one,
      `state = $3, last_error = $4::jsonb, failures = $5, dns = coalesce($6::jsonb, dns),
       next_attempt_at = now() + make_interval(secs => $7::float), limited_by = $8, claim = NULL, updated_at = now()`,
      [state, lastError, failures, dns, delaySeconds, limitedBy],
    );
  },

  /** Makes ordered certificates due that an unknown key encrypted, spread over an hour. */
  async makeUnreadableDue(source: Queryable, knownKeyIds: readonly string[]): Promise<void> {
    await source.query(
      `UPDATE certificates
       SET next_attempt_at = least(next_attempt_at, now() + random() * interval '1 hour'), claim = NULL
       WHERE fingerprint IS NOT NULL AND key_id <> ALL ($1) AND source = 'acme' AND next_attempt_at IS NOT NULL
         AND (claim IS NULL OR next_attempt_at <= now())`,
      [[...knownKeyIds]],
    );
  },

  /**
   * Gives the host back, due after a while.
   *
   * @param renewAt when its certificate is renewed. Undefined: as before
   */
  async postpone(
    source: Queryable,
    one: ClaimedCertificate,
    delaySeconds: number,
    renewAt?: Date,
  ): Promise<void> {
    await change(
      source,
      one,
      'next_attempt_at = now() + make_interval(secs => $3), renew_at = coalesce($4, renew_at), claim = NULL',
      [delaySeconds, renewAt],
    );
  },

  /** Returns the positions of these hosts among those of their user that wait for an order, and the number of such users. */
  async positions(
    source: Queryable,
    userId: string,
    hosts: readonly string[],
  ): Promise<{ positions: { host: string; position: number }[]; users: number }> {
    const positions = await source.query<{ host: string; position: number }>(
      `SELECT host, position FROM (SELECT host, row_number() OVER (ORDER BY next_attempt_at, host) AS position
         FROM certificates WHERE user_id = $1 AND next_attempt_at IS NOT NULL AND state = 'ordering'
         ORDER BY next_attempt_at, host LIMIT $3) AS waiting WHERE host = ANY ($2)`,
      [userId, [...hosts], MAX_POSITION],
    );
    const [row] = await source.query<{ users: number }>(
      `WITH RECURSIVE waiting (user_id, number) AS (
         (SELECT user_id, 1 FROM certificates WHERE next_attempt_at IS NOT NULL AND state = 'ordering'
          ORDER BY user_id LIMIT 1)
         UNION ALL
         SELECT next.user_id, number + 1 FROM waiting, LATERAL (SELECT user_id FROM certificates
           WHERE next_attempt_at IS NOT NULL AND state = 'ordering' AND user_id > waiting.user_id
           ORDER BY user_id LIMIT 1) AS next
         WHERE number < $1
       ) SELECT count(*) AS users FROM waiting`,
      [MAX_COUNTED_USERS],
    );
    return { positions, users: row?.users ?? 1 };
  },
};

/**
 * Changes the row of a host while the claim holds.
 *
 * @param assignments with parameters from $3 on
 * @returns whether it held
 */
async function change(
  source: Queryable,
  { host, claim }: ClaimedCertificate,
  assignments: string,
  params: readonly unknown[],
): Promise<boolean> {
  const rows = await source.query(
    `UPDATE certificates SET ${assignments} WHERE host = $1 AND claim = $2 RETURNING host`,
    [host, claim, ...params.map((param) => param ?? null)],
  );
  return rows.length > 0;
}
