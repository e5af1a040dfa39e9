import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { PlansOf } from '../accounts/plans.js';
import type { Database, Queryable } from '../database/database.js';
import { readDefinitions } from './redirect-definitions.js';

/** Reads what data planes are to serve. */
export interface RulesetRepository {
  /** The version of the last committed change. */
  readHead(): Promise<RulesetVersion>;
  /** All verified redirects as of one version. */
  readSnapshot(): Promise<RulesetSnapshot>;
  /**
   * What leads from `since` to the head: each host that changed, the one that changed first before the others,
   * as it is now. `undefined` when only a snapshot helps: more than `limit` hosts changed, the log no longer
   * reaches back that far, or the epoch is another one.
   */
  readDelta(since: RulesetVersion, limit: number): Promise<RulesetDelta | undefined>;
  /** Deletes change records that are more than `keep` behind the head. */
  trimChanges(keep: number): Promise<void>;
}

interface ChangedHostRow {
  readonly host: string;
  readonly first_seq: number;
}

const ONE_VIEW = { isolation: 'repeatable read' } as const;

/** @param plansOf tells how long the hits of a redirect are kept; without it they are for ever */
export function createRulesetRepository(database: Database, plansOf?: PlansOf): RulesetRepository {
  return {
    readHead: () => readHead(database),

    readSnapshot: () =>
      database.transaction(
        async (tx) => ({ version: await readHead(tx), redirects: await readDefinitions(tx, 'all', plansOf) }),
        ONE_VIEW,
      ),

    readDelta: (since, limit) =>
      database.transaction(async (tx) => {
        const version = await readHead(tx);
        const hosts = await readChangedHosts(tx, since, limit);
        if (hosts === undefined || version.epoch !== since.epoch) return undefined;
        const redirects = await readDefinitions(tx, hosts, plansOf);
        const served = new Map(redirects.map((redirect) => [redirect.host, redirect]));
        return {
          version,
          previousSeq: since.seq,
          changes: hosts.map((host) => ({ host, redirect: served.get(host) ?? null })),
        };
      }, ONE_VIEW),

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
  const [head] = await source.query<RulesetVersion>('SELECT epoch, seq FROM ruleset_head');
  if (head === undefined) throw new Error('ruleset_head is empty: the database is damaged');
  return { epoch: head.epoch, seq: head.seq };
}

/** Hosts that changed after `since`; `undefined` when they are too many or the log does not know them all. */
async function readChangedHosts(
  tx: Queryable,
  since: RulesetVersion,
  limit: number,
): Promise<string[] | undefined> {
  const rows = await tx.query<ChangedHostRow>(
    `SELECT host, min(seq) AS first_seq FROM ruleset_changes WHERE epoch = $1 AND seq > $2
     GROUP BY host ORDER BY first_seq LIMIT $3`,
    [since.epoch, since.seq, limit + 1],
  );
  const [first] = rows;
  if (first === undefined || first.first_seq !== since.seq + 1 || rows.length > limit) return undefined;
  return rows.map(({ host }) => host);
}
