import type { RedirectDefinition, RedirectType } from '../../shared/ruleset/redirect-definition.js';
import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import type { Database, Queryable } from '../database/database.js';

/** Reads what data planes are to serve. */
export interface RulesetRepository {
  /** The version of the last committed change. */
  readHead(): Promise<RulesetVersion>;
  /** All verified redirects as of one version. */
  readSnapshot(): Promise<RulesetSnapshot>;
  /**
   * The changes after `since`, at most `limit`; `undefined` when the log no longer reaches back that far or the
   * epoch is another one, so that only a snapshot helps.
   */
  readDelta(since: RulesetVersion, limit: number): Promise<RulesetDelta | undefined>;
  /** Deletes change records that are more than `keep` behind the head. */
  trimChanges(keep: number): Promise<void>;
}

interface ChangeRow {
  readonly seq: number;
  readonly host: string;
  readonly redirect: RedirectDefinition | null;
}

interface RedirectRow {
  readonly id: string;
  readonly from_domain: string;
  readonly to_domain: string;
  readonly redirect_type: RedirectType;
  readonly path_forwarding: boolean;
  readonly query_forwarding: boolean;
  readonly sampling_rate: number;
}

export function createRulesetRepository(database: Database): RulesetRepository {
  return {
    readHead: () => readHead(database),

    readSnapshot: () =>
      database.transaction(
        async (tx) => {
          const version = await readHead(tx);
          const rows = await tx.query<RedirectRow>(
            `SELECT id, from_domain, to_domain, redirect_type, path_forwarding, query_forwarding, sampling_rate
             FROM redirects WHERE verified_at IS NOT NULL ORDER BY from_domain`,
          );
          return { version, redirects: rows.map(toDefinition) };
        },
        { isolation: 'repeatable read' },
      ),

    async readDelta(since, limit) {
      const rows = await database.query<ChangeRow>(
        `SELECT seq, host, redirect FROM ruleset_changes
         WHERE epoch = $1 AND epoch = (SELECT epoch FROM ruleset_head) AND seq > $2 ORDER BY seq LIMIT $3`,
        [since.epoch, since.seq, limit],
      );
      const [first] = rows;
      const last = rows.at(-1);
      if (first === undefined || last === undefined || first.seq !== since.seq + 1) return undefined;
      return {
        version: { epoch: since.epoch, seq: last.seq },
        previousSeq: since.seq,
        changes: rows.map(({ host, redirect }) => ({ host, redirect })),
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
  const [head] = await source.query<RulesetVersion>('SELECT epoch, seq FROM ruleset_head');
  if (head === undefined) throw new Error('ruleset_head is empty: the database is damaged');
  return { epoch: head.epoch, seq: head.seq };
}

function toDefinition(row: RedirectRow): RedirectDefinition {
  return {
    id: row.id,
    host: row.from_domain,
    destination: row.to_domain,
    redirectType: row.redirect_type,
    pathForwarding: row.path_forwarding,
    queryForwarding: row.query_forwarding,
    samplingRate: row.sampling_rate,
  };
}
