import { packText, unpackText } from '../../storage/packed-text.js';
import { ROW_STATUSES, type RowStatus } from './import.js';

/** Maximum length of a stored source, in characters. */
const MAX_SOURCE_LENGTH = 8_192;

/** A row of a file: the operation, or the reason why the row has none. `remark` is a difference from the original. */
export type FileRow = { readonly row: number; readonly source: string } & (
  | { readonly status: 'read'; readonly value: unknown; readonly remark?: string }
  | { readonly status: 'skipped' | 'failed'; readonly message: string; readonly field?: string }
);

/** Outcome of a row. */
export interface RowOutcome {
  readonly status: RowStatus;
  readonly message?: string;
  readonly field?: string;
}

/** Number, source and value. Rows that are not applied add status, message and field; others null and a remark. */
type StoredRow = [number, string, unknown, ('skipped' | 'failed' | null)?, string?, string?];

export async function encodeRows(rows: readonly FileRow[]): Promise<Buffer> {
  const stored = rows.map((one): StoredRow => {
    const source = shortened(one.source);
    if (one.status === 'read') {
      return one.remark === undefined
        ? [one.row, source, one.value]
        : [one.row, source, one.value, null, one.remark];
    }
    const { row, status, message, field } = one;
    return field === undefined
      ? [row, source, null, status, message]
      : [row, source, null, status, message, field];
  });
  return packText(JSON.stringify(stored));
}

export async function decodeRows(content: Uint8Array): Promise<FileRow[]> {
  const stored = JSON.parse(await unpackText(content)) as StoredRow[];
  return stored.map(([row, source, value, status, message, field]) =>
    status === undefined || status === null
      ? { row, source, status: 'read', value, ...(message !== undefined && { remark: message }) }
      : { row, source, status, message: message ?? '', ...(field !== undefined && { field }) },
  );
}

function shortened(source: string): string {
  return source.length > MAX_SOURCE_LENGTH ? `${source.slice(0, MAX_SOURCE_LENGTH)}…` : source;
}

/** Adds the remark of a row to its outcome. A row that is not applied has another message. */
export function noted(outcome: RowOutcome, row: FileRow): RowOutcome {
  if (row.status !== 'read' || row.remark === undefined) return outcome;
  if (outcome.status === 'failed' || outcome.status === 'skipped') return outcome;
  const message = outcome.message === undefined ? row.remark : `${outcome.message} ${row.remark}`;
  return { ...outcome, message };
}

/** A digit for the status of each row, and messages by index. */
interface StoredOutcomes {
  readonly statuses: string;
  readonly messages: Readonly<Record<number, readonly [string, string?]>>;
}

export function encodeOutcomes(outcomes: readonly RowOutcome[]): string {
  const messages: Record<number, readonly [string, string?]> = {};
  for (const [index, { message, field }] of outcomes.entries()) {
    if (message !== undefined) messages[index] = field === undefined ? [message] : [message, field];
  }
  const statuses = outcomes.map(({ status }) => ROW_STATUSES.indexOf(status)).join('');
  return JSON.stringify({ statuses, messages } satisfies StoredOutcomes);
}

export function decodeOutcomes(text: string): RowOutcome[] {
  const { statuses, messages } = JSON.parse(text) as StoredOutcomes;
  return Array.from(statuses, (digit, index) => {
    const status = ROW_STATUSES[Number(digit)] ?? 'failed';
    const [message, field] = messages[index] ?? [];
    return { status, ...(message !== undefined && { message }), ...(field !== undefined && { field }) };
  });
}
