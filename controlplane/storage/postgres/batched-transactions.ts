import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../../shared/process/error-facts.js';
import { AppError } from '../../errors/app-error.js';
import { type Database, type Queryable, sendLater } from './database.js';
import { DatabaseUnavailableError } from './database-unavailable.js';

/** Takes a lock that is held until the transaction ends. */
export type TakeLock = (tx: Queryable) => Promise<void>;

/** Locks that a mutation takes before anything else, in this order. */
export interface Locks {
  /** A lock that must precede every other lock of the transaction. Taken once per batch. */
  readonly first?: TakeLock | undefined;
  /** Ids of the rows that the mutation locks. Those of a batch are locked together, in the order of their ids. */
  readonly rows?: readonly string[];
}

/**
 * Outcome of work for one of several inputs. `alone`: the batch cannot decide, so the input needs separate work.
 * `busy`: another transaction holds its rows.
 */
export type GatheredOutcome<Result> = { readonly value: Result } | AppError | 'alone' | 'busy';

/** Resolves to the ids of the rows of the batch that another transaction holds. */
export type HeldRows = Promise<ReadonlySet<string>>;

export interface GatheredInput<Input, Context> {
  readonly input: Input;
  readonly context: Context;
}

/** Work of one kind, which a batch does for several callers with few statements. Each kind is one object. */
export interface GatheredWork<Input, Result, Context> {
  /** Default: no locks. */
  locksOf?(input: Input): Locks;
  /**
   * Does the work for one or more inputs, in their order. Writes nothing for inputs whose outcome is an error, `alone`
   * or `busy`. If it throws, the whole batch is rolled back, and each of its mutations runs again separately.
   *
   * @param held resolves after the first round trip. Statements before that must not wait for rows
   */
  together(
    tx: Queryable,
    inputs: readonly GatheredInput<Input, Context>[],
    held: HeldRows,
  ): Promise<readonly GatheredOutcome<Result>[]>;
  /** Does the work for one input. */
  alone(tx: Queryable, input: Input, context: Context): Promise<Result>;
}

/** `each alone`: gathered work runs separately, because the work for several inputs has failed. */
type Manner = 'together' | 'each alone';

/** Runs several mutations in one transaction. */
export interface BatchedTransactions<Context> {
  /**
   * Runs `work` in a transaction that it may share with others. If it throws, only its own writes are rolled back: the
   * others of its batch may run again, each alone. So `work` may run twice, and must act on the database only. None of a
   * batch runs again when it may have been committed. A mutation leaves the batch while another transaction holds one of
   * its rows.
   *
   * @throws {DatabaseUnavailableError} also when its rows are held for 10 s
   */
  run<T>(work: (tx: Queryable, context: Context) => Promise<T>, locks?: Locks): Promise<T>;
  /** Does the same as `run`, for work that the batch can combine with the same work of other callers. */
  runGathered<Input, Result>(kind: GatheredWork<Input, Result, Context>, input: Input): Promise<Result>;
}

export interface BatchedTransactionsDeps<Context> {
  readonly database: Database;
  createContext(): Context;
  /** Locks rows, in the order of their ids, without waiting. Resolves to the ids of those that another transaction holds. */
  lockRows(tx: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Maximum time that a mutation waits for its rows. Default: 10 s. */
  readonly rowWaitMs?: number;
  /** Writes the common data of all mutations of a batch, before the commit. */
  beforeCommit(tx: Queryable, contexts: readonly Context[]): Promise<void>;
  /** Starts the work after the commit. A mutation is answered when its promise resolves. */
  afterCommit(contexts: readonly Context[]): (context: Context) => Promise<void>;
}

interface Job<Context> {
  readonly work: (tx: Queryable, context: Context) => Promise<unknown>;
  readonly locks: Locks;
  /** Absent for work that is not gathered. */
  readonly gathered: { readonly kind: AnyGatheredWork<Context>; readonly input: unknown } | undefined;
  /** Time of `performance.now()`. */
  readonly sinceMs: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: the inputs of a kind come with it
type AnyGatheredWork<Context> = GatheredWork<any, unknown, Context>;

type Outcome<Context> =
  | { readonly job: Job<Context>; readonly value: unknown; readonly context: Context }
  | { readonly job: Job<Context>; readonly refusal: AppError }
  | { readonly job: Job<Context>; readonly isBusy: true };

/** Bounds how long the locks of a batch are held. */
const MAX_JOBS = 32;
/** Time after which a mutation whose rows were held tries again. A batch takes about as long. */
const RETRY_MS = 20;
const ROW_WAIT_MS = 10_000;
/** Statements after which nothing has to be rolled back. */
const READ = /^\s*(SELECT|WITH RECURSIVE)\b/;
/** PostgreSQL's error codes of a COMMIT that has certainly failed. Lost connections have other errors of ours. */
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** PostgreSQL's error codes of violated constraints. Another transaction may have caused the violation. */
const TAKEN = /^23/;
/** PostgreSQL's codes of a statement, or a lock, that took too long. */
const TOO_LATE = ['57014', '55P03'];

/**
 * Gathers the mutations that arrive while a transaction is under way into the next one. A commit waits for the disk, and
 * a lock on the change counter is held until then, so without batches the disk bounds the mutations per second.
 */
export function createBatchedTransactions<Context>(
  deps: BatchedTransactionsDeps<Context>,
): BatchedTransactions<Context> {
  const { rowWaitMs = ROW_WAIT_MS } = deps;
  let waiting: Job<Context>[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      const jobs = waiting.slice(0, MAX_JOBS);
      waiting = waiting.slice(MAX_JOBS);
      for (const busy of await runBatch(deps, jobs)) void tryAgain(busy);
    }
    isRunning = false;
  }

