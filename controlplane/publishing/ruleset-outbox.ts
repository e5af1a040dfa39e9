import { settledWithin } from '../../shared/async/deadline.js';
import {
  createBatchedTransactions,
  type GatheredWork,
  type Locks,
} from '../storage/postgres/batched-transactions.js';
import { type Database, type Queryable, sendLater } from '../storage/postgres/database.js';
import { IS_SERVED } from './redirect-definitions.js';
import { NEW_COMMIT_ID } from './ruleset-head.js';
import { TAKEN_DOWN } from './taken-down.js';

/**
 * Records that a host, or a page of paths by its key, has changed. The change is published after the surrounding
 * transaction commits.
 */
export type RecordChange = (host: string) => void;

/** The changes of one of the mutations that share a transaction. */
export interface ChangedHosts {
  readonly hosts: ReadonlySet<string>;
  readonly record: RecordChange;
}

function newChangedHosts(): ChangedHosts {
  const hosts = new Set<string>();
  return { hosts, record: (host) => hosts.add(host) };
}

/** Mutations of one kind that share a transaction and its statements. */
export type GatheredMutation<Input, Result> = GatheredWork<Input, Result, ChangedHosts>;

/**
 * Maximum wait for a change to reach data planes. Users may visit as soon as they have the answer. If there is a
 * problem, the change arrives later. A hung Redis also delays the rate limit by 500 ms, and the answer is due in 2 s.
 */
const CARRY_LIMIT_MS = 1_000;

/** Maximum hosts per statement. */
const MAX_HOSTS = 10_000;

/** Publishes committed changes. Resolves when that is done or has failed; never rejects. */
export type CommitListener = () => Promise<void>;

export interface Committed<T> {
  readonly value: T;
  /** Resolves when `commit` would have. Never rejects. */
  readonly carried: Promise<void>;
}

/**
 * The only way to change the served ruleset. A mutation and its change records share one transaction. Every change
 * takes the next number of the single head row.
 */
export interface RulesetOutbox {
  /**
   * Runs `work` in a transaction and appends the changes that it records. Resolves when the changes have reached the
   * data planes of this process, and Redis if there is one, or 1 s after the commit.
   */
  commit<T>(work: (tx: Queryable, record: RecordChange) => Promise<T>): Promise<T>;
  /** Does the same as `commit`, but does not wait until the changes reach the data planes. */
  commitAhead<T>(work: (tx: Queryable, record: RecordChange) => Promise<T>): Promise<Committed<T>>;
  /**
   * Does the same as `commit`, in a transaction that short mutations of other callers may share: numbers, locks and the wait for
   * the disk are once per batch. `work` may run twice, so it must act only on the database.
   *
   * @param locks rows are ids of redirects
   */
  commitInBatch<T>(work: (tx: Queryable, record: RecordChange) => Promise<T>, locks?: Locks): Promise<T>;
  /** Does the same as `commitInBatch`, for a mutation that a batch can combine with others of its kind. */
  commitGathered<Input, Result>(kind: GatheredMutation<Input, Result>, input: Input): Promise<Result>;
  /** Registers work after each commit that changed something. */
  onCommitted(listener: CommitListener): void;
}

