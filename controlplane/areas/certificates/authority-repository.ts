import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import type { AuthorityLimits } from './authority-limits.js';

/** An order that counts toward the limits of an authority. */
export interface CountedOrder {
  readonly directory: string;
  readonly host: string;
  readonly registeredDomain: string;
}

/** All SQL about accounts at certificate authorities and their limits. */
export const authorityRepository = {
  async readAccountKey(tx: Queryable): Promise<Buffer | undefined> {
    // One control plane at a time makes a key.
    await tx.query('LOCK TABLE acme_account_key IN SHARE ROW EXCLUSIVE MODE');
    const [row] = await tx.query<{ private_key: Uint8Array }>('SELECT private_key FROM acme_account_key');
    return row && Buffer.from(row.private_key);
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

  /** Returns the seconds until there is a token; 0 when there is one. */
  async secondsToToken(source: Queryable, directory: string, limits: AuthorityLimits): Promise<number> {
    const [row] = await source.query<{ tokens: number }>(
      `SELECT ${TOKENS_NOW} AS tokens FROM acme_authorities WHERE directory = $1`,
      [directory, limits.burst, limits.perSecond],
    );
    return Math.max(0, (1 - (row?.tokens ?? 1)) / limits.perSecond);
  },

  async countOrder(source: Queryable, { directory, host, registeredDomain }: CountedOrder): Promise<void> {
    await source.query(
      'INSERT INTO certificate_orders (id, directory, host, registered_domain) VALUES ($1, $2, $3, $4)',
      [newId(), directory, host, registeredDomain],
    );
  },

  /** Returns when the `limit`-th latest order of a domain was placed; undefined when there are fewer in the period. */
  async nthLatestOrder(
    source: Queryable,
    { directory, registeredDomain }: Omit<CountedOrder, 'host'>,
    limit: number,
    periodDays: number,
  ): Promise<Date | undefined> {
    const [row] = await source.query<{ created_at: Date }>(
      `SELECT created_at FROM certificate_orders WHERE registered_domain = $1 AND directory = $2
         AND created_at > now() - make_interval(days => $4) ORDER BY created_at DESC OFFSET $3 LIMIT 1`,
      [registeredDomain, directory, limit - 1, periodDays],
    );
    return row?.created_at;
  },

  async deleteOldOrders(source: Queryable, days: number): Promise<void> {
    await source.query(
      `DELETE FROM certificate_orders WHERE id IN (SELECT id FROM certificate_orders
         WHERE created_at < now() - make_interval(days => $1) ORDER BY created_at LIMIT 10000)`,
      [days],
    );
  },
};

/** $2: size of the bucket. $3: tokens per second. */
const TOKENS_NOW = 'least($2::float, tokens + extract(epoch FROM now() - counted_at)::float * $3::float)';
