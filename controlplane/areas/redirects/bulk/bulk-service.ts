import type { Logger } from 'pino';
import { AppError, errorBody } from '../../../errors/app-error.js';
import type { CurrentUser } from '../../../http/current-user.js';
import type { KeepAnswer } from '../../../http/idempotency.js';
import type { RecordChange, RulesetOutbox } from '../../../publishing/ruleset-outbox.js';
import type { Queryable } from '../../../storage/postgres/database.js';
import type { TableStatistics } from '../../../storage/postgres/table-statistics.js';
import { createTurns } from '../../../storage/postgres/turns.js';
import { withoutDeadlock } from '../../../storage/postgres/without-deadlock.js';
import { opOf } from './bulk-operations.js';
import type { BulkMode, BulkReport, BulkResult } from './bulk-schema.js';
import type { OperationBatches, PreparedOperation } from './operation-batches.js';

/** Operations of `best_effort` in one transaction. Other changes of redirects wait until it ends. */
const OPERATIONS_PER_TRANSACTION = 1_000;
/** Maximum bulk requests of a user that wait for a running one. */
const MAX_WAITING_PER_USER = 1;
const RETRY_AFTER_SECONDS = 10;

export interface BulkServiceDeps {
  readonly outbox: RulesetOutbox;
  readonly batches: OperationBatches;
  readonly logger: Logger;
  readonly statistics?: TableStatistics | undefined;
}

export interface BulkOptions {
  readonly mode: BulkMode;
  readonly dryRun: boolean;
  /** Aborted when the client leaves. Operations that are committed stay. */
  readonly signal: AbortSignal;
  /** Stores the report in the transaction of the last part. */
  readonly keep?: KeepAnswer<BulkReport> | undefined;
}

/** Applies many operations of a user. */
export type RunBulk = (
  user: CurrentUser,
  operations: readonly unknown[],
  options: BulkOptions,
) => Promise<BulkReport>;

/** Operations of one transaction. */
interface Part {
  readonly prepared: readonly PreparedOperation[];
  /** Number of operations before these. */
  readonly before: number;
  readonly signal: AbortSignal;
}

interface CommittedPart {
  readonly results: readonly BulkResult[];
  readonly applied: boolean;
  /** Resolves when data planes have the change. */
  readonly carried: Promise<void>;
}

/** Thrown to roll back a transaction after its results are known. */
class NotApplied extends Error {
  constructor(readonly results: readonly BulkResult[]) {
    super('the operations are not applied');
  }
}

