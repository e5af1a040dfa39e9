import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import type { RulesetChange, RulesetDelta } from '../../shared/ruleset/ruleset-feed.js';
import {
  commitOf,
  compareVersions,
  differ,
  isOtherDatabase,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import type { PlansOf } from '../plan.js';
import type { Database, Queryable } from '../storage/postgres/database.js';
import {
  IS_SERVED,
  type OnInvalid,
  SERVED,
  SERVED_COLUMNS,
  SERVED_PAGES,
  type ServedRow,
  toDefinitions,
} from './redirect-definitions.js';
import { HEAD_COLUMNS, type HeadRow, headIn, versionBetween } from './ruleset-head.js';
import { TAKEN_DOWN, tombstoneOf } from './taken-down.js';

/** Maximum changes of a delta, which is read, sent and applied in one piece. More of them are several deltas. */
export const MAX_CHANGES_PER_DELTA = 1_000;
/** Readers that are more changes behind read the ruleset in pages. That is less work than so many deltas. */
const MAX_CHANGES_BEHIND = 10_000;
/** Maximum size of the rules in a delta. One redirect may have 4 MiB. */
const MAX_DELTA_BYTES = 16 * 1024 * 1024;
/** Maximum size of the rules in a page. A redirect with more has a separate page. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** Memory of a row beside the content of its rule. It limits a page to about 10,000 rules. */
const ROW_BYTES = 256;

/** Called with the last host of a page and its number of redirects. */
export type OnRows = (last: string, redirects: number) => void;

/** A page of the served redirects, in the order of hosts. */
export interface RulesetPage {
  readonly redirects: readonly RedirectDefinition[];
  /** The last host of the page; undefined if no host follows the given one. */
  readonly last: string | undefined;
}

/** Reads the served ruleset. Every statement is short, for any number of redirects. */
export interface RulesetRepository {
  /** The version of the last committed change. */
  readHead(): Promise<RulesetVersion>;
  /** Number of redirects that are served. */
  count(): Promise<number>;
  /** Number of redirects that are served and of pages of paths. */
  countLines(): Promise<number>;
  /**
   * Returns up to `limit` hosts after `after` that are served or taken down, in their current state. Returns fewer
   * hosts if their rules are long, but at least one.
   *
   * @param onRows called before the definitions are built, unless nothing is served after `after`
   */
  readPage(after: string, limit: number, onRows?: OnRows): Promise<RulesetPage>;
  /**
   * Returns up to `limit` pages of paths with keys after `after`, in their current state; fewer if they are long, but
   * at least one.
   */
  readPathPages(after: string, limit: number): Promise<RulesetChange[]>;
  /**
   * Returns the current state of `hosts`, which may be keys of pages; only of the first ones if their rules or pages
   * are long.
   */
  readHosts(hosts: readonly string[]): Promise<RulesetChange[]>;
  /**
   * Returns all hosts that changed after `since` up to the head. `undefined` when the log does not reach back that
   * far, or `since` is of another epoch or lineage.
   */
  readChangedHosts(since: RulesetVersion): Promise<ChangedHosts | undefined>;
  /**
   * Reads the delta from `since` to the head: the current state of each changed host, in order of the first change. It
   * is empty if `since` is the head. With more than `limit` changes it ends before the head, after the last commit that
   * fits. If the first commit alone has more changes, it ends within that commit. Hosts may be newer than the version
   * of the delta; a later delta contains them again.
   * Returns undefined if the reader needs a snapshot:
   * - `since` is 10,000 changes behind the head, or the log does not reach back to it.
   * - `since` is of another epoch or lineage.
   * - One commit with pages of paths has more than `limit` changes.
   * - The rules have more than 16 MiB.
   */
  readDelta(since: RulesetVersion, limit: number): Promise<ReadDelta | undefined>;
  /** Deletes change records that are more than `keep` behind the head. */
  trimChanges(keep: number): Promise<void>;
}

export interface ReadDelta extends RulesetDelta {
  /**
   * Ids of the commits of the changes, in their order. A host that changed several times has one of its commits. Null where an older
   * release did not store it.
   */
  readonly commits: readonly (string | null)[];
  /** Whether the head is newer than the version of the delta. Absent: it is not. */
  readonly hasMore?: true;
}

export interface ChangedHosts {
  readonly version: RulesetVersion;
  /** Distinct hosts. */
  readonly hosts: readonly string[];
}

/** Redirect at a host; none if `id` is null. */
type HostRow = {
  readonly host: string;
  /** Null for hosts that are not taken down. */
  readonly takedown_id: string | null;
} & (ServedRow | { readonly id: null });

/** A host that may be taken down. */
type TakenDown = Pick<HostRow, 'host' | 'takedown_id'>;

/** Row of a changed host. */
type ChangeRow = HostRow & {
  readonly first_seq: number;
  /** Commit that changed the host; one of them if there were several. */
  readonly any_commit: string | null;
  /** The last change of the delta. */
  readonly last_seq: number;
  readonly last_commit: string | null;
  readonly content: string | null;
};

interface PageRow {
  readonly key: string;
  readonly content: string;
}

/** Row of the host at a position, from 1, of the given hosts. */
type AskedRow = HostRow & { readonly position: number; readonly content: string | null };

interface ChangedRow {
  /** Null when nothing changed, as `hosts` is. */
  readonly first_seq: number | null;
  readonly hosts: string[] | null;
}

interface CommitThere {
  readonly commit_there: string | null;
}

/** Id of the commit that made version `$1`.`$2`; null when it is unknown. */
const COMMIT_THERE = `CASE WHEN (ruleset_head.epoch, ruleset_head.seq) = ($1, $2) THEN ruleset_head.commit_id
  ELSE (SELECT commit_id FROM ruleset_changes WHERE epoch = $1 AND seq = $2) END AS commit_there`;

/** The database, or a transaction. */
export type RulesetSource = Queryable & Partial<Pick<Database, 'transaction'>>;

/**
 * @param plansOf returns how long the hits of a redirect are kept. Default: for ever
 * @param onInvalid called for each redirect that is omitted because data planes would refuse it
 */
export function createRulesetRepository(
  database: RulesetSource,
  plansOf?: PlansOf,
  onInvalid: OnInvalid = () => {},
): RulesetRepository {
  /** Returns the redirects in the rows, and a tombstone for each host that is taken down and has none. */
  async function definitionsIn(
    rows: readonly (ServedRow | { readonly id: null })[],
    takenDown: readonly TakenDown[],
    source: Queryable = database,
  ): Promise<RedirectDefinition[]> {
    const served = rows.filter((row) => row.id !== null);
    const redirects = await toDefinitions(source, served, plansOf, onInvalid);
    if (takenDown.length === 0) return redirects;
    const hosts = new Set(redirects.map(({ host }) => host));
    for (const { host, takedown_id: takedown } of takenDown) {
      if (takedown === null || hosts.has(host)) continue;
      hosts.add(host);
      redirects.push(tombstoneOf(host, takedown));
    }
    return redirects;
  }

  return {
    readHead: async () => headIn(await database.query<HeadRow>(`SELECT ${HEAD_COLUMNS} FROM ruleset_head`)),

    async count() {
      const [row] = await database.query<{ redirects: number }>(
        `SELECT count(*) AS redirects FROM redirects WHERE ${IS_SERVED}`,
      );
      return row?.redirects ?? 0;
    },

    async countLines() {
      const [row] = await database.query<{ lines: number }>(
        `SELECT (SELECT count(*) FROM redirects WHERE ${IS_SERVED})
           + (SELECT count(*) FROM ${SERVED_PAGES}) AS lines`,
      );
      return row?.lines ?? 0;
    },

    async readPage(after, limit, onRows) {
      // Without statistics, as in the embedded database, the plan must not depend on estimates. So the page has only hosts,
      // and takedowns are read apart: otherwise each page would read all redirects or rules.
      const served = await database.query<ServedRow>(
        `WITH page AS (
           SELECT from_domain AS host FROM redirects
           WHERE ${IS_SERVED} AND from_domain > $1
           ORDER BY from_domain LIMIT $2)
         SELECT ${SERVED_COLUMNS} FROM (
           SELECT served.*, ${BYTES} OVER by_host AS bytes_so_far, rank() OVER by_host AS place
           FROM page JOIN ${SERVED} ON from_domain = host WINDOW by_host AS (ORDER BY from_domain)) AS sized
         WHERE bytes_so_far <= $3 OR place = 1 ORDER BY from_domain, priority`,
        [after, limit, MAX_PAGE_BYTES],
      );
      const lastServed = served.at(-1)?.from_domain;
      if (lastServed !== undefined) onRows?.(lastServed, new Set(served.map(({ id }) => id)).size);
      const takenDown = await database.query<TakenDown>(
        `SELECT taken_down_host AS host, takedown_id FROM ${TAKEN_DOWN}
         WHERE taken_down_host > $1 AND ($2::text IS NULL OR taken_down_host <= $2) ORDER BY taken_down_host LIMIT $3`,
        [after, lastServed ?? null, lastServed === undefined ? limit : null],
      );
      return {
        redirects: await definitionsIn(served, takenDown),
        last: lastServed ?? takenDown.at(-1)?.host,
      };
    },

    async readPathPages(after, limit) {
      const rows = await database.query<PageRow>(
        `SELECT key, content FROM (
           SELECT key, content, sum(length(content)) OVER by_key AS bytes_so_far, rank() OVER by_key AS place
           FROM (SELECT key, content FROM ${SERVED_PAGES} WHERE key > $1 ORDER BY key LIMIT $2) AS found
           WINDOW by_key AS (ORDER BY key)) AS sized
         WHERE bytes_so_far <= $3 OR place = 1 ORDER BY key`,
        [after, limit, MAX_PAGE_BYTES],
      );
      return rows.map(({ key, content }) => ({ host: key, redirect: null, page: content }));
    },

    async readHosts(hosts) {
      const rows = await database.query<AskedRow>(
        `SELECT * FROM (
           SELECT host, position, served.*, content, takedown_id,
             ${BYTES_WITH_PAGES} OVER (ORDER BY position) AS bytes_so_far
           FROM unnest($1::text[]) WITH ORDINALITY AS asked (host, position) LEFT JOIN ${SERVED} ON from_domain = host
             LEFT JOIN ${SERVED_PAGES} ON key = host LEFT JOIN ${TAKEN_DOWN} ON taken_down_host = host) AS sized
         WHERE bytes_so_far <= $2 OR position = 1 ORDER BY position, priority`,
        [hosts, MAX_PAGE_BYTES],
      );
      const asked = hosts.slice(0, rows.at(-1)?.position);
      const pages = rows.flatMap(({ position, content }) =>
        content === null ? [] : [{ key: hosts[position - 1] ?? '', content }],
      );
      return changesAt(asked, await definitionsIn(rows, takenDownIn(rows)), pages);
    },

    async readChangedHosts(since) {
      const rows = await database.query<HeadRow & CommitThere & ChangedRow>(
        `SELECT ${HEAD_COLUMNS}, ${COMMIT_THERE}, changed.* FROM ruleset_head, (
           SELECT min(seq) AS first_seq, array_agg(DISTINCT host) AS hosts
           FROM ruleset_changes WHERE epoch = $1 AND seq > $2) AS changed`,
        [since.epoch, since.seq],
      );
      const version = headIn(rows);
      const [row] = rows;
      if (!isOwn(since, version, row?.commit_there ?? undefined)) return undefined;
      if (!reachesBack(since, version, row?.first_seq ?? undefined)) return undefined;
      return { version, hosts: row?.hosts ?? [] };
    },

    readDelta: (since, limit) =>
      // Visitors wait for each delta, and planning the statement takes several times as long as executing it.
      inTransaction(database, async (tx) => {
        const read = await readChanges(tx, since, limit);
        if (read === undefined) return undefined;
        const { head, commitThere, changes } = read;
        if (!isOwn(since, head, commitThere) || !reachesBack(since, head, changes[0]?.first_seq)) {
          return undefined;
        }
        const redirects = await definitionsIn(changes, takenDownIn(changes), tx);
        const commits = new Map(changes.map(({ host, any_commit }) => [host, any_commit]));
        const states = changesAt([...commits.keys()], redirects, pagesIn(changes));
        const version = versionOf(changes, since, head, states);
        return {
          version,
          previousSeq: since.seq,
          ...(since.lineage !== undefined && { previousLineage: since.lineage }),
          changes: states,
          commits: [...commits.values()],
          ...(version.seq < head.seq && { hasMore: true }),
        };
      }),

    async trimChanges(keep) {
      await database.query(
        `DELETE FROM ruleset_changes USING ruleset_head
         WHERE ruleset_changes.epoch < ruleset_head.epoch OR ruleset_changes.seq <= ruleset_head.seq - $1`,
        [keep],
      );
    },
  };
}

/** Size of the rules in rows of `SERVED`. */
const BYTES = `sum(coalesce(content_bytes, 0) + ${ROW_BYTES})`;
/** The same, with the pages of paths. */
const BYTES_WITH_PAGES = `sum(coalesce(content_bytes, 0) + coalesce(length(content), 0) + ${ROW_BYTES})`;

/** Runs `work` with statements whose plans are kept. */
function inTransaction<T>(source: RulesetSource, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return source.transaction === undefined
    ? work(source)
    : source.transaction(work, { keepsPlans: true, onlyReads: true });
}

/**
 * The head, the commit of the version with the numbers of `since`, if it is known, and up to `limit` changes after
 * `since`, all as of one moment. Undefined when their rules are too long.
 */
async function readChanges(source: Queryable, since: RulesetVersion, limit: number) {
  const rows = await source.query<HeadRow & CommitThere & (ChangeRow | { readonly host: null })>(
    `WITH read_changes AS (
       SELECT seq, host, commit_id FROM ruleset_changes
       WHERE epoch = $1 AND seq > $2 AND (SELECT seq FROM ruleset_head) - $2 <= ${MAX_CHANGES_BEHIND}
       ORDER BY seq LIMIT $3 + 1),
     beyond AS (SELECT seq AS beyond_seq, commit_id AS cut_commit FROM read_changes ORDER BY seq OFFSET $3),
     next_changes AS (SELECT seq, host, commit_id FROM read_changes
       WHERE NOT EXISTS (SELECT 1 FROM beyond) OR seq <= (
         SELECT coalesce(max(seq) FILTER (WHERE commit_id IS DISTINCT FROM cut_commit),
           max(seq) FILTER (WHERE seq < beyond_seq AND NOT has_pages))
         FROM read_changes, beyond, (SELECT bool_or(host LIKE '/%') AS has_pages FROM read_changes) AS all_read)),
     newest AS (SELECT seq AS last_seq, commit_id AS last_commit FROM next_changes ORDER BY seq DESC LIMIT 1),
     changed AS (SELECT host, min(seq) AS first_seq, min(commit_id) AS any_commit FROM next_changes GROUP BY host)
     SELECT * FROM (
       SELECT ${HEAD_COLUMNS}, ${COMMIT_THERE}, newest.*, changed.*, served.*, pages.content, takedown_id,
         ${BYTES} OVER () + sum(coalesce(length(pages.content), 0)) OVER () AS bytes
       FROM ruleset_head LEFT JOIN newest ON true LEFT JOIN changed ON true LEFT JOIN ${SERVED} ON from_domain = host
         LEFT JOIN ${SERVED_PAGES} ON key = host LEFT JOIN ${TAKEN_DOWN} ON taken_down_host = host) AS sized
     WHERE bytes <= $4 ORDER BY first_seq, priority`,
    [since.epoch, since.seq, limit, MAX_DELTA_BYTES],
  );
  if (rows.length === 0) return undefined;
  return {
    head: headIn(rows),
    commitThere: rows[0]?.commit_there ?? undefined,
    changes: rows.filter((row) => row.host !== null),
  };
}

/** Returns the version of the last change. */
function versionOf(
  [change]: readonly ChangeRow[],
  since: RulesetVersion,
  head: RulesetVersion,
  states: readonly RulesetChange[],
): RulesetVersion {
  if (change === undefined || change.last_seq === head.seq) return head;
  return versionBetween(since, head, { seq: change.last_seq, commit: change.last_commit }, states);
}

/** Returns whether `since` belongs to the database's own history, as far as that is known. */
function isOwn(since: RulesetVersion, head: RulesetVersion, commitThere: string | undefined): boolean {
  return !isOtherDatabase(since, head) && !differ(commitOf(since), commitThere);
}

/** Returns whether the changes from `firstSeq` on are complete from `since` to the head. */
function reachesBack(since: RulesetVersion, head: RulesetVersion, firstSeq: number | undefined): boolean {
  if (firstSeq === undefined) return compareVersions(since, head) === 0;
  return head.epoch === since.epoch && firstSeq === since.seq + 1;
}

/**
 * @param redirects served at some of `hosts`
 * @param pages existing pages of the keys among `hosts`
 */
function changesAt(
  hosts: readonly string[],
  redirects: readonly RedirectDefinition[],
  pages: readonly PageRow[],
): RulesetChange[] {
  const byHost = new Map(redirects.map((redirect) => [redirect.host, redirect]));
  const byKey = new Map(pages.map(({ key, content }) => [key, content]));
  return hosts.map((host) => {
    const page = byKey.get(host);
    return { host, redirect: byHost.get(host) ?? null, ...(page !== undefined && { page }) };
  });
}

function takenDownIn(rows: readonly TakenDown[]): TakenDown[] {
  return rows.filter((row) => row.takedown_id !== null);
}

function pagesIn(changes: readonly ChangeRow[]): PageRow[] {
  return changes.flatMap(({ host, content }) => (content === null ? [] : [{ key: host, content }]));
}
