import { codeOf } from '../../../shared/process/error-facts.js';
import { AppError } from '../../errors/app-error.js';
import type { Database, Queryable } from './database.js';
import { DatabaseUnavailableError } from './database-unavailable.js';

/** Takes a lock that is held until the transaction ends. */
export type TakeLock = (tx: Queryable) => Promise<void>;

/** Runs several mutations in one transaction. */
export interface BatchedTransactions<Context> {
  /**
   * Runs `work` in a transaction that it may share with others. If it throws, only its own writes are rolled back: the
   * others of its batch run again, each alone. So `work` may run twice, and must act on the database only. None of a batch
   * runs again when it may have been committed.
   *
   * @param lockFirst a lock that must precede every other lock of the transaction; taken once per batch
   */
  run<T>(work: (tx: Queryable, context: Context) => Promise<T>, lockFirst?: TakeLock): Promise<T>;
}

export interface BatchedTransactionsDeps<Context> {
  readonly database: Database;
  createContext(): Context;
  /** Writes what the mutations of a batch have in common, before the commit. */
  beforeCommit(tx: Queryable, contexts: readonly Context[]): Promise<void>;
  /** Begins what follows the commit. A mutation is answered when the promise for it resolves. */
  afterCommit(contexts: readonly Context[]): (context: Context) => Promise<void>;
}

interface Job<Context> {
  readonly work: (tx: Queryable, context: Context) => Promise<unknown>;
  readonly lockFirst: TakeLock | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome<Context> =
  | { readonly job: Job<Context>; readonly value: unknown; readonly context: Context }
  | { readonly job: Job<Context>; readonly refusal: AppError };

/** Bounds how long the locks of a batch are held. */
const MAX_JOBS = 32;
/** Statements after which nothing has to be rolled back. */
const READ = /^\s*(SELECT|WITH RECURSIVE)\b/;
/** PostgreSQL's error codes of a COMMIT that has certainly failed. Lost connections have other errors of ours. */
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** PostgreSQL's codes of a statement, or a lock, that took too long. */
const TOO_LATE = ['57014', '55P03'];

/**
 * Gathers the mutations that arrive while a transaction is under way into the next one. A commit waits for the disk, and
 * a lock on the change counter is held until then, so without batches the disk bounds the mutations per second.
 */
export function createBatchedTransactions<Context>(
  deps: BatchedTransactionsDeps<Context>,
): BatchedTransactions<Context> {
  let waiting: Job<Context>[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      const jobs = waiting.slice(0, MAX_JOBS);
      waiting = waiting.slice(MAX_JOBS);
      await runBatch(deps, jobs);
    }
    isRunning = false;
  }

  return {
    run: <T>(work: (tx: Queryable, context: Context) => Promise<T>, lockFirst?: TakeLock) =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ work, lockFirst, resolve: (value) => resolve(value as T), reject });
        if (isRunning) return;
        isRunning = true;
        // Requests that were read in the same turn share the batch.
        setImmediate(() => void runAll());
      }),
  };
}

/** Settles all jobs; never rejects. */
async function runBatch<Context>(
  deps: BatchedTransactionsDeps<Context>,
  jobs: readonly Job<Context>[],
): Promise<void> {
  let outcomes: readonly Outcome<Context>[];
  try {
    outcomes = await runTogether(deps, jobs);
  } catch (error) {
    if (jobs.length === 1) jobs[0]?.reject(error);
    else if (error instanceof DatabaseUnavailableError) for (const job of jobs) job.reject(error);
    else for (const job of jobs) await runBatch(deps, [job]);
    return;
  }
  const successes = outcomes.filter((outcome) => 'context' in outcome);
  const answered = deps.afterCommit(successes.map(({ context }) => context));
  for (const { job, value, context } of successes) {
    void answered(context).then(() => job.resolve(value), job.reject);
  }
  for (const outcome of outcomes) if ('refusal' in outcome) outcome.job.reject(outcome.refusal);
}

/**
 * @throws the error of a mutation after whose writes the transaction cannot be committed
 * @throws {DatabaseUnavailableError} when nothing of the batch can run now, or all of it may have been committed
 */
async function runTogether<Context>(
  { database, createContext, beforeCommit }: BatchedTransactionsDeps<Context>,
  jobs: readonly Job<Context>[],
): Promise<readonly Outcome<Context>[]> {
  let isCommitting = false;
  const runAll = async (tx: Queryable) => {
    for (const lock of new Set(jobs.map(({ lockFirst }) => lockFirst))) await lock?.(tx).catch(failOfLock);
    const outcomes: Outcome<Context>[] = [];
    const contexts: Context[] = [];
    for (const job of jobs) {
      const outcome = await runJob(tx, job, createContext());
      outcomes.push(outcome);
      if ('context' in outcome) contexts.push(outcome.context);
    }
    await beforeCommit(tx, contexts).catch(failOfLock);
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

/** Fails what a batch does once for all its jobs: each job alone would wait as long for the same lock. */
function failOfLock(error: unknown): never {
  if (!TOO_LATE.includes(codeOf(error) ?? '')) throw error;
  throw new DatabaseUnavailableError(error, 'a lock is held for too long');
}

async function runJob<Context>(
  tx: Queryable,
  job: Job<Context>,
  context: Context,
): Promise<Outcome<Context>> {
  let hasOnlyRead = true;
  const observed: Queryable = {
    query(sql, params) {
      hasOnlyRead &&= READ.test(sql);
      return tx.query(sql, params);
    },
  };
  try {
    return { job, context, value: await job.work(observed, context) };
  } catch (refusal) {
    // After an error of the database, or with writes to take back, the whole transaction is lost.
    if (!hasOnlyRead || !(refusal instanceof AppError)) throw refusal;
    return { job, refusal };
  }
}
