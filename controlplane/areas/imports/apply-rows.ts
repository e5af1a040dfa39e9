import type { OperationBatches, Outcome } from '../redirects/public.js';
import type { FileRow, RowOutcome } from './import-part.js';

/**
 * Applies rows of redirects in their order.
 *
 * @returns the outcome of each row
 */
export async function applyRows(
  batches: OperationBatches,
  rows: readonly FileRow[],
  context: Parameters<OperationBatches['apply']>[1],
  signal: AbortSignal,
): Promise<RowOutcome[]> {
  const operations = rows.flatMap((row) => (row.status === 'read' ? [row.value] : []));
  const outcomes = (await batches.apply(operations, context, signal)).values();
  return rows.map((row) => (row.status === 'read' ? outcomeOf(outcomes.next().value) : unread(row)));
}

/** Returns the outcome of a row that is not applied. */
export function unread({ status, message, field }: Exclude<FileRow, { status: 'read' }>): RowOutcome {
  return { status, message, ...(field !== undefined && { field }) };
}

function outcomeOf(outcome: Outcome | undefined): RowOutcome {
  if (outcome === undefined) throw new Error('an operation has no outcome');
  const { status, error } = outcome;
  if (error === undefined) return { status };
  return { status, message: error.message, ...(error.field !== undefined && { field: error.field }) };
}