  function enqueue(job: Job<Context>): void {
    waiting.push(job);
    if (isRunning) return;
    isRunning = true;
    // Requests that were read in the same turn share the batch.
    setImmediate(() => void runAll());
  }

  /** Others must not wait for rows that only this one needs. */
  async function tryAgain(job: Job<Context>): Promise<void> {
    if (performance.now() - job.sinceMs < rowWaitMs) {
      await delay(RETRY_MS);
      enqueue(job);
    } else {
      const cause = new Error('another transaction holds the rows of the mutation');
      job.reject(new DatabaseUnavailableError(cause, 'a lock is held for too long'));
    }
  }

  function add<T>(job: Pick<Job<Context>, 'work' | 'locks' | 'gathered'>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const sinceMs = performance.now();
      enqueue({ ...job, sinceMs, resolve: (value) => resolve(value as T), reject });
    });
  }

  return {
    run: (work, locks = {}) => add({ work, locks, gathered: undefined }),
    runGathered: (kind, input) =>
      add({
        work: (tx, context) => kind.alone(tx, input, context),
        locks: kind.locksOf?.(input) ?? {},
        gathered: { kind, input },
      }),
  };
}

/** Settles all jobs except those whose rows another transaction holds. Resolves to these. Never rejects. */
async function runBatch<Context>(
  deps: BatchedTransactionsDeps<Context>,
  jobs: readonly Job<Context>[],
  manner: Manner = 'together',
): Promise<Job<Context>[]> {
  let outcomes: readonly Outcome<Context>[];
  try {
    outcomes = await runTogether(deps, jobs, manner);
  } catch (error) {
    const mayDiffer = jobs.length > 1 || (manner === 'together' && TAKEN.test(codeOf(error) ?? ''));
    if (mayDiffer && !(error instanceof DatabaseUnavailableError)) return runEach(deps, jobs);
    for (const job of jobs) job.reject(error);
    return [];
  }
  const successes = outcomes.filter((outcome) => 'context' in outcome);
  const answered = deps.afterCommit(successes.map(({ context }) => context));
  for (const { job, value, context } of successes) {
    void answered(context).then(() => job.resolve(value), job.reject);
  }
  for (const outcome of outcomes) if ('refusal' in outcome) outcome.job.reject(outcome.refusal);
  return outcomes.flatMap((outcome) => ('isBusy' in outcome ? [outcome.job] : []));
}

async function runEach<Context>(
  deps: BatchedTransactionsDeps<Context>,
  jobs: readonly Job<Context>[],
): Promise<Job<Context>[]> {
  const busy: Job<Context>[] = [];
  for (const job of jobs) busy.push(...(await runBatch(deps, [job], 'each alone')));
  return busy;
}

/**
 * @throws the error of a mutation after whose writes the transaction cannot be committed
 * @throws {DatabaseUnavailableError} when no job of the batch can run now, or all may have been committed
 */
