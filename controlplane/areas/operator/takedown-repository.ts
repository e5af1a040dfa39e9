import type { RuleAction } from '../../../shared/rules/rule-definition.js';
import type { PagePosition } from '../../http/page-cursor.js';
import { SERVED_FALLBACK } from '../../publishing/fallback.js';
import { IS_SERVED } from '../../publishing/redirect-definitions.js';
import { leadsToAny, PATH_ORIGIN, urlsOf } from '../../publishing/taken-down.js';
import type { Queryable } from '../../storage/postgres/database.js';

/** One of the two hosts is set. */
export interface TakedownTarget {
  readonly host: string | null;
  readonly destinationHost: string | null;
}

export interface Takedown extends TakedownTarget, PagePosition {
  readonly reason: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly liftedBy: string | null;
  readonly liftedAt: Date | null;
}

/** A published redirect that a takedown concerns, and the host whose visitors get 410. */
export interface AffectedRedirect {
  readonly id: string;
  readonly userId: string;
  readonly email: string | null;
  readonly host: string;
}

const COLUMNS = `id, created_at::text AS at, host, destination_host AS "destinationHost", reason,
  created_by AS "createdBy", created_at AS "createdAt", lifted_by AS "liftedBy", lifted_at AS "liftedAt"`;

/** Destinations may contain spellings of a host that SQL cannot parse. SQL selects candidates, and Node decides. */
const RULE_MAY_LEAD_TO = `(strpos(lower(action::text), $1) > 0 OR action::text ~ '//[^/?#"]*[^[:ascii:]]'
  OR action::text ~ '//[^/?#"]*%' OR action::text ~ '//[^/?#"]*\\\\')`;
const ORIGIN_MAY_LEAD_TO = `(strpos(lower(origin), $1) > 0 OR origin ~ '[^[:ascii:]]|%')`;

const AFFECTED_COLUMNS = `redirects.id, redirects.user_id AS "userId", email, from_domain AS host`;

interface CandidateRow extends AffectedRedirect {
  /** Whether its own destination, or the destination after its end, has the host. */
  readonly isCertain: boolean;
  readonly actions: readonly RuleAction[] | null;
  readonly origins: readonly string[] | null;
  /** URL of `notFound`. */
  readonly notFound: string | null;
  /** URL for visitors while it is disabled. */
  readonly fallback: string | null;
}

