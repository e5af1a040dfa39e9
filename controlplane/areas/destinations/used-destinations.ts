import { isIP } from 'node:net';
import type { PathEntry } from '../../../shared/paths/path-entry.js';
import { readSource } from '../../../shared/paths/path-source.js';
import { readTemplate } from '../../../shared/paths/path-template.js';
import { readUrl } from '../../../shared/process/read-url.js';
import { hasLabels } from '../../../shared/ruleset/labelled-route.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { zoneOf } from '../domains/public.js';
import { bareHost } from '../webhooks/public.js';

/** Maximum destinations of a redirect that are checked, in the order of `USES`. */
export const MAX_DESTINATIONS = 100;
/** Maximum entries of a table of paths that are read. */
const MAX_ENTRIES_READ = 10_000;

/** Parts of a redirect that a destination can belong to. */
export const USES = ['redirect', 'afterEnd', 'rule', 'path'] as const;
export type Use = (typeof USES)[number];

export interface UsedDestination extends CheckedUrl {
  readonly usedBy: readonly Use[];
}

/** The destinations of a redirect by URL. */
export interface RedirectDestinations {
  readonly userId: string;
  readonly byUrl: ReadonlyMap<string, UsedDestination>;
}

interface FoundRow {
  readonly id: string;
  readonly user_id: string;
  readonly from_domain: string;
  readonly used_by: Use;
  readonly url: string;
  /** Source of an entry. */
  readonly source: string | null;
}

/**
 * Reads the destinations of served redirects: verified, enabled, and of users who are not suspended. Other redirects
 * have none. Redirects without entries are left out first, because PostgreSQL may search a large table of entries for
 * them.
 */
export async function readUsedDestinations(
  database: Queryable,
  redirectIds: readonly string[],
): Promise<Map<string, RedirectDestinations>> {
  const rows = await database.query<FoundRow>(
    `WITH served AS MATERIALIZED (
       SELECT id, user_id, from_domain, to_domain, after_end->>'url' AS after_url, path_count FROM redirects
       WHERE id = ANY ($1::text[]) AND verified_at IS NOT NULL AND deleted_at IS NULL AND enabled
         AND NOT EXISTS (SELECT FROM suspensions WHERE suspensions.user_id = redirects.user_id)
         AND NOT EXISTS (SELECT FROM account_deletions WHERE account_deletions.user_id = redirects.user_id)
     )
     SELECT id, user_id, from_domain, 'redirect' AS used_by, to_domain AS url, NULL AS source, 0 AS place, 0::bigint AS number FROM served
     UNION ALL
     SELECT id, user_id, from_domain, 'afterEnd', after_url, NULL, 1, 0 FROM served WHERE after_url IS NOT NULL
     UNION ALL
     SELECT id, user_id, from_domain, 'rule', target.url, NULL, 2, priority FROM served,
       LATERAL (SELECT action, priority FROM rules WHERE redirect_id = served.id AND status = 'active'
         ORDER BY priority LIMIT $2) AS rule,
       LATERAL (SELECT action->>'url' AS url UNION ALL
         SELECT variant->>'url' FROM jsonb_array_elements(coalesce(action->'variants', '[]')) AS variant) AS target
     WHERE target.url IS NOT NULL
     UNION ALL
     SELECT served.id, user_id, from_domain, 'path', destination, source, 3, entry.id FROM served,
       LATERAL (SELECT id, source, destination FROM (SELECT id, source, destination FROM path_entries
           WHERE redirect_id = served.id AND enabled ORDER BY id LIMIT $3) AS first
         WHERE destination ~* '^https?://' AND destination !~ '[*{]' ORDER BY id LIMIT $2) AS entry
     WHERE served.path_count > 0
     ORDER BY 1, place, number`,
    [[...redirectIds], MAX_DESTINATIONS, MAX_ENTRIES_READ],
  );
  const found = new Map<string, { userId: string; byUrl: Map<string, UsedDestination> }>();
  for (const row of rows) {
    const one = found.get(row.id) ?? { userId: row.user_id, byUrl: new Map() };
    found.set(row.id, one);
    add(one.byUrl, row);
  }
  return found;
}

function add(byUrl: Map<string, UsedDestination>, { from_domain, url, used_by, source }: FoundRow): void {
  const isFilledIn = source === null ? hasLabels(from_domain, url) : isFilled(source, url);
  if (isFilledIn) return;
  const checked = checkedUrl(url);
  if (checked === undefined) return;
  const known = byUrl.get(checked.url);
  if (known === undefined && byUrl.size >= MAX_DESTINATIONS) return;
  const usedBy = known?.usedBy ?? [];
  byUrl.set(checked.url, { ...checked, usedBy: usedBy.includes(used_by) ? usedBy : [...usedBy, used_by] });
}

/** Returns whether the destination of an entry has placeholders, and so differs by visitor. */
function isFilled(source: PathEntry['source'], destination: string): boolean {
  const read = readSource(source);
  if ('field' in read) return true;
  const template = readTemplate(destination, read, true);
  // Escapes begin with the same character as placeholders.
  return 'field' in template || /~[:*?@]/.test(template.text);
}

/** Names that no public server has (RFC 2606, RFC 6761). */
const RESERVED = /(?:^|\.)(?:example|invalid|test)$/i;

/** A destination in its requested form. */
interface CheckedUrl {
  /** Absolute URL without a fragment, which is never sent. */
  readonly url: string;
  /** See `siteOf`. */
  readonly site: string;
}

/** Returns the URL to request for a destination; undefined for one that cannot be requested. */
function checkedUrl(destination: string): CheckedUrl | undefined {
  const url = readUrl(destination);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '') return undefined;
  if (url.hostname === '' || RESERVED.test(bareHost(url.hostname))) return undefined;
  url.hash = '';
  return { url: url.href, site: siteOf(url) };
}

/** Returns the registrable domain of a URL, or its address. Requests to all hosts of a site are spread over time. */
export function siteOf({ hostname }: URL): string {
  const host = bareHost(hostname);
  return isIP(host) === 0 ? zoneOf(host) : host;
}