export function createBulkService(deps: BulkServiceDeps): RunBulk {
  const { outbox, batches, logger, statistics } = deps;
  const turns = createTurns(MAX_WAITING_PER_USER);

  async function applyAll(
    tx: Queryable,
    record: RecordChange,
    user: CurrentUser,
    part: Part,
  ): Promise<BulkResult[]> {
    await batches.lock(tx);
    const outcomes = await batches.apply(part.prepared, { tx, record, user }, part.signal);
    return outcomes.map((outcome, at) => ({ row: part.before + at + 1, ...outcome }));
  }

  /** Applies a part in a transaction, unless `isWanted` refuses the results. */
  async function commitPart(
    user: CurrentUser,
    part: Part,
    isWanted: (results: readonly BulkResult[]) => boolean,
    keep?: (tx: Queryable, results: readonly BulkResult[]) => Promise<void>,
  ): Promise<CommittedPart> {
    try {
      const { value: results, carried } = await withoutDeadlock(() =>
        outbox.commitAhead(async (tx, record) => {
          const all = await applyAll(tx, record, user, part);
          if (!isWanted(all)) throw new NotApplied(all);
          await keep?.(tx, all);
          return all;
        }),
      );
      // The answer does not wait for new statistics.
      void statistics?.noteNewRows(results.length);
      return { results, applied: true, carried };
    } catch (error) {
      if (error instanceof NotApplied) {
        return { results: error.results, applied: false, carried: Promise.resolve() };
      }
      throw error;
    }
  }

  async function run(
    user: CurrentUser,
    operations: readonly unknown[],
    { mode, dryRun, signal, keep }: BulkOptions,
  ): Promise<BulkReport> {
    if (mode === 'all_or_nothing' || dryRun) {
      const isWanted = (results: readonly BulkResult[]) =>
        !dryRun && results.every(({ status }) => status !== 'failed');
      const part = { prepared: batches.prepare(operations), before: 0, signal };
      const { results, applied, carried } = await commitPart(user, part, isWanted, async (tx, all) =>
        keep?.(tx, reportOf(all, { dryRun: false, applied: true })),
      );
      await carried;
      return reportOf(results, { dryRun, applied });
    }
    const report = (results: readonly BulkResult[]) =>
      reportOf(results, { dryRun, applied: results.some(isChange) });
    const results = await applyParts(user, operations, signal, async (tx, all) => {
      await keep?.(tx, report(all));
    });
    return report(results);
  }

  /**
   * Applies operations part by part, and stores the results with the last one. If a part cannot be committed, it and
   * all later parts are reported as not applied.
   */
  async function applyParts(
    user: CurrentUser,
    operations: readonly unknown[],
    signal: AbortSignal,
    keepAll: (tx: Queryable, results: readonly BulkResult[]) => Promise<void>,
  ): Promise<BulkResult[]> {
    const results: BulkResult[] = [];
    let carried: Promise<void> = Promise.resolve();
    const prepareFrom = (before: number) =>
      batches.prepare(operations.slice(before, before + OPERATIONS_PER_TRANSACTION));
    let next = prepareFrom(0);
    while (results.length < operations.length) {
      const before = results.length;
      const prepared = next;
      const end = before + prepared.length;
      const keep = (tx: Queryable, own: readonly BulkResult[]) => keepAll(tx, [...results, ...own]);
      try {
        const applying = commitPart(
          user,
          { prepared, before, signal },
          () => true,
          end === operations.length ? keep : undefined,
        );
        // The database works on a part while this process reads the next one and data planes get the previous one.
        next = prepareFrom(end);
        const applied = await applying;
        results.push(...applied.results);
        await carried;
        carried = applied.carried;
      } catch (error) {
        await carried;
        if (before === 0) throw error;
        logger.warn({ err: error }, 'a part of a bulk request could not be applied');
        const left = operations.slice(before);
        return [...results, ...left.map((one, at) => unavailable(before + at + 1, opOf(one)))];
      }
    }
    await carried;
    return results;
  }

  return async (user, operations, options) => {
    const endTurn = await turns.take(user.id, options.signal);
    if (endTurn === undefined) throw tooMany();
    try {
      return await run(user, operations, options);
    } finally {
      endTurn();
    }
  };
}

function isChange({ status }: BulkResult): boolean {
  return status !== 'failed' && status !== 'unchanged';
}

function unavailable(row: number, op: BulkResult['op']): BulkResult {
  const error = new AppError('SERVICE_UNAVAILABLE', {
    message: 'The operation was not applied; send it again.',
  });
  return { row, op, status: 'failed', ...errorBody(error) };
}

function tooMany(): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', {
    message: 'A bulk request of yours is under way and another one waits; retry when they are done.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function reportOf(
  results: readonly BulkResult[],
  { dryRun, applied }: Pick<BulkReport, 'dryRun' | 'applied'>,
): BulkReport {
  const count = (status: BulkResult['status']) => results.filter((result) => result.status === status).length;
  return {
    dryRun,
    applied,
    summary: {
      total: results.length,
      created: count('created'),
      updated: count('updated'),
      deleted: count('deleted'),
      unchanged: count('unchanged'),
      failed: count('failed'),
    },
    // A redirect that was not created has no id.
    results: applied
      ? [...results]
      : results.map(({ id, ...result }) =>
          result.status === 'created' || id === undefined ? result : { ...result, id },
        ),
  };
}
