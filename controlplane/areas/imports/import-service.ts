import { AppError } from '../../errors/app-error.js';
import { decodeCursor, toPage } from '../../http/page-cursor.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Import } from './import.js';
import { importRecord } from './import-record.js';
import type { ImportRepository } from './import-repository.js';
import type { ImportRecord } from './import-schema.js';

/** Imports of a user. */
export interface ImportService {
  list(
    userId: string,
    query: { readonly limit: number; readonly cursor?: string },
  ): Promise<{ data: ImportRecord[]; page: { limit: number; nextCursor: string | null } }>;
  /** @throws {AppError} NOT_FOUND, FORBIDDEN */
  requireOwned(id: string, userId: string): Promise<Import>;
  /**
   * Ends an import that has not ended. Rows that are done stay done.
   *
   * @throws {AppError} NOT_FOUND, FORBIDDEN
   */
  cancel(id: string, userId: string): Promise<Import>;
  /** Lets control planes apply a file that has arrived. */
  enqueue(id: string, rows: number): Promise<Import>;
  /** Deletes a file that nobody wants. */
  discard(id: string): Promise<void>;
}

export function createImportService(database: Queryable, repository: ImportRepository): ImportService {
  async function requireOwned(id: string, userId: string): Promise<Import> {
    const found = await repository.find(database, id);
    if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no import with this id.' });
    if (found.userId === userId) return found;
    throw new AppError('FORBIDDEN', { message: 'This import belongs to another user.' });
  }

  return {
    async list(userId, { limit, cursor }) {
      const rows = await repository.pageOfUser(database, userId, decodeCursor(cursor), limit + 1);
      return toPage(rows, limit, (row) => importRecord(row));
    },
    requireOwned,
    async cancel(id, userId) {
      await requireOwned(id, userId);
      await repository.cancel(database, id);
      return requireOwned(id, userId);
    },
    enqueue: (id, rows) => repository.enqueue(database, id, rows),
    discard: (id) => repository.discard(database, id),
  };
}
