import { codeOf } from '../../../shared/process/error-facts.js';
import { AppError } from '../../errors/app-error.js';
import type { Database, Queryable } from './database.js';
import { DatabaseUnavailableError } from './database-unavailable.js';

/** Takes a lock that is held until the transaction ends. */
export type TakeLock = (tx: Queryable) => Promise<void>;

/** Outcome of work for one of several inputs. `alone`: only the work for this input by itself can tell. */
export type GatheredOutcome<Result> = { readonly value: Result } | AppError | 'alone';

export interface GatheredInput<Input, Context> {
  readonly input: Input;
  readonly context: Context;
}

/** Work of one kind, which a batch does for several callers with few statements. One object stands for the kind. */
export interface GatheredWork<Input, Result, Context> {
  readonly lockFirst?: TakeLock | undefined;
  /**
   * Does the work for several inputs, in their order. It writes nothing for those that it refuses or leaves alone. If it
   * throws, the whole batch is rolled back, and each of its mutations runs again by itself.
   */
  together(
    tx: Queryable,
    inputs: readonly GatheredInput<Input, Context>[],
  ): Promise<readonly GatheredOutcome<Result>[]>;
  /** Does the work for one input. */
  alone(tx: Queryable, input: Input, context: Context): Promise<Result>;
}

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
  /** Does what `run` does for work that the batch can do together with the same work for others. */
  runGathered<Input, Result>(kind: GatheredWork<Input, Result, Context>, input: Input): Promise<Result>;
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
  /** Absent for work that is not gathered. */
  readonly gathered: { readonly kind: AnyGatheredWork<Context>; readonly input: unknown } | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: the inputs of a kind come with it
type AnyGatheredWork<Context> = GatheredWork<any, unknown, Context>;

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

  function add<T>(job: Pick<Job<Context>, 'work' | 'lockFirst' | 'gathered'>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.push({ ...job, resolve: (value) => resolve(value as T), reject });
      if (isRunning) return;
      isRunning = true;
      // Requests that were read in the same turn share the batch.
      setImmediate(() => void runAll());
    });
  }

  return {
    run: (work, lockFirst) => add({ work, lockFirst, gathered: undefined }),
    runGathered: (kind, input) =>
      add({
        work: (tx, context) => kind.alone(tx, input, context),
        lockFirst: kind.lockFirst,
        gathered: { kind, input },
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
    const outcomes = await runKinds(tx, jobs, createContext);
    const isDone = new Set(outcomes.map(({ job }) => job));
    for (const job of jobs) if (!isDone.has(job)) outcomes.push(await runJob(tx, job, createContext()));
    const contexts = outcomes.flatMap((outcome) => ('context' in outcome ? [outcome.context] : []));
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

/** Runs each kind of gathered work that occurs more than once in the batch. Resolves to the outcomes known so far. */
async function runKinds<Context>(
  tx: Queryable,
  jobs: readonly Job<Context>[],
  createContext: () => Context,
): Promise<Outcome<Context>[]> {
  const outcomes: Outcome<Context>[] = [];
  for (const kind of new Set(jobs.map(({ gathered }) => gathered?.kind))) {
    const members = jobs.filter(({ gathered }) => gathered?.kind === kind);
    if (kind === undefined || members.length === 1) continue;
    const contexts = members.map(createContext);
    const inputs = members.map(({ gathered }, at) => ({
      input: gathered?.input,
      context: contexts[at] as Context,
    }));
    const results = await kind.together(tx, inputs);
    for (const [at, job] of members.entries()) {
      const result = results[at] ?? 'alone';
      if (result === 'alone') continue;
      if (result instanceof AppError) outcomes.push({ job, refusal: result });
      else outcomes.push({ job, value: result.value, context: contexts[at] as Context });
    }
  }
  return outcomes;
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
