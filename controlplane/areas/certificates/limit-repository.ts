import type { Queryable } from '../../storage/postgres/database.js';

/** A limit of an authority as a token bucket: it refills evenly over a week. */
export interface Bucket {
  readonly directory: string;
  readonly registeredDomain: string;
  /** Absent: the limit of the registered domain. */
  readonly host?: string;
  /** Size, and tokens per week. */
  readonly limit: number;
}

/** Start of the message of a waiting host. The time follows. */
export const UNTIL = 'Rate limited until ';

const WEEK_SECONDS = 7 * 86_400;
/** Days until the row of a bucket is deleted. A bucket without an order is full by then. */
const KEPT_DAYS = 8;
const DELETED_AT_ONCE = 10_000;
/** Maximum number of waiting hosts that is counted. */
const MAX_COUNTED = 10_000;
/** Maximum number of waiting hosts that one statement brings forward. */
const MAX_MOVED = 1_000;

/** Names the bucket. Hosts that wait for a token are stored with it. */
export function subjectOf({ registeredDomain, host }: Bucket): string {
  return host === undefined ? `domain ${registeredDomain}` : `names ${host}`;
}

/** Returns the seconds in which a token is added. */
export function tokenSeconds({ limit }: Bucket): number {
  return WEEK_SECONDS / limit;
}

/** SQL about limits per registered domain and per set of names. */
export const limitRepository = {
  /** Takes a token. @returns 0 when it was taken, otherwise the seconds until there is one */
  async take(source: Queryable, bucket: Bucket): Promise<number> {
    if (await takeOne(source, bucket)) return 0;
    await addBucket(source, bucket);
    if (await takeOne(source, bucket)) return 0;
    const [row] = await source.query<{ tokens: number }>(
      `SELECT ${TOKENS_NOW} AS tokens FROM certificate_limits WHERE directory = $1 AND subject = $2`,
      [bucket.directory, subjectOf(bucket), bucket.limit],
    );
    return Math.max(1, (1 - (row?.tokens ?? 0)) * tokenSeconds(bucket));
  },

  /** Gives a token back: authorities do not count orders that fail. */
  async giveBack(source: Queryable, bucket: Bucket): Promise<void> {
    await source.query(
      `UPDATE certificate_limits SET tokens = least($3::float, ${TOKENS_NOW} + 1), counted_at = now()
       WHERE directory = $1 AND subject = $2`,
      [bucket.directory, subjectOf(bucket), bucket.limit],
    );
  },

  /** Returns the number of other hosts that wait for the same limit. */
  async countWaiting(source: Queryable, subject: string, host: string): Promise<number> {
    const [row] = await source.query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT FROM certificates
         WHERE limited_by = $1 AND next_attempt_at > now() AND host <> $2 LIMIT ${MAX_COUNTED}) AS waiting`,
      [subject, host],
    );
    return row?.count ?? 0;
  },

  /** Notes that a host no longer waits: it has the token that it waited for. */
  async endWait(source: Queryable, host: string): Promise<void> {
    await source.query(
      'UPDATE certificates SET limited_by = NULL WHERE host = $1 AND limited_by IS NOT NULL',
      [host],
    );
  },

  /**
   * Removes a host from the queue of a limit. The hosts behind it move forward.
   *
   * @param claim the claim that must hold. Undefined: any
   */
  async leave(tx: Queryable, host: string, claim?: string): Promise<void> {
    const [left] = await tx.query<{ subject: string; at: Date }>(
      `WITH own AS (SELECT host, limited_by AS subject,
           CASE WHEN claim IS NULL THEN greatest(next_attempt_at, now()) ELSE now() END AS at
         FROM certificates WHERE host = $1 AND limited_by IS NOT NULL AND ($2::text IS NULL OR claim = $2) FOR UPDATE)
       UPDATE certificates SET limited_by = NULL FROM own WHERE certificates.host = own.host
       RETURNING subject, at`,
      [host, claim ?? null],
    );
    if (left !== undefined) await this.bringForward(tx, left.subject, left.at);
  },

  /**
   * Gives each host that waits for a limit the time of the host before it. The first host gets the time that became
   * free. Hosts that another transaction changes keep their time.
   *
   * @param at the free time. Hosts that wait for an earlier one are not moved. Undefined: now
   */
  async bringForward(tx: Queryable, subject: string, at?: Date): Promise<void> {
    await tx.query(
      `WITH waiting AS MATERIALIZED (SELECT host, next_attempt_at FROM certificates
         WHERE limited_by = $1 AND next_attempt_at > coalesce($2, now()) AND claim IS NULL
         ORDER BY next_attempt_at, host LIMIT ${MAX_MOVED} FOR UPDATE SKIP LOCKED),
       moved AS (SELECT host, lag(next_attempt_at, 1, coalesce($2, now())) OVER (ORDER BY next_attempt_at, host) AS at
         FROM waiting)
       UPDATE certificates SET next_attempt_at = at, last_error = jsonb_set(last_error, '{message}', to_jsonb(
           regexp_replace(last_error->>'message', '^${UNTIL}[^ ]+:', '${UNTIL}' || ${ISO_AT} || ':')))
       FROM moved WHERE certificates.host = moved.host`,
      [subject, at ?? null],
    );
  },

  /** Deletes buckets that are full. @returns whether there may be more */
  async deleteFull(source: Queryable): Promise<boolean> {
    const rows = await source.query(
      `DELETE FROM certificate_limits WHERE (directory, subject) IN (SELECT directory, subject FROM certificate_limits
         WHERE counted_at < now() - interval '${KEPT_DAYS} days' LIMIT ${DELETED_AT_ONCE}) RETURNING subject`,
    );
    return rows.length === DELETED_AT_ONCE;
  },
};

/** A time in the format of JSON (ISO 8601). */
const ISO_AT = `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** $3: size of the bucket. */
const TOKENS_NOW = `least($3::float, tokens + extract(epoch FROM now() - counted_at)::float * $3::float / ${WEEK_SECONDS})`;

async function takeOne(source: Queryable, bucket: Bucket): Promise<boolean> {
  const rows = await source.query(
    `UPDATE certificate_limits SET tokens = ${TOKENS_NOW} - 1, counted_at = now()
     WHERE directory = $1 AND subject = $2 AND ${TOKENS_NOW} >= 1 RETURNING subject`,
    [bucket.directory, subjectOf(bucket), bucket.limit],
  );
  return rows.length > 0;
}

/** Adds the bucket, unless it is there. Orders of the last week are counted: an earlier release had no buckets. */
async function addBucket(source: Queryable, bucket: Bucket): Promise<void> {
  await source.query(
    `INSERT INTO certificate_limits (directory, subject, tokens)
     SELECT $1, $2, $3::float - count(*) FROM (SELECT FROM certificate_orders
       WHERE registered_domain = $4 AND directory = $1 AND created_at > now() - interval '7 days'
         AND failed_at IS NULL AND NOT is_exempt AND ($5::text IS NULL OR host = $5) LIMIT $3::integer) AS counted
     ON CONFLICT DO NOTHING`,
    [bucket.directory, subjectOf(bucket), bucket.limit, bucket.registeredDomain, bucket.host ?? null],
  );
}