async function runTogether<Context>(
  deps: BatchedTransactionsDeps<Context>,
  jobs: readonly Job<Context>[],
  manner: Manner,
): Promise<readonly Outcome<Context>[]> {
  const { database, createContext, beforeCommit } = deps;
  let isCommitting = false;
  const runAll = async (tx: Queryable) => {
    for (const lock of new Set(jobs.map(({ locks }) => locks.first))) await lock?.(failingTogether(tx));
    const held = findHeld(deps, tx, jobs);
    const outcomes = manner === 'together' ? await runKinds(tx, jobs, held, createContext) : [];
    const isHeld = await held;
    const isDone = new Set(outcomes.map(({ job }) => job));
    for (const job of jobs) {
      if (isDone.has(job)) continue;
      const isBusy = job.locks.rows?.some((id) => isHeld.has(id)) === true;
      outcomes.push(isBusy ? { job, isBusy } : await runJob(tx, job, createContext(), jobs.length === 1));
    }
    const contexts = outcomes.flatMap((outcome) => ('context' in outcome ? [outcome.context] : []));
    await beforeCommit(failingTogether(tx), contexts);
    isCommitting = true;
    return outcomes;
  };
  try {
    return await database.transaction(runAll, { keepsPlans: true });
  } catch (error) {
    if (!isCommitting || error instanceof DatabaseUnavailableError) throw error;
    if (SQLSTATE.test(codeOf(error) ?? '')) throw error;
    throw new DatabaseUnavailableError(error, 'it is not known whether the transaction was committed');
  }
}

/** Locks the rows of all jobs. Resolves to the rows that another transaction holds. */
async function findHeld<Context>(
  { database, lockRows }: BatchedTransactionsDeps<Context>,
  tx: Queryable,
  jobs: readonly Job<Context>[],
): HeldRows {
  const ids = new Set(jobs.flatMap(({ locks: { rows = [] } }) => rows));
  // The embedded database runs one transaction at a time.
  if (ids.size === 0 || database.kind === 'embedded') return new Set();
  return lockRows(tx, [...ids]);
}

/** Runs each kind of gathered work in the batch. Resolves to the outcomes known so far. */
async function runKinds<Context>(
  tx: Queryable,
  jobs: readonly Job<Context>[],
  held: HeldRows,
  createContext: () => Context,
): Promise<Outcome<Context>[]> {
  const outcomes: Outcome<Context>[] = [];
  // The work for a kind waits for it. There may be no such work.
  held.catch(() => undefined);
  for (const kind of new Set(jobs.map(({ gathered }) => gathered?.kind))) {
    const members = jobs.filter(({ gathered }) => gathered?.kind === kind);
    if (kind === undefined) continue;
    const contexts = members.map(createContext);
    const inputs = members.map(({ gathered }, at) => ({
      input: gathered?.input,
      context: contexts[at] as Context,
    }));
    const results = await kind.together(tx, inputs, held);
    for (const [at, job] of members.entries()) {
      const result = results[at] ?? 'alone';
      if (result === 'alone') continue;
      if (result === 'busy') outcomes.push({ job, isBusy: true });
      else if (result instanceof AppError) outcomes.push({ job, refusal: result });
      else outcomes.push({ job, value: result.value, context: contexts[at] as Context });
    }
  }
  return outcomes;
}

/**
 * Returns the transaction for the common work of all jobs of a batch. A lock timeout fails all jobs, because each job
 * alone would wait as long for the lock.
 */
function failingTogether(tx: Queryable): Queryable {
  const errorOf = (error: unknown) =>
    error instanceof Error && TOO_LATE.includes(codeOf(error) ?? '')
      ? new DatabaseUnavailableError(error, 'a lock is held for too long')
      : error;
  return {
    query: <Row extends object>(sql: string, params?: readonly unknown[]) =>
      tx.query<Row>(sql, params).catch((error: unknown) => {
        throw errorOf(error);
      }),
    ...(tx.send && { send: (sql, params) => tx.send?.(sql, params, errorOf) }),
  };
}

/** @param isOnly whether no other job's writes would be lost with those of this one */
async function runJob<Context>(
  tx: Queryable,
  job: Job<Context>,
  context: Context,
  isOnly: boolean,
): Promise<Outcome<Context>> {
  let hasOnlyRead = true;
  const observed: Queryable = {
    async query(sql, params) {
      const isFirstWrite = hasOnlyRead && !READ.test(sql);
      if (isFirstWrite) hasOnlyRead = false;
      if (isFirstWrite && !isOnly) await sendLater(tx, 'SAVEPOINT job');
      return tx.query(sql, params);
    },
    ...(tx.send && {
      send(sql, params, errorOf) {
        if (hasOnlyRead && !isOnly) tx.send?.('SAVEPOINT job');
        hasOnlyRead = false;
        tx.send?.(sql, params, errorOf);
      },
    }),
  };
  try {
    return { job, context, value: await job.work(observed, context) };
  } catch (refusal) {
    // An error of the database ends the transaction.
    if (!(refusal instanceof AppError)) throw refusal;
    if (!hasOnlyRead && isOnly) throw refusal;
    if (!hasOnlyRead) await tx.query('ROLLBACK TO SAVEPOINT job');
    return { job, refusal };
  }
}
