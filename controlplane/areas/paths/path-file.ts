import { AppError } from '../../errors/app-error.js';
import { textOfCell } from '../../http/csv.js';
import { readJson, requireStorable } from '../../http/json-bodies.js';
import { createBodyCheck } from '../../http/request-validation.js';
import { EntrySchema, type NewEntry, NewEntrySchema } from './path-schema.js';
import type { EntrySettings } from './path-table.js';
import { settingsOf } from './route-parts.js';

/** Columns of a table of entries, as exports have them. */
export const ENTRY_COLUMNS = Object.keys(NewEntrySchema.properties);
const COLUMNS: ReadonlySet<string> = new Set(ENTRY_COLUMNS);
/** Members that entries have and a file cannot set. */
const IGNORED: ReadonlySet<string> = new Set(
  Object.keys(EntrySchema.properties).filter((name) => !COLUMNS.has(name)),
);
const checkEntry = createBodyCheck(NewEntrySchema);

/** Reads the cells of a table. Its first row contains the names of members. An empty cell means an absent member. */
export const pathTable = {
  /** @throws {AppError} INVALID_REQUEST for an unknown column */
  requireColumns(names: readonly string[]): void {
    const unknown = names.find((name) => !COLUMNS.has(name) && !IGNORED.has(name));
    if (unknown === undefined && names.includes('source')) return;
    const got = unknown === undefined ? 'source is missing' : `got ${JSON.stringify(unknown)}`;
    throw new AppError('INVALID_REQUEST', {
      message: `The first row of the CSV file must name members (${got}): ${ENTRY_COLUMNS.join(', ')}.`,
    });
  },
  /** @throws {AppError} VALIDATION_ERROR for a cell that cannot be stored */
  read(names: readonly string[], cells: readonly string[]): unknown {
    const members = names.flatMap((name, at) => {
      const cell = requireStorable(textOfCell(cells[at] ?? ''), [name]);
      return cell === '' || IGNORED.has(name) ? [] : [[name, readCell(name, cell)] as const];
    });
    return Object.fromEntries(members);
  },
};

/** Returns an unreadable text unchanged. The check of the member then refuses it. */
function readCell(name: string, cell: string): unknown {
  if (name === 'statusCode') return Number.isNaN(Number(cell)) ? cell : Number(cell);
  if (name === 'enabled' || name === 'queryForwarding') {
    return cell === 'true' || (cell === 'false' ? false : cell);
  }
  if (name !== 'query') return cell;
  try {
    return readJson(Buffer.from(cell));
  } catch {
    return cell;
  }
}

/**
 * Reads an entry of a file. Read-only members are ignored.
 *
 * @throws {AppError} VALIDATION_ERROR naming the member
 */
export function readEntry(value: unknown): EntrySettings {
  const members = Object.fromEntries(Object.entries(Object(value)).filter(([name]) => !IGNORED.has(name)));
  checkEntry(members);
  return settingsOf(members as NewEntry);
}
