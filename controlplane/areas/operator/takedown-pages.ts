import { isPageKey } from '../../../shared/paths/published-paths.js';
import type { RulesetVersion } from '../../../shared/ruleset/ruleset-version.js';
import {
  createPagedPublishing,
  PAGE_SIZE,
  type PagedPublishing,
  type PagedPublishingDeps,
} from '../../publishing/paged-publishing.js';
import type { RecordChange } from '../../publishing/ruleset-outbox.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import { endOfPathChanges } from '../../publishing/taken-down.js';
import { type Queryable, sendLater } from '../../storage/postgres/database.js';
import { type AffectedRedirect, type TakedownTarget, takedownRepository } from './takedown-repository.js';

/** A change of a takedown, in its transaction. */
export interface TakedownChange {
  readonly tx: Queryable;
  readonly record: RecordChange;
  readonly takedown: TakedownTarget & { readonly id: string };
}

/**
 * Publishes the hosts of takedowns in pages. After the commit of a takedown, data planes read every host that redirects
 * to its destination as gone. The pages contain the hosts that data planes have read before.
 */
export interface TakedownPages extends PagedPublishing {
  /** Finds the redirects that a takedown concerns. */
  find(tx: Queryable, takedown: TakedownTarget): Promise<FoundRedirects>;
  /**
   * Publishes up to 1,000 hosts of the redirects that were found. The others are published later, in pages. Locks the
   * head of the ruleset, so the transaction must take no further locks.
   */
  begin(change: TakedownChange, found: FoundRedirects): Promise<void>;
}

export interface FoundRedirects {
  readonly affected: readonly AffectedRedirect[];
  /** Version of the ruleset before the search. */
  readonly since: RulesetVersion;
}

interface PageRow {
  /** Null selects the redirects whose paths have changed since `pathsSince`. */
  readonly hosts: readonly string[] | null;
  readonly pathsSince: RulesetVersion | null;
}

export function createTakedownPages(deps: PagedPublishingDeps): TakedownPages {
  const { pageSize = PAGE_SIZE } = deps;

  async function publishHosts({ tx, record, takedown }: TakedownChange, hosts: readonly string[]) {
    for (const host of hosts.slice(0, pageSize)) record(host);
    for (let at = pageSize; at < hosts.length; at += pageSize) {
      await sendLater(tx, 'INSERT INTO takedown_pages (takedown_id, hosts) VALUES ($1, $2)', [
        takedown.id,
        hosts.slice(at, at + pageSize),
      ]);
    }
  }

  async function publishPage(tx: Queryable, record: RecordChange, id: string): Promise<void> {
    const [page] = await tx.query<PageRow>(
      `DELETE FROM takedown_pages
       WHERE id = (SELECT id FROM takedown_pages WHERE takedown_id = $1 ORDER BY id LIMIT 1)
       RETURNING hosts, paths_since AS "pathsSince"`,
      [id],
    );
    if (page === undefined) return;
    if (page.hosts !== null) for (const host of page.hosts) record(host);
    if (page.pathsSince === null) return;
    await endOfPathChanges(tx);
    const takedown = await takedownRepository.find(tx, id);
    if (takedown === undefined) return;
    const change = { tx, record, takedown };
    await publishHosts(change, await hostsOfChangedPaths(change, page.pathsSince));
  }

  return {
    ...createPagedPublishing({ table: 'takedown_pages', key: 'takedown_id', publishPage }, deps),
    async find(tx, takedown) {
      const since = await createRulesetRepository(tx).readHead();
      return { since, affected: await takedownRepository.affected(tx, takedown) };
    },

    async begin(change, { affected, since }) {
      const { tx, record, takedown } = change;
      if (takedown.host !== null) {
        // Publish the host even if no redirect has it.
        record(takedown.host);
        return;
      }
      const hosts = new Set(affected.map(({ host }) => host));
      // A redirect that changed during the search commits before this lock is taken, or afterwards and is then read
      // with the takedown.
      await tx.query('SELECT FROM ruleset_head FOR UPDATE');
      const changed =
        (await createRulesetRepository(tx).readChangedHosts(since))?.hosts ?? (await hostsOf(change));
      for (const host of changed) if (!isPageKey(host)) hosts.add(host);
      await publishHosts(change, [...hosts]);
      await tx.query('INSERT INTO takedown_pages (takedown_id, paths_since) VALUES ($1, $2::jsonb)', [
        takedown.id,
        JSON.stringify(since),
      ]);
    },
  };
}

async function hostsOf({ tx, takedown }: TakedownChange): Promise<string[]> {
  return (await takedownRepository.affected(tx, takedown)).map(({ host }) => host);
}

/**
 * Returns the hosts of redirects whose paths have changed since `since`. Their changes may have recorded only pages of paths,
 * because there was no takedown yet.
 */
async function hostsOfChangedPaths(change: TakedownChange, since: RulesetVersion): Promise<string[]> {
  const changed = await createRulesetRepository(change.tx).readChangedHosts(since);
  if (changed === undefined) return hostsOf(change);
  const ids = changed.hosts.filter(isPageKey).map((key) => key.split('/')[1]);
  if (ids.length === 0) return [];
  const rows = await change.tx.query<{ host: string }>(
    'SELECT from_domain AS host FROM redirects WHERE id = ANY ($1::text[]) AND verified_at IS NOT NULL',
    [ids],
  );
  return rows.map(({ host }) => host);
}
