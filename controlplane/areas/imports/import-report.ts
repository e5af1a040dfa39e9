import { AppError } from '../../errors/app-error.js';
import { csvLine } from '../../http/csv.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { ROW_STATUSES, type RowStatus } from './import.js';
import { decodeOutcomes, decodeRows } from './import-part.js';
import { importRepository, type StoredPart } from './import-repository.js';
import type { ImportedRowRecord } from './import-schema.js';

/** Position of a row in the stored parts. */
interface RowPosition {
  readonly position: number;
  readonly index: number;
}

const START: RowPosition = { position: 0, index: 0 };
const COLUMNS = ['row', 'status', 'source', 'message', 'field'] as const;

/** Yields the finished rows of an import, each with its position. */
async function* rowsFrom(source: Queryable, id: string, start: RowPosition, status: RowStatus | undefined) {
  const statuses = status === undefined ? ROW_STATUSES : [status];
  for (let { position, index: first } = start; ; position += 1, first = 0) {
    const part = await importRepository.appliedPartFrom(source, id, position, statuses);
    if (part === undefined) return;
    const from = part.position === position ? first : 0;
    position = part.position;
    for (const [index, record] of (await readPart(part)).entries()) {
      if (index >= from && statuses.includes(record.status)) yield { position, index, record };
    }
  }
}

/** Returns a page of the outcomes of rows. @throws {AppError} INVALID_REQUEST for a cursor that cannot be read */
export async function reportPage(
  source: Queryable,
  id: string,
  {
    status,
    limit,
    cursor,
  }: { readonly status?: RowStatus; readonly limit: number; readonly cursor?: string },
) {
  const data: ImportedRowRecord[] = [];
  for await (const { position, index, record } of rowsFrom(source, id, readCursor(cursor), status)) {
    if (data.length === limit) return { data, page: { limit, nextCursor: writeCursor({ position, index }) } };
    data.push(record);
  }
  return { data, page: { limit, nextCursor: null } };
}

/** Returns the outcomes of all rows as CSV, one part at a time. */
export async function* reportCsv(
  source: Queryable,
  id: string,
  status: RowStatus | undefined,
): AsyncGenerator<Buffer> {
  let lines = csvLine(COLUMNS);
  let last = 0;
  for await (const { position, record } of rowsFrom(source, id, START, status)) {
    if (position !== last) {
      yield Buffer.from(lines);
      lines = '';
      last = position;
    }
    lines += csvLine(COLUMNS.map((name) => record[name] ?? null));
  }
  yield Buffer.from(lines);
}

async function readPart({ content, outcome }: StoredPart): Promise<ImportedRowRecord[]> {
  const outcomes = decodeOutcomes(outcome ?? '');
  return (await decodeRows(content)).map(({ row, source }, index) => {
    const { status = 'failed', message = null, field } = outcomes[index] ?? {};
    return { row, status, source, message, ...(field !== undefined && { field }) };
  });
}

function writeCursor({ position, index }: RowPosition): string {
  return Buffer.from(`${position}.${index}`).toString('base64url');
}

function readCursor(cursor: string | undefined): RowPosition {
  if (cursor === undefined) return START;
  const [, position, index] =
    /^(\d{1,6})\.(\d{1,6})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (position !== undefined && index !== undefined)
    return { position: Number(position), index: Number(index) };
  throw new AppError('INVALID_REQUEST', {
    field: 'cursor',
    message: 'cursor must be the nextCursor of an earlier page, or be left out.',
  });
}
