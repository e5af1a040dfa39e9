import { AppError, errorBody, refusalOr } from '../../../errors/app-error.js';
import { type CreateMany, isMade } from '../create-many.js';
import { lockLoopGraph } from '../loops/loop-graph.js';
import { readNewRedirect, type WantedRedirect } from '../new-redirect.js';
import { type OperationContext, type Operations, opOf } from './bulk-operations.js';
import type { BulkResult } from './bulk-schema.js';
import { type ManyEffect, manyChanges } from './many-changes.js';

/** The result of an operation, without its row number. */
export type Outcome = Omit<BulkResult, 'row'>;

/** An operation that was checked separately. */
export interface PreparedOperation {
  readonly operation: unknown;
  /** Redirect to create, or the reason for refusing it; undefined for other operations. */
  readonly creation: WantedRedirect | AppError | undefined;
}

/** Applies operations of one user in a transaction. A refused operation does not stop the others. */
export interface OperationBatches {
  /** Takes the locks that must precede every other lock of the transaction. */
  lock: typeof lockLoopGraph;
  /** Checks each operation separately. Needs no transaction. */
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
  /** Called with the domains of refused creations that another user owns, while the transaction is open. */
  readonly onTaken?: (domains: readonly string[]) => void;
}

/** Maximum operations that are written together. */
const AT_ONCE = 1_000;

export function createOperationBatches(deps: OperationBatchesDeps): OperationBatches {
  const { operations: engine, createMany, onTaken = () => undefined } = deps;

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
    prepared: readonly PreparedOperation[],
    context: OperationContext,
  ): Promise<readonly ManyEffect[]> {
    const op = opOf(prepared[0]?.operation);
    if (op === 'create') {
      const creations = prepared.map(({ creation }) => creation ?? 'alone');
      return applyReadable(creations, async (wanted) => {
        const made = await createMany.ofUser(context.tx, context.record, context.user, wanted);
        return made.map((one) => (isMade(one) ? { status: 'created', id: one.id } : one));
      });
    }
    const changes = prepared.map(({ operation }) => refusalOr(() => engine.readChange(operation)));
    return applyReadable(changes, (some) => manyChanges[op](some, context));
  }

  /** Applies operations of one kind together, then those that must be applied alone. */
  async function applyRun(
    prepared: readonly PreparedOperation[],
    context: OperationContext,
    signal: AbortSignal | undefined,
  ): Promise<Outcome[]> {
    const op = opOf(prepared[0]?.operation);
    const effects = await applyTogether(prepared, context);
    const outcomes: Outcome[] = [];
    for (const [at, effect] of effects.entries()) {
      if (effect !== 'alone') {
        outcomes.push({ op, ...(effect instanceof AppError ? failure(effect) : effect) });
        continue;
      }
      signal?.throwIfAborted();
      outcomes.push(await applyOne(prepared[at]?.operation, context));
    }
    return outcomes;
  }

  async function applySome(
    run: readonly PreparedOperation[],
    context: OperationContext,
    signal: AbortSignal | undefined,
  ): Promise<Outcome[]> {
    return run.length > 1 ? applyRun(run, context, signal) : [await applyOne(run[0]?.operation, context)];
  }

  /** Applies creations as changes where the user already has a redirect. */
  async function updateExisting(
    run: readonly PreparedOperation[],
    outcomes: readonly Outcome[],
    context: OperationContext,
    signal: AbortSignal | undefined,
  ): Promise<Outcome[]> {
    const existing = run.filter((_, at) => outcomes[at]?.error?.code === 'DOMAIN_EXISTS');
    if (existing.length === 0) return [...outcomes];
    const updates = existing.map(({ operation }) => ({
      operation: asUpdate(operation),
      creation: undefined,
    }));
    const updated = (await applySome(updates, context, signal)).values();
    return outcomes.map((one) => (one.error?.code === 'DOMAIN_EXISTS' ? (updated.next().value ?? one) : one));
  }

  return {
    lock: lockLoopGraph,
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
        const run = runFrom(operations, outcomes.length);
        const made = await applySome(run, context, signal);
        outcomes.push(...(context.updatesExisting ? await updateExisting(run, made, context, signal) : made));
      }
      const taken = operations.flatMap((one, at) => (isTaken(outcomes[at]) ? domainOf(one) : []));
      if (taken.length > 0) onTaken(taken);
      return outcomes;
    },
  };
}

/**
 * Returns the change that replaces the creation of an existing domain. Omits the id, because another redirect could
 * have it. An external id of another redirect is refused with the change, because `fromDomain` cannot change.
 */
function asUpdate(operation: unknown): unknown {
  const { id: _, ...members } = operation as Readonly<Record<string, unknown>>;
  return { ...members, op: 'update' };
}

/** Returns the consecutive operations of one kind from a position. */
function runFrom(operations: readonly PreparedOperation[], from: number): readonly PreparedOperation[] {
  const until = Math.min(operations.length, from + AT_ONCE);
  const op = opOf(operations[from]?.operation);
  let end = from;
  while (end < until && opOf(operations[end]?.operation) === op) end += 1;
  return operations.slice(from, end);
}

/** Applies the readable inputs. The result of the others is the reason. */
async function applyReadable<Input extends object>(
  inputs: readonly (Input | AppError | 'alone')[],
  applyAll: (inputs: readonly Input[]) => Promise<readonly ManyEffect[]>,
): Promise<ManyEffect[]> {
  const results = (await applyAll(inputs.filter(isMade))).values();
  return inputs.map((input) => (isMade(input) ? (results.next().value ?? 'alone') : input));
}

function isTaken(outcome: Outcome | undefined): boolean {
  return outcome?.error?.code === 'DOMAIN_TAKEN';
}

function domainOf({ creation }: PreparedOperation): string[] {
  return creation === undefined || creation instanceof AppError ? [] : [creation.fromDomain];
}

function failure(refusal: AppError): Pick<Outcome, 'status' | 'error'> {
  return { status: 'failed', ...errorBody(refusal) };
}
