import type { OperationBatches, Outcome, PreparedOperation } from '../redirects/public.js';
import type { OnExisting } from './import.js';
import { type FileRow, noted, type RowOutcome } from './import-part.js';

/** Rows of redirects after the checks of each single row, which need no transaction. */
export interface PreparedRows {
  readonly rows: readonly FileRow[];
  readonly operations: readonly PreparedOperation[];
}

export function prepareRows(batches: OperationBatches, rows: readonly FileRow[]): PreparedRows {
  const operations = rows.flatMap((row) => (row.status === 'read' ? [row.value] : []));
  return { rows, operations: batches.prepare(operations) };
}

/**
 * Applies rows of redirects in their order.
 *
 * @returns the outcome of each row
 */
export async function applyRows(
  batches: OperationBatches,
  { rows, operations }: PreparedRows,
  context: Parameters<OperationBatches['apply']>[1] & { readonly onExisting: OnExisting },
  signal: AbortSignal,
): Promise<RowOutcome[]> {
  const updatesExisting = context.onExisting === 'update';
  const applied = await batches.apply(operations, { ...context, updatesExisting }, signal);
  const outcomes = applied.values();
  return rows.map((row) =>
    row.status === 'read' ? noted(outcomeOf(outcomes.next().value, context.onExisting), row) : unread(row),
  );
}

/** Returns the outcome of a row that is not applied. */
export function unread({ status, message, field }: Exclude<FileRow, { status: 'read' }>): RowOutcome {
  return { status, message, ...(field !== undefined && { field }) };
}

function outcomeOf(outcome: Outcome | undefined, onExisting: OnExisting = 'fail'): RowOutcome {
  if (outcome === undefined) throw new Error('an operation has no outcome');
  const { status, error } = outcome;
  if (error === undefined) return { status };
  if (onExisting === 'skip' && error.code === 'DOMAIN_EXISTS') {
    return { status: 'skipped', message: error.message };
  }
  return { status, message: error.message, ...(error.field !== undefined && { field: error.field }) };
}