/** All SQL about takedowns. */
export const takedownRepository = {
  /** Resolves to undefined if there is an active takedown of the host. */
  async insert(
    tx: Queryable,
    takedown: TakedownTarget & { readonly id: string; readonly reason: string; readonly createdBy: string },
  ): Promise<Takedown | undefined> {
    const [row] = await tx.query<Takedown>(
      `INSERT INTO takedowns (id, host, destination_host, reason, created_by) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
      [takedown.id, takedown.host, takedown.destinationHost, takedown.reason, takedown.createdBy],
    );
    return row;
  },

  /** Resolves to undefined if no such takedown is active. */
  async lift(tx: Queryable, id: string, liftedBy: string): Promise<Takedown | undefined> {
    const [row] = await tx.query<Takedown>(
      `UPDATE takedowns SET lifted_at = now(), lifted_by = $2 WHERE id = $1 AND lifted_at IS NULL
       RETURNING ${COLUMNS}`,
      [id, liftedBy],
    );
    return row;
  },

  async find(source: Queryable, id: string): Promise<Takedown | undefined> {
    const [row] = await source.query<Takedown>(`SELECT ${COLUMNS} FROM takedowns WHERE id = $1`, [id]);
    return row;
  },

  /** Returns takedowns, newest first, one row more than `limit`. */
  page(source: Queryable, { at, id }: PagePosition, limit: number): Promise<Takedown[]> {
    return source.query<Takedown>(
      `SELECT ${COLUMNS} FROM takedowns WHERE (created_at, id) < ($1::timestamptz, $2)
       ORDER BY created_at DESC, id DESC LIMIT $3`,
      [at, id, limit + 1],
    );
  },

  /** Returns the `domains` that have a served redirect. */
  async servedAmong(source: Queryable, domains: readonly string[]): Promise<Set<string>> {
    const rows = await source.query<{ host: string }>(
      `SELECT from_domain AS host FROM redirects WHERE from_domain = ANY($1) AND ${IS_SERVED}`,
      [domains],
    );
    return new Set(rows.map(({ host }) => host));
  },

  /** Locks redirects in the order of their ids. */
  async lock(tx: Queryable, ids: readonly string[]): Promise<void> {
    await tx.query('SELECT FROM redirects WHERE id = ANY($1) ORDER BY id FOR UPDATE', [ids]);
  },

  /** Returns the served redirects that have the destination, or the one that serves the host. */
  async affected(tx: Queryable, { host, destinationHost }: TakedownTarget): Promise<AffectedRedirect[]> {
    if (destinationHost !== null) return leadingTo(tx, destinationHost);
    return host === null ? [] : answeringFor(tx, host);
  },
};

/**
 * Returns the served redirect of the host, otherwise the most specific wildcard that covers it. `host` is the given
 * one.
 */
function answeringFor(tx: Queryable, host: string): Promise<AffectedRedirect[]> {
  const labels = host.replace(/^\*\./, '').split('.');
  const wildcards = labels.slice(1).map((_, at) => `*.${labels.slice(at + 1).join('.')}`);
  return tx.query<AffectedRedirect>(
    `SELECT redirects.id, user_id AS "userId", email, $1 AS host
     FROM redirects JOIN users ON users.id = user_id WHERE ${IS_SERVED} AND from_domain = ANY($2)
     ORDER BY from_domain = $1 DESC, length(from_domain) DESC LIMIT 1`,
    [host, [host, ...wildcards]],
  );
}

async function leadingTo(tx: Queryable, destinationHost: string): Promise<AffectedRedirect[]> {
  const candidates = await tx.query<CandidateRow>(
    `WITH ruled AS (
       SELECT redirect_id, json_agg(action) AS actions FROM rules
       WHERE status = 'active' AND ${RULE_MAY_LEAD_TO} GROUP BY redirect_id),
     pathed AS (
       SELECT redirect_id, array_agg(DISTINCT origin) AS origins
       FROM (SELECT redirect_id, ${PATH_ORIGIN} AS origin FROM path_entries WHERE enabled) AS entries
       WHERE ${ORIGIN_MAY_LEAD_TO} GROUP BY redirect_id)
     SELECT ${AFFECTED_COLUMNS}, actions, origins,
       to_host = $1 OR (ends_at IS NOT NULL AND after_end_host IS NOT DISTINCT FROM $1) AS "isCertain", not_found->>'url' AS "notFound",
       CASE WHEN NOT enabled THEN ${SERVED_FALLBACK} END AS fallback
     FROM redirects JOIN users ON users.id = user_id
       LEFT JOIN ruled ON ruled.redirect_id = redirects.id LEFT JOIN pathed ON pathed.redirect_id = redirects.id
       LEFT JOIN user_fallbacks ON user_fallbacks.user_id = redirects.user_id
       LEFT JOIN fallback_passes ON fallback_passes.user_id = redirects.user_id
     WHERE ${IS_SERVED} AND (to_host = $1 OR after_end_host = $1 OR actions IS NOT NULL OR origins IS NOT NULL
       OR not_found IS NOT NULL OR (NOT enabled AND (user_fallbacks.host = $1 OR fallback_passes.user_id IS NOT NULL)))`,
    [destinationHost],
  );
  const hosts = new Set([destinationHost]);
  return candidates.filter(
    ({ isCertain, actions, origins, notFound, fallback }) =>
      isCertain ||
      leadsToAny(
        [
          ...(actions ?? []).flatMap(urlsOf),
          ...(origins ?? []),
          ...[notFound, fallback].filter((url) => url !== null),
        ],
        hosts,
      ),
  );
}
