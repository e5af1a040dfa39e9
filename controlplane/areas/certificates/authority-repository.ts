import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import type { AuthorityLimits } from './authority-limits.js';

/** An order that counts toward the limits of an authority. */
export interface CountedOrder {
  readonly directory: string;
  readonly host: string;
  readonly registeredDomain: string;
  readonly isExempt: boolean;
}

/** All SQL about accounts at certificate authorities and their limits. */
export const authorityRepository = {
  async readAccountKey(tx: Queryable): Promise<Buffer | undefined> {
    // One control plane at a time makes a key.
    await tx.query('LOCK TABLE acme_account_key IN SHARE ROW EXCLUSIVE MODE');
    const [row] = await tx.query<{ private_key: Buffer }>('SELECT private_key FROM acme_account_key');
    return row?.private_key;
  },

  async writeAccountKey(tx: Queryable, encrypted: Buffer): Promise<void> {
    await tx.query(
      `INSERT INTO acme_account_key (private_key) VALUES ($1)
       ON CONFLICT (only_row) DO UPDATE SET private_key = excluded.private_key, created_at = now(),
         known_at = NULL`,
      [encrypted],
    );
  },

  /** Notes that a data plane knows how to answer challenges. */
  async noteKeyKnown(source: Queryable): Promise<void> {
    await source.query('UPDATE acme_account_key SET known_at = now() WHERE known_at IS NULL');
  },

  /** Returns whether a data plane has known that for so long. */
  async isKeyKnown(source: Queryable, seconds: number): Promise<boolean> {
    const rows = await source.query(
      'SELECT FROM acme_account_key WHERE known_at <= now() - make_interval(secs => $1)',
      [seconds],
    );
    return rows.length > 0;
  },

  async readAccountUrl(
    source: Queryable,
    directory: string,
    thumbprint: string,
  ): Promise<string | undefined> {
    const [row] = await source.query<{ account_url: string | null }>(
      'SELECT account_url FROM acme_authorities WHERE directory = $1 AND account_thumbprint = $2',
      [directory, thumbprint],
    );
    return row?.account_url ?? undefined;
  },

  async writeAccountUrl(
    source: Queryable,
    directory: string,
    url: string,
    thumbprint: string,
  ): Promise<void> {
    await source.query(
      'UPDATE acme_authorities SET account_url = $2, account_thumbprint = $3 WHERE directory = $1',
      [directory, url, thumbprint],
    );
  },

  /** Forgets an account that the authority no longer has. */
  async forgetAccount(source: Queryable, directory: string): Promise<void> {
    await source.query('UPDATE acme_authorities SET account_url = NULL WHERE directory = $1', [directory]);
  },

  /** Adds the authority with a full bucket, unless it is there. */
  async addAuthority(source: Queryable, directory: string, { burst }: AuthorityLimits): Promise<void> {
    await source.query(
      'INSERT INTO acme_authorities (directory, tokens) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [directory, burst],
    );
  },

  /** Takes a token for a new order. @returns 0 when it was taken, otherwise the seconds until there is one */
  async takeToken(source: Queryable, directory: string, limits: AuthorityLimits): Promise<number> {
    const [row] = await source.query<{ tokens: number }>(
      `UPDATE acme_authorities SET counted_at = now(), tokens = ${TOKENS_NOW} - 1
       WHERE directory = $1 AND ${TOKENS_NOW} >= 1 RETURNING tokens`,
      [directory, limits.burst, limits.perSecond],
    );
    return row === undefined ? authorityRepository.secondsToToken(source, directory, limits) : 0;
  },

  /** Returns the seconds until a token is free; 0 if one is free now. */
  async secondsToToken(source: Queryable, directory: string, limits: AuthorityLimits): Promise<number> {
    const [row] = await source.query<{ tokens: number }>(
      `SELECT ${TOKENS_NOW} AS tokens FROM acme_authorities WHERE directory = $1`,
      [directory, limits.burst, limits.perSecond],
    );
    return Math.max(0, (1 - (row?.tokens ?? 1)) / limits.perSecond);
  },

  async countOrder(source: Queryable, order: CountedOrder): Promise<void> {
    const { directory, host, registeredDomain, isExempt } = order;
    await source.query(
      'INSERT INTO certificate_orders (id, directory, host, registered_domain, is_exempt) VALUES ($1, $2, $3, $4, $5)',
      [newId(), directory, host, registeredDomain, isExempt],
    );
  },

  /** Notes that the last order of a host failed. @returns whether it counted toward limits until now */
  async noteFailedOrder(
    source: Queryable,
    { directory, registeredDomain, host }: Omit<CountedOrder, 'isExempt'>,
  ): Promise<boolean> {
    const rows = await source.query<{ is_exempt: boolean }>(
      `UPDATE certificate_orders SET failed_at = now() WHERE id = (SELECT id FROM certificate_orders
         WHERE registered_domain = $1 AND directory = $2 AND host = $3 ORDER BY created_at DESC LIMIT 1)
         AND failed_at IS NULL RETURNING is_exempt`,
      [registeredDomain, directory, host],
    );
    return rows[0]?.is_exempt === false;
  },

  /** Returns the age in seconds of the `limit`-th latest order of a host in the period; undefined when there are fewer. */
  async nthLatestOrder(
    source: Queryable,
    of: Omit<CountedOrder, 'isExempt'>,
    limit: number,
    periodSeconds: number,
  ): Promise<number | undefined> {
    const [row] = await source.query<{ age: number }>(
      `SELECT extract(epoch FROM now() - created_at)::float AS age FROM certificate_orders
       WHERE registered_domain = $1 AND directory = $2 AND created_at > now() - make_interval(secs => $4)
         AND host = $5
       ORDER BY created_at DESC OFFSET $3 LIMIT 1`,
      [of.registeredDomain, of.directory, limit - 1, periodSeconds, of.host],
    );
    return row?.age;
  },

  /** Returns whether there may be more. */
  async deleteOldOrders(source: Queryable, days: number): Promise<boolean> {
    const rows = await source.query(
      `DELETE FROM certificate_orders WHERE id IN (SELECT id FROM certificate_orders
         WHERE created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT ${DELETED_AT_ONCE})
       RETURNING id`,
      [days],
    );
    return rows.length === DELETED_AT_ONCE;
  },

  /** Keeps an account key that cannot be decrypted. */
  async setAccountKeyAside(tx: Queryable, encrypted: Buffer): Promise<void> {
    await tx.query(
      'INSERT INTO acme_account_keys_set_aside (private_key) VALUES ($1) ON CONFLICT DO NOTHING',
      [encrypted],
    );
  },

  /** Returns the latest account keys that were set aside. */
  async readAccountKeysAside(tx: Queryable): Promise<Buffer[]> {
    const rows = await tx.query<{ private_key: Buffer }>(
      'SELECT private_key FROM acme_account_keys_set_aside ORDER BY set_aside_at DESC LIMIT 100',
    );
    return rows.map((row) => row.private_key);
  },
};

const DELETED_AT_ONCE = 10_000;

/** $2: size of the bucket. $3: tokens per second. */
const TOKENS_NOW = 'least($2::float, tokens + extract(epoch FROM now() - counted_at)::float * $3::float)';
