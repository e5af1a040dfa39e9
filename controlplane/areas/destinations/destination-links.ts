import { createHash } from 'node:crypto';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import {
  type RedirectDestinations,
  readUsedDestinations,
  type UsedDestination,
} from './used-destinations.js';

/** Redirects per transaction. */
const BATCH = 100;

interface Link {
  readonly redirectId: string;
  readonly userId: string;
  readonly destination: UsedDestination;
}

/** Updates the checked destinations of some redirects: reads the redirects, and stores changes. */
export async function updateLinks(database: Database, redirectIds: readonly string[]): Promise<void> {
  const used = await readUsedDestinations(database, redirectIds);
  const known = await knownLinks(database, redirectIds);
  const changed = redirectIds.filter((id) => textOf(used.get(id)) !== (known.get(id) ?? ''));
  for (let at = 0; at < changed.length; at += BATCH) {
    for (const id of await write(database, changed.slice(at, at + BATCH), used))
      await writeHeld(database, id, used);
  }
}

type UsedDestinations = ReadonlyMap<string, RedirectDestinations>;

/** Resolves to the redirects that other transactions have locked. */
async function write(database: Database, ids: readonly string[], used: UsedDestinations): Promise<string[]> {
  return database.transaction(async (tx) => {
    const locked = await redirectHealth.lock(tx, ids);
    await replaceLinks(tx, [...locked], used);
    await redirectHealth.refresh(tx, [...locked]);
    return ids.filter((id) => !locked.has(id));
  });
}

/** Waits for the lock of one redirect. One lock cannot cause a deadlock. The redirect may no longer exist. */
async function writeHeld(database: Database, id: string, used: UsedDestinations): Promise<void> {
  await database.transaction(async (tx) => {
    const rows = await tx.query('SELECT FROM redirects WHERE id = $1 FOR NO KEY UPDATE', [id]);
    if (rows.length === 0) return;
    await replaceLinks(tx, [id], used);
    await redirectHealth.refresh(tx, [id]);
  });
}

/** Returns the destinations of each redirect as one text. */
async function knownLinks(
  database: Queryable,
  redirectIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query<{ redirect_id: string; url: string; used_by: readonly string[] }>(
    `SELECT redirect_id, url, used_by FROM redirect_destinations JOIN destinations ON destinations.id = destination_id
     WHERE redirect_id = ANY ($1::text[])`,
    [[...redirectIds]],
  );
  const lines = new Map<string, string[]>();
  for (const { redirect_id, url, used_by } of rows) {
    lines.set(redirect_id, [...(lines.get(redirect_id) ?? []), lineOf(url, used_by)]);
  }
  return new Map([...lines].map(([id, some]) => [id, some.sort().join('\n')]));
}

function textOf(destinations: RedirectDestinations | undefined): string {
  const lines = [...(destinations?.byUrl.values() ?? [])].map(({ url, usedBy }) => lineOf(url, usedBy));
  return lines.sort().join('\n');
}

function lineOf(url: string, usedBy: readonly string[]): string {
  return `${url} ${[...usedBy].sort().join()}`;
}

/** Replaces the destinations of locked redirects. */
async function replaceLinks(tx: Queryable, ids: readonly string[], used: UsedDestinations): Promise<void> {
  await tx.query('DELETE FROM redirect_destinations WHERE redirect_id = ANY ($1::text[])', [ids]);
  const links = ids.flatMap((redirectId): Link[] => {
    const { userId = '', byUrl = new Map<string, UsedDestination>() } = used.get(redirectId) ?? {};
    return [...byUrl.values()].map((destination) => ({ redirectId, userId, destination }));
  });
  if (links.length === 0) return;
  const digests = links.map(({ destination }) => createHash('sha256').update(destination.url).digest('hex'));
  const sites = links.map(({ destination }) => destination.site);
  const userIds = links.map(({ userId }) => userId);
  await tx.query(
    `INSERT INTO destinations (url, digest, site)
     SELECT DISTINCT ON (digest) url, decode(digest, 'hex'), site
     FROM unnest($1::text[], $2::text[], $3::text[]) AS new (url, digest, site) ORDER BY digest
     ON CONFLICT (digest) DO NOTHING`,
    [links.map(({ destination }) => destination.url), digests, sites],
  );
  await tx.query(
    `INSERT INTO redirect_destinations (redirect_id, destination_id, user_id, used_by)
     SELECT redirect_id, destinations.id, user_id, string_to_array(used_by, ',')
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS new (redirect_id, digest, user_id, used_by)
     JOIN destinations ON destinations.digest = decode(new.digest, 'hex')`,
    [
      links.map(({ redirectId }) => redirectId),
      digests,
      userIds,
      links.map((one) => one.destination.usedBy.join()),
    ],
  );
  // A claimed site gets its next time when the claim ends.
  await tx.query(
    `INSERT INTO destination_sites (site, user_id)
     SELECT DISTINCT ON (site) site, user_id FROM unnest($1::text[], $2::text[]) AS new (site, user_id) ORDER BY site
     ON CONFLICT (site) DO UPDATE SET next_turn_at = CASE WHEN destination_sites.claim IS NOT NULL
       THEN destination_sites.next_turn_at
       ELSE least(destination_sites.next_turn_at, greatest(now(), destination_sites.last_turn_at + interval '5 seconds')) END`,
    [sites, userIds],
  );
}

/** SQL for the health of redirects. It follows from the states of their destinations. */
export const redirectHealth = {
  /**
   * Locks redirects that no other transaction has locked. It does not wait for the others: two waiting writers could
   * block each other.
   */
  async lock(tx: Queryable, redirectIds: readonly string[]): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }>(
      'SELECT id FROM redirects WHERE id = ANY ($1::text[]) FOR NO KEY UPDATE SKIP LOCKED',
      [[...redirectIds]],
    );
    return new Set(rows.map(({ id }) => id));
  },

  /** Writes the health of locked redirects. */
  async refresh(tx: Queryable, redirectIds: readonly string[]): Promise<void> {
    await tx.query(
      `UPDATE redirects SET health = found.health FROM (
         SELECT wanted.id, CASE WHEN bool_or(state = 'broken') THEN 'broken' WHEN bool_and(state = 'ok') THEN 'ok'
           ELSE 'unknown' END AS health
         FROM unnest($1::text[]) AS wanted (id) LEFT JOIN redirect_destinations ON redirect_id = wanted.id
         LEFT JOIN destinations ON destinations.id = destination_id GROUP BY wanted.id) AS found
       WHERE redirects.id = found.id AND redirects.health <> found.health`,
      [[...redirectIds]],
    );
  },
};
