import { readUrl } from '../../shared/process/read-url.js';
import type { RuleAction } from '../../shared/rules/rule-definition.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { type Queryable, sendLater } from '../storage/postgres/database.js';

/**
 * Advisory lock. Transactions that change paths hold it shared, and takedowns take it exclusively. When a takedown has the
 * lock, every change of paths that did not record its host, because there was no takedown yet, has been committed.
 */
const TAKEDOWN_LOCK = 7_291_876;
/** Maximum wait for changes of paths. Other changes wait behind the takedown during that time. */
const LOCK_LIMIT_MS = 2_000;

/** Must precede the statement that reads `HAS_TAKEDOWNS` for a change of paths. */
export async function lockForPaths(tx: Queryable): Promise<void> {
  await sendLater(tx, 'SELECT pg_advisory_xact_lock_shared($1)', [TAKEDOWN_LOCK]);
}

/**
 * Waits for the changes of paths under way. Later ones read the takedown, so they need not wait for the transaction. It must hold no
 * lock that a change of paths may wait for.
 *
 * @throws when the wait takes 2 s
 */
export async function endOfPathChanges(tx: Queryable): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = ${LOCK_LIMIT_MS}`);
  await tx.query('SELECT pg_advisory_lock($1)', [TAKEDOWN_LOCK]);
  await tx.query('SELECT pg_advisory_unlock($1)', [TAKEDOWN_LOCK]);
}

/** SQL condition that a takedown of a destination exists. PostgreSQL evaluates it once per statement. */
export const HAS_TAKEDOWNS =
  'EXISTS (SELECT FROM takedowns WHERE lifted_at IS NULL AND destination_host IS NOT NULL)';

/**
 * SQL condition that the user of a redirect is suspended, or waits for the deletion of the account. It reads the current
 * state, also for hosts whose change is not published yet. A data plane that reads a host after a suspension therefore never
 * serves it.
 */
const USER_IS_GONE = `((EXISTS (SELECT FROM suspensions)
        AND EXISTS (SELECT FROM suspensions WHERE suspensions.user_id = redirects.user_id))
      OR (EXISTS (SELECT FROM account_deletions)
        AND EXISTS (SELECT FROM account_deletions WHERE account_deletions.user_id = redirects.user_id)))`;

/**
 * SQL columns: whether visitors of a redirect get 410, and whether its other destinations must be checked. Each
 * correlated subquery can use a unique index, so its time does not grow with the table. While a table is empty, as in
 * most installations, PostgreSQL finds that out once per statement instead of for each redirect.
 */
export const GONE_COLUMNS = `(${USER_IS_GONE}
      OR (EXISTS (SELECT FROM takedowns)
        AND (EXISTS (SELECT FROM takedowns WHERE host = from_domain AND lifted_at IS NULL)
          OR EXISTS (SELECT FROM takedowns WHERE destination_host = to_host AND lifted_at IS NULL)))) AS is_gone,
    ${HAS_TAKEDOWNS} AS has_takedowns`;

/** A subquery of the hosts that are taken down. */
export const TAKEN_DOWN = `(
  SELECT host AS taken_down_host, id AS takedown_id FROM takedowns
  WHERE lifted_at IS NULL AND host IS NOT NULL) AS taken_down`;

/**
 * Returns the definition that data planes get for a taken-down host without a redirect. Its visitors get 410, also if a
 * wildcard covers the host. No hits are recorded.
 */
export function tombstoneOf(host: string, takedownId: string): RedirectDefinition {
  return {
    id: takedownId,
    host,
    destination: 'https://gone.invalid/',
    redirectType: 'temporary',
    pathForwarding: false,
    queryForwarding: false,
    samplingRate: 0,
    gone: true,
  };
}

/** SQL of scheme, host and port of an entry's destination; null for a path or none. */
export const PATH_ORIGIN = `substring(destination from '^[^/]+//[^/?#\\\\]+')`;

/**
 * Returns whether a visitor of a redirect can be led to a host that is taken down, other than by its own destination.
 */
export type LeadsToTakenDown = (
  id: string,
  parts: Pick<RedirectDefinition, 'rules' | 'afterEnd' | 'notFound'>,
) => boolean;

/** @param withPaths ids of the redirects that have a table of paths */
export async function readTakenDown(
  source: Queryable,
  withPaths: readonly string[],
): Promise<LeadsToTakenDown> {
  const hosts = await takenDownDestinations(source);
  const origins = await originsOfPaths(source, withPaths);
  return (id, { rules = [], afterEnd, notFound }) => {
    const urls = rules.flatMap(({ action }) => urlsOf(action));
    if (afterEnd !== undefined && 'url' in afterEnd) urls.push(afterEnd.url);
    if (notFound !== undefined) urls.push(notFound.url);
    return leadsToAny(urls, hosts) || leadsToAny(origins.get(id) ?? [], hosts);
  };
}

export function leadsToAny(urls: readonly string[], hosts: ReadonlySet<string>): boolean {
  return urls.some((url) => hosts.has(hostOf(url)));
}

export function urlsOf(action: RuleAction): string[] {
  return action.type === 'ab_test' ? action.variants.map(({ url }) => url) : [action.url];
}

async function takenDownDestinations(source: Queryable): Promise<ReadonlySet<string>> {
  const rows = await source.query<{ host: string }>(
    'SELECT destination_host AS host FROM takedowns WHERE lifted_at IS NULL AND destination_host IS NOT NULL',
  );
  return new Set(rows.map(({ host }) => host));
}

/** Returns the origins of absolute destinations in enabled entries, by redirect. */
async function originsOfPaths(
  source: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await source.query<{ id: string; origins: string[] }>(
    `SELECT redirect_id AS id, array_agg(DISTINCT ${PATH_ORIGIN}) AS origins FROM path_entries
     WHERE redirect_id = ANY($1) AND enabled AND ${PATH_ORIGIN} IS NOT NULL GROUP BY redirect_id`,
    [ids],
  );
  return new Map(rows.map(({ id, origins }) => [id, origins]));
}

/** Returns the host as browsers parse it. No other spelling then evades the takedown. */
function hostOf(url: string): string {
  return readUrl(url)?.hostname.replace(/\.$/, '') ?? '';
}
