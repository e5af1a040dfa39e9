import { AppError, errorBody } from '../../../errors/app-error.js';
import { changeBatches } from '../change-batches.js';
import type { CreateMany, Creation } from '../create-many.js';
import type { NewRedirect } from '../redirect-changes.js';
import type { RedirectRepository } from '../redirect-repository.js';
import { type OperationContext, type Operations, opOf } from './bulk-operations.js';
import type { BulkResult, Operation } from './bulk-schema.js';
import { createManyChanges, type ManyChanges, type ManyEffect } from './many-changes.js';

/** The result of an operation, without its place. */
export type Outcome = Omit<BulkResult, 'row'>;

/** Applies operations of one user in a transaction. One that is refused does not keep the others from being applied. */
export interface OperationBatches {
  /** Takes the locks that must precede every other lock of the transaction. */
  lock: RedirectRepository['lockGraph'];
  /**
   * Applies operations in their order, after `lock`. Resolves to their outcomes.
   *
   * @param signal ends the work between two operations; the promise rejects with its reason
   */
  apply(
    operations: readonly unknown[],
    context: OperationContext,
    signal?: AbortSignal,
  ): Promise<readonly Outcome[]>;
}

export interface OperationBatchesDeps {
  readonly operations: Operations;
  readonly createMany: CreateMany;
  /** Default: one that uses the database of the transaction. */
  readonly manyChanges?: ManyChanges;
  readonly repository: Pick<RedirectRepository, 'lockGraph'>;
}

/** Maximum operations that are written together. */
const AT_ONCE = 1_000;

export function createOperationBatches(deps: OperationBatchesDeps): OperationBatches {
  const { operations: engine, createMany, repository } = deps;
  const { manyChanges = createManyChanges(changeBatches) } = deps;

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
      return { op, ...failure(error) };
    }
  }

  /** Applies operations of one kind with few statements. */
  async function applyTogether(
    op: Operation,
    operations: readonly unknown[],
    context: OperationContext,
  ): Promise<readonly ManyEffect[]> {
    if (op === 'create') {
      const { tx, record, user } = context;
      const create = (inputs: readonly NewRedirect[]) => createMany(tx, record, user, inputs);
      const creations = await applyReadable(operations, engine.readCreation, create);
      return creations.map((one) => (isCreated(one) ? { status: 'created', id: one.id } : one));
    }
    return applyReadable(operations, engine.readChange, (some) => manyChanges[op](some, context));
  }

  /** Applies operations of one kind, and after them those that need it alone. */
  async function applyRun(
    operations: readonly unknown[],
    context: OperationContext,
    signal: AbortSignal | undefined,
  ): Promise<Outcome[]> {
    const op = opOf(operations[0]);
    const effects = await applyTogether(op, operations, context);
    const outcomes: Outcome[] = [];
    for (const [at, effect] of effects.entries()) {
      if (effect !== 'alone') {
        outcomes.push({ op, ...(effect instanceof AppError ? failure(effect) : effect) });
        continue;
      }
      signal?.throwIfAborted();
      outcomes.push(await applyOne(operations[at], context));
    }
    return outcomes;
  }

  return {
    lock: repository.lockGraph,
    async apply(operations, context, signal) {
      const outcomes: Outcome[] = [];
      while (outcomes.length < operations.length) {
        signal?.throwIfAborted();
        const run = runFrom(operations, outcomes.length);
        if (run.length > 1) outcomes.push(...(await applyRun(run, context, signal)));
        else outcomes.push(await applyOne(operations[outcomes.length], context));
      }
      return outcomes;
    },
  };
}

/** Returns the operations of one kind that follow each other from a place on. */
function runFrom(operations: readonly unknown[], from: number): readonly unknown[] {
  const until = Math.min(operations.length, from + AT_ONCE);
  const op = opOf(operations[from]);
  let end = from;
  while (end < until && opOf(operations[end]) === op) end += 1;
  return operations.slice(from, end);
}

/** Applies the operations that can be read. The others have the reason as their result. */
async function applyReadable<Input extends object, Result>(
  operations: readonly unknown[],
  read: (operation: unknown) => Input,
  applyAll: (inputs: readonly Input[]) => Promise<readonly Result[]>,
): Promise<(Result | AppError | 'alone')[]> {
  const inputs = operations.map((operation) => refusalOr(() => read(operation)));
  const readable = inputs.filter((input): input is Input => !(input instanceof AppError));
  const results = (await applyAll(readable)).values();
  return inputs.map((input) => (input instanceof AppError ? input : (results.next().value ?? 'alone')));
}

function isCreated(creation: Creation): creation is Exclude<Creation, AppError | 'alone'> {
  return creation !== 'alone' && !(creation instanceof AppError);
}

function failure(refusal: AppError): Pick<Outcome, 'status' | 'error'> {
  return { status: 'failed', ...errorBody(refusal) };
}

function refusalOr<T>(read: () => T): T | AppError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
