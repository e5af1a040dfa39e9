import { AppError } from '../../../errors/app-error.js';
import type { Queryable } from '../../../storage/postgres/database.js';
import { findCertainLoop } from './certain-loop.js';
import { fallbackNode, type LoopGraph, readLoopGraphFrom, servedGraph } from './loop-graph.js';

/**
 * SQL for the possible destination hosts of a row of `redirects`: its destination, its URL after the end, and its
 * owner's fallback.
 */
export const WAYS = `(SELECT redirects.to_host AS host
    UNION ALL SELECT redirects.after_end_host WHERE redirects.after_end_host IS NOT NULL
    UNION ALL SELECT user_fallbacks.host FROM user_fallbacks
      WHERE user_fallbacks.user_id = redirects.user_id AND NOT redirects.enabled AND redirects.verified_at IS NOT NULL)`;

/** Maximum redirects in a chain. */
const MAX_HOPS = 64;

/** Members of a redirect that decide whether its visitors get the fallback of its owner. */
export interface FallingBack {
  readonly userId: string;
  readonly fromDomain: string;
}

/** Hosts that visitors of a user's fallback may pass, the nearest first, each with the host before it. */
type Reached = readonly { readonly via: string | null; readonly host: string }[];

/** Returns which of the users have a fallback. */
export async function hasFallback(
  source: Queryable,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await source.query<{ user_id: string }>(
    'SELECT user_id FROM user_fallbacks WHERE user_id = ANY ($1::text[])',
    [userIds],
  );
  return new Set(rows.map((row) => row.user_id));
}

/**
 * Refuses to disable a verified redirect whose visitors would come back to it through the fallback of its owner. The caller holds the
 * lock of the graph.
 *
 * @throws {AppError} REDIRECT_LOOP naming `enabled`
 */
export async function requireNoLoopByFallback(tx: Queryable, redirect: FallingBack): Promise<void> {
  const loop = await findLoopByFallback(tx, redirect);
  if (loop === undefined) return;
  throw new AppError('REDIRECT_LOOP', {
    field: 'enabled',
    message: `Visitors of the disabled redirect would be sent in a circle: ${loop.join(' → ')}. Set another fallback (PUT /user/fallback) first.`,
  });
}

/** Returns the hosts of the loop that a verified, disabled redirect closes with the fallback of its owner; undefined without one. */
export async function findLoopByFallback(
  tx: Queryable,
  { userId, fromDomain }: FallingBack,
): Promise<readonly string[] | undefined> {
  const loop = wayBackTo(fromDomain, await reachedFromFallback(tx, userId));
  return loop ?? certainLoopOf(await readFallbackGraph(tx, userId), [fromDomain]);
}

/** Returns the hosts whose redirects may close a loop with the user's fallback if they were the user's and disabled. */
export async function reachedByFallback(tx: Queryable, userId: string): Promise<ReadonlySet<string>> {
  const reached = await reachedFromFallback(tx, userId);
  if (reached.length === 0) return new Set();
  const { graph } = (await readFallbackGraph(tx, userId)) ?? {};
  return new Set([...reached.map(({ host }) => host), ...(graph?.keys() ?? [])]);
}

/**
 * Returns the hosts of a loop that the stored fallback of a user closes with a verified, disabled redirect of the user; undefined
 * without one. The caller holds the lock of the graph.
 */
export async function findLoopOfFallback(
  tx: Queryable,
  userId: string,
): Promise<readonly string[] | undefined> {
  const reached = await reachedFromFallback(tx, userId);
  const [subject] = await tx.query<{ host: string }>(
    `SELECT from_domain AS host FROM redirects WHERE user_id = $1 AND from_domain = ANY ($2::text[])
       AND NOT enabled AND verified_at IS NOT NULL AND deleted_at IS NULL
     ORDER BY array_position($2::text[], from_domain) LIMIT 1`,
    [userId, reached.map(({ host }) => host)],
  );
  if (subject !== undefined) return wayBackTo(subject.host, reached);
  const found = reached.length === 0 ? undefined : await readFallbackGraph(tx, userId);
  const own = [...(found?.graph.values() ?? [])].filter(({ disabled }) => disabled?.userId === userId);
  return certainLoopOf(
    found,
    own.map(({ host }) => host),
  );
}

/** The redirects that visitors of a user's fallback may pass, with their rules. */
interface FallbackGraph {
  readonly fallbackHost: string;
  readonly graph: LoopGraph;
}

/** Resolves to undefined without a fallback, and when the graph behind it is too large to search. */
async function readFallbackGraph(tx: Queryable, userId: string): Promise<FallbackGraph | undefined> {
  const [fallback] = await tx.query<{ host: string }>('SELECT host FROM user_fallbacks WHERE user_id = $1', [
    userId,
  ]);
  const graph = fallback && (await readLoopGraphFrom(tx, fallback.host, new Date()));
  return fallback && graph && { fallbackHost: fallback.host, graph };
}

/** Returns the hosts of a loop that is certain if the redirects of `hosts` serve the fallback. */
function certainLoopOf(
  found: FallbackGraph | undefined,
  hosts: readonly string[],
): readonly string[] | undefined {
  if (found === undefined || hosts.length === 0) return undefined;
  const { graph, fallbackHost } = found;
  const changed = new Map(servedGraph(graph) ?? graph);
  for (const host of hosts) changed.set(host, fallbackNode(host, fallbackHost));
  const isAsked = new Set(hosts);
  return findCertainLoop(changed, ({ host }) => isAsked.has(host))?.path;
}

/** Follows destinations and URLs after the end, whenever they apply, as `findLoop` of redirects does. */
function reachedFromFallback(tx: Queryable, userId: string): Promise<Reached> {
  return tx.query<{ via: string | null; host: string }>(
    `WITH RECURSIVE reached (via, host, hops) AS (
       SELECT NULL::text, host, 1 FROM user_fallbacks WHERE user_id = $1
       UNION
       SELECT redirects.from_domain, ways.host, hops + 1 FROM reached
       JOIN redirects ON redirects.from_domain = reached.host AND redirects.deleted_at IS NULL
         AND (redirects.verified_at IS NOT NULL OR redirects.user_id = $1)
       CROSS JOIN LATERAL ${WAYS} AS ways
       WHERE hops <= $2
     )
     SELECT DISTINCT ON (host) via, host FROM reached ORDER BY host, hops`,
    [userId, MAX_HOPS],
  );
}

function wayBackTo(host: string, reached: Reached): readonly string[] | undefined {
  const cameFrom = new Map(reached.map((one) => [one.host, one.via]));
  if (!cameFrom.has(host)) return undefined;
  const path = [host];
  for (let via = cameFrom.get(host); via != null && path.length <= reached.length; via = cameFrom.get(via)) {
    path.unshift(via);
  }
  return [host, ...path];
}