export function createRulesetOutbox(database: Database, carryLimitMs = CARRY_LIMIT_MS): RulesetOutbox {
  const listeners: CommitListener[] = [];

  /** Publishes committed changes. Resolves when that is done, or the time is over. */
  async function carry(): Promise<void> {
    const carried = Promise.all(listeners.map((listener) => listener()));
    await settledWithin(carryLimitMs, carried);
  }

  const batches = createBatchedTransactions<ChangedHosts>({
    database,
    createContext: newChangedHosts,
    lockRows: lockRedirects,
    async beforeCommit(tx, changed) {
      const hosts = new Set(changed.flatMap((some) => [...some.hosts]));
      if (hosts.size > 0) await append(tx, [...hosts]);
    },
    afterCommit(changed) {
      const carried = changed.some(({ hosts }) => hosts.size > 0) ? carry() : Promise.resolve();
      return ({ hosts }) => (hosts.size > 0 ? carried : Promise.resolve());
    },
  });

  const commitAhead: RulesetOutbox['commitAhead'] = async (work) => {
    const { hosts, record } = newChangedHosts();
    const value = await database.transaction(async (tx) => {
      const result = await work(tx, record);
      if (hosts.size > 0) await append(tx, [...hosts]);
      return result;
    });
    return { value, carried: hosts.size > 0 ? carry() : Promise.resolve() };
  };

  return {
    async commit(work) {
      const { value, carried } = await commitAhead(work);
      await carried;
      return value;
    },
    commitAhead,
    commitInBatch: (work, locks) => batches.run((tx, { record }) => work(tx, record), locks),
    commitGathered: batches.runGathered,
    onCommitted(listener) {
      listeners.push(listener);
    },
  };
}

/** Locks redirects, deleted ones included, that no other transaction holds. Resolves to the ids of the others that exist. */
async function lockRedirects(tx: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const locked = await tx.query<{ id: string }>(
    'SELECT id FROM redirects WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE SKIP LOCKED',
    [ids],
  );
  const isLocked = new Set(locked.map(({ id }) => id));
  const others = ids.filter((id) => !isLocked.has(id));
  if (others.length === 0) return new Set();
  const held = await tx.query<{ id: string }>('SELECT id FROM redirects WHERE id = ANY ($1::text[])', [
    others,
  ]);
  return new Set(held.map(({ id }) => id));
}

// The head row stays locked until the transaction ends. Sequence order is therefore commit order. Other transactions
// wait for the lock, so the number of statements is small and does not depend on the number of hosts. A host without a
// served redirect counts as removed. The versions of the redirects are stored with the number from which they are
// served.
async function append(tx: Queryable, hosts: readonly string[]): Promise<void> {
  for (let at = 0; at < hosts.length; at += MAX_HOSTS) await appendSome(tx, hosts.slice(at, at + MAX_HOSTS));
}

/** Keeps PostgreSQL from joining the subquery with all hosts together, for which it may read the whole table. */
const LOOKED_UP = 'OFFSET 0';

async function appendSome(tx: Queryable, hosts: readonly string[]): Promise<void> {
  await sendLater(
    tx,
    `WITH removed AS (SELECT count(*) AS hosts FROM unnest($1::text[]) AS changed (host)
       WHERE host NOT LIKE '/%' AND NOT EXISTS (SELECT 1 FROM redirects WHERE from_domain = host AND ${IS_SERVED} ${LOOKED_UP})
         AND NOT EXISTS (SELECT 1 FROM ${TAKEN_DOWN} WHERE taken_down_host = host)),
     head AS (UPDATE ruleset_head SET seq = seq + cardinality($1::text[]), commit_id = ${NEW_COMMIT_ID},
       removals = removals + (SELECT hosts FROM removed) RETURNING epoch, seq, commit_id),
     later_versions AS (
       SELECT of_host.* FROM unnest($1::text[]) AS changed (host), LATERAL (SELECT id, version FROM redirects
         WHERE from_domain = host AND verified_at IS NOT NULL AND version > 1 ${LOOKED_UP}) AS of_host
       UNION SELECT of_page.* FROM unnest($1::text[]) AS changed (host), LATERAL (SELECT id, version FROM redirects
         WHERE host LIKE '/%' AND id = split_part(host, '/', 2) AND version > 1 ${LOOKED_UP}) AS of_page),
     served AS (INSERT INTO served_versions (redirect_id, version, epoch, seq)
       SELECT id, version, epoch, seq FROM head, later_versions ON CONFLICT DO NOTHING)
     INSERT INTO ruleset_changes (epoch, seq, host, commit_id)
     SELECT epoch, seq - cardinality($1::text[]) + position, host, commit_id
     FROM head, unnest($1::text[]) WITH ORDINALITY AS changed (host, position)`,
    [hosts],
  );
}
