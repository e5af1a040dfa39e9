import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import type { Database, Queryable } from '../database/database.js';

/** Notes a change of what is served; it becomes visible if and when the surrounding transaction commits. */
export type RecordChange = (change: RulesetChange) => void;

/**
 * The one way to change what data planes serve: the mutation and its change records are one transaction, and
 * every change takes the next number of the one head row.
 */
export interface RulesetOutbox {
  /** Runs `work` in a transaction and appends the changes it records. */
  commit<T>(work: (tx: Queryable, record: RecordChange) => Promise<T>): Promise<T>;
  /** Registers what to do after each commit that changed something. */
  onCommitted(listener: () => void): void;
}

export function createRulesetOutbox(database: Database): RulesetOutbox {
  const listeners: (() => void)[] = [];
  return {
    async commit(work) {
      const changes: RulesetChange[] = [];
      const result = await database.transaction(async (tx) => {
        const value = await work(tx, (change) => changes.push(change));
        for (const change of changes) await append(tx, change);
        return value;
      });
      if (changes.length > 0) for (const listener of listeners) listener();
      return result;
    },
    onCommitted(listener) {
      listeners.push(listener);
    },
  };
}

// The head row stays locked until the transaction ends, so that sequence order is commit order.
async function append(tx: Queryable, change: RulesetChange): Promise<void> {
  await tx.query(
    `WITH head AS (UPDATE ruleset_head SET seq = seq + 1 RETURNING epoch, seq)
     INSERT INTO ruleset_changes (epoch, seq, host, redirect)
     SELECT epoch, seq, $1, $2::jsonb FROM head`,
    [change.host, change.redirect === null ? null : JSON.stringify(change.redirect)],
  );
}
