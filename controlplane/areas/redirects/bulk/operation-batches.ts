import { AppError, errorBody } from '../../../errors/app-error.js';
import { type CreateMany, type Creation, readNewRedirect, type WantedRedirect } from '../create-many.js';
import type { RedirectRepository } from '../redirect-repository.js';
import { type Effect, type OperationContext, type Operations, opOf } from './bulk-operations.js';
import type { BulkResult } from './bulk-schema.js';

/** The result of an operation, without its place. */
export type Outcome = Omit<BulkResult, 'row'>;

/** An operation that was checked by itself. */
export interface PreparedOperation {
  readonly operation: unknown;
  /** Redirect to create, or the reason for refusing it; undefined for other operations. */
  readonly creation: WantedRedirect | AppError | undefined;
}

/** Applies operations of one user in a transaction. One that is refused does not keep the others from being applied. */
export interface OperationBatches {
  /** Takes the locks that must precede every other lock of the transaction. */
  lock: RedirectRepository['lockGraph'];
  /** Checks each operation by itself, which needs no transaction. */
  prepare(operations: readonly unknown[]): readonly PreparedOperation[];
  /**
   * Applies operations in their order, after `lock`. Resolves to their outcomes.
   *
   * @param signal ends the work between two operations; the promise rejects with its reason
   */
  apply(
    operations: readonly PreparedOperation[],
    context: OperationContext,
    signal?: AbortSignal,
  ): Promise<readonly Outcome[]>;
}

export interface OperationBatchesDeps {
  readonly operations: Operations;
  readonly createMany: CreateMany;
  readonly repository: Pick<RedirectRepository, 'lockGraph'>;
}

/** Maximum creations that are written together. */
const CREATIONS_AT_ONCE = 1_000;

export function createOperationBatches(deps: OperationBatchesDeps): OperationBatches {
  const { operations: engine, createMany, repository } = deps;

  async function applyOne(operation: unknown, context: OperationContext): Promise<Outcome> {
    const { tx, record } = context;
    const op = opOf(operation);
    const hosts: string[] = [];
    await tx.query('SAVEPOINT operation');
    try {
      const effect = await engine.apply(operation, { ...context, record: (host) => hosts.push(host) });
      await tx.query('RELEASE SAVEPOINT operation');
      for (const host of hosts) record(host);
      return { op, ...effect };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await tx.query('ROLLBACK TO SAVEPOINT operation');
      return { op, status: 'failed', ...errorBody(error) };
    }
  }

  /** Applies creations together, and after them those that need it alone. */
  async function applyCreations(
    prepared: readonly PreparedOperation[],
    context: OperationContext,
    signal: AbortSignal | undefined,
  ): Promise<Outcome[]> {
    const { tx, record, user } = context;
    const wanted = prepared.flatMap(({ creation }) => (isWanted(creation) ? [creation] : []));
    const creations = (await createMany(tx, record, user, wanted)).values();
    const results = prepared.map(
      ({ creation }): Creation =>
        creation instanceof AppError ? creation : (creations.next().value ?? 'alone'),
    );
    const outcomes: Outcome[] = [];
    for (const [at, result] of results.entries()) {
      if (result !== 'alone') {
        outcomes.push({ op: 'create', ...effectOf(result) });
        continue;
      }
      signal?.throwIfAborted();
      outcomes.push(await applyOne(prepared[at]?.operation, context));
    }
    return outcomes;
  }

  return {
    lock: repository.lockGraph,
    prepare: (operations) =>
      operations.map((operation) => ({
        operation,
        creation:
          opOf(operation) === 'create'
            ? refusalOr(() => readNewRedirect(engine.readCreation(operation)))
            : undefined,
      })),
    async apply(operations, context, signal) {
      const outcomes: Outcome[] = [];
      while (outcomes.length < operations.length) {
        signal?.throwIfAborted();
        const creations = leadingCreations(operations, outcomes.length);
        if (creations.length > 1) outcomes.push(...(await applyCreations(creations, context, signal)));
        else outcomes.push(await applyOne(operations[outcomes.length]?.operation, context));
      }
      return outcomes;
    },
  };
}

function leadingCreations(
  operations: readonly PreparedOperation[],
  from: number,
): readonly PreparedOperation[] {
  const until = Math.min(operations.length, from + CREATIONS_AT_ONCE);
  let end = from;
  while (end < until && operations[end]?.creation !== undefined) end += 1;
  return operations.slice(from, end);
}

function isWanted(creation: PreparedOperation['creation']): creation is WantedRedirect {
  return creation !== undefined && !(creation instanceof AppError);
}

function effectOf(result: Exclude<Creation, 'alone'>): Effect & Pick<Outcome, 'error'> {
  return result instanceof AppError
    ? { status: 'failed', ...errorBody(result) }
    : { status: 'created', id: result.id };
}

function refusalOr<T>(read: () => T): T | AppError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
