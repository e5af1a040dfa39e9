import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import {
  commitOf,
  compareVersions,
  differ,
  isOtherDatabase,
  type RulesetVersion,
} from '../../shared/ruleset/ruleset-version.js';
import type { PlansOf } from '../accounts/plans.js';
import type { Database, Queryable } from '../database/database.js';
import { SERVED, type ServedRow, toDefinitions } from './redirect-definitions.js';
import { HEAD_COLUMNS, type HeadRow, headIn } from './ruleset-head.js';

/** More of them take a snapshot: a delta is read, sent and applied in one piece. */
export const MAX_CHANGES_PER_DELTA = 1_000;

/** Reads what data planes are to serve. */
export interface RulesetRepository {
  /** The version of the last committed change. */
  readHead(): Promise<RulesetVersion>;
  /** All verified redirects as of one version. */
  readSnapshot(): Promise<RulesetSnapshot>;
  /**
   * What leads from `since` to the head: each host that changed, the one that changed first before the others,
   * as it is now; no host when `since` is the head. `undefined` when only a snapshot helps: more than `limit` hosts
   * changed, the log no longer reaches back that far, or `since` is of another epoch or lineage. One statement, and one
   * for plans: visitors wait for each that comes after the other.
   */
  readDelta(since: RulesetVersion, limit: number): Promise<RulesetDelta | undefined>;
  /** Deletes change records that are more than `keep` behind the head. */
  trimChanges(keep: number): Promise<void>;
}

/** What is served at a host that changed; nothing is where `id` is null. */
type ChangeRow = { readonly host: string; readonly first_seq: number } & (ServedRow | { readonly id: null });

/** The id of the commit that made version `$1`.`$2`; null when that is not known (any more). */
const COMMIT_THERE = `CASE WHEN (ruleset_head.epoch, ruleset_head.seq) = ($1, $2) THEN ruleset_head.commit_id
  ELSE (SELECT commit_id FROM ruleset_changes WHERE epoch = $1 AND seq = $2) END AS commit_there`;

const ONE_VIEW = { isolation: 'repeatable read' } as const;

/** @param plansOf tells how long the hits of a redirect are kept; without it they are for ever */
export function createRulesetRepository(database: Database, plansOf?: PlansOf): RulesetRepository {
  return {
    readHead: () => readHead(database),

    readSnapshot: () =>
      database.transaction(
        async (tx) => ({ version: await readHead(tx), redirects: await readServed(tx, plansOf) }),
        ONE_VIEW,
      ),

    async readDelta(since, limit) {
      const { version, commitThere, changes } = await readChanges(database, since, limit);
      if (isOtherDatabase(since, version) || differ(commitOf(since), commitThere)) return undefined;
      if (!leadsOn(since, version, changes, limit)) return undefined;
      const served = changes.filter((row) => row.id !== null);
      const redirects = await toDefinitions(database, served, plansOf);
      const byHost = new Map(redirects.map((redirect) => [redirect.host, redirect]));
      return {
        version,
        previousSeq: since.seq,
        ...(since.lineage !== undefined && { previousLineage: since.lineage }),
        changes: hostsIn(changes).map((host) => ({ host, redirect: byHost.get(host) ?? null })),
      };
    },

    async trimChanges(keep) {
      await database.query(
        `DELETE FROM ruleset_changes USING ruleset_head
         WHERE ruleset_changes.epoch < ruleset_head.epoch OR ruleset_changes.seq <= ruleset_head.seq - $1`,
        [keep],
      );
    },
  };
}

async function readHead(source: Queryable): Promise<RulesetVersion> {
  return headIn(await source.query<HeadRow>(`SELECT ${HEAD_COLUMNS} FROM ruleset_head`));
}

/** All that is served, by host. */
async function readServed(tx: Queryable, plansOf: PlansOf | undefined): Promise<RedirectDefinition[]> {
  const rows = await tx.query<ServedRow>(`SELECT * FROM ${SERVED} ORDER BY from_domain, priority`);
  return toDefinitions(tx, rows, plansOf);
}

/**
 * The head, which commit has made the version of the numbers of `since`, as far as that is known, and up to one more
 * than `limit` of the hosts that changed after `since`, all as of one moment.
 */
async function readChanges(source: Queryable, since: RulesetVersion, limit: number) {
  const rows = await source.query<
    HeadRow & { readonly commit_there: string | null } & (ChangeRow | { readonly host: null })
  >(
    `WITH changed AS (
       SELECT host, min(seq) AS first_seq FROM ruleset_changes WHERE epoch = $1 AND seq > $2
       GROUP BY host ORDER BY first_seq LIMIT $3)
     SELECT ${HEAD_COLUMNS}, ${COMMIT_THERE}, changed.*, served.*
     FROM ruleset_head LEFT JOIN changed ON true LEFT JOIN ${SERVED} ON from_domain = host
     ORDER BY first_seq, priority`,
    [since.epoch, since.seq, limit + 1],
  );
  return {
    version: headIn(rows),
    commitThere: rows[0]?.commit_there ?? undefined,
    changes: rows.filter((row) => row.host !== null),
  };
}

/** Whether the changes are all there are from `since` to the head, and not too many. */
function leadsOn(
  since: RulesetVersion,
  head: RulesetVersion,
  changes: readonly ChangeRow[],
  limit: number,
): boolean {
  const [first] = changes;
  if (first === undefined) return compareVersions(since, head) === 0;
  return head.epoch === since.epoch && first.first_seq === since.seq + 1 && hostsIn(changes).length <= limit;
}

function hostsIn(changes: readonly ChangeRow[]): string[] {
  return [...new Set(changes.map(({ host }) => host))];
}
