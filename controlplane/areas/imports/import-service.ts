import { AppError } from '../../errors/app-error.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import { decodeCursor, toPage } from '../../http/page-cursor.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { type Actor, recordAudit } from '../history/public.js';
import type { Import } from './import.js';
import { importRecord } from './import-record.js';
import { importRepository } from './import-repository.js';
import { requireFewOpen, type StoredFile } from './import-upload.js';

export type ImportService = ReturnType<typeof createImportService>;

/** Imports of a user. */
export function createImportService(database: Database) {
  /** @throws {AppError} NOT_FOUND, FORBIDDEN */
  async function requireOwned(id: string, userId: string): Promise<Import> {
    const found = await importRepository.find(database, id);
    if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no import with this id.' });
    if (found.userId === userId) return found;
    throw new AppError('FORBIDDEN', { message: 'This import belongs to another user.' });
  }

  return {
    async list(userId: string, { limit, cursor }: { readonly limit: number; readonly cursor?: string }) {
      const rows = await importRepository.pageOfUser(database, userId, decodeCursor(cursor), limit + 1);
      return toPage(rows, limit, (row) => importRecord(row));
    },
    requireOwned,
    /** Cancels an import that has not ended. Applied rows stay applied. @throws {AppError} NOT_FOUND, FORBIDDEN */
    async cancel(id: string, user: Actor): Promise<Import> {
      const one = await requireOwned(id, user.id);
      await database.transaction(async (tx) => {
        if (await importRepository.cancel(tx, id))
          await recordImport(tx, user, 'import.canceled', one, 'Canceled');
      });
      return requireOwned(id, user.id);
    },
    /** Lets control planes apply a file that has arrived. @throws {AppError} RATE_LIMIT_EXCEEDED */
    enqueue: (userId: string, { id, rows }: StoredFile, keep?: KeepAnswer<Import>) =>
      database.transaction(async (tx) => {
        await requireFewOpen(tx, userId);
        const queued = await importRepository.enqueue(tx, id, rows);
        const summary = `Sent ${rows} rows${queued.dryRun ? ' for a dry run' : ''}`;
        await recordImport(tx, queued.by, 'import.created', queued, summary);
        await keep?.(tx, queued);
        return queued;
      }),
    /** Deletes a stored file that will not be imported. */
    discard: (id: string) => importRepository.discard(database, id),
  };
}

function recordImport(
  tx: Queryable,
  by: Actor,
  action: 'import.created' | 'import.canceled',
  { id, userId, kind, format }: Import,
  summary: string,
): Promise<void> {
  return recordAudit(tx, {
    userId,
    by,
    action,
    resourceId: id,
    resourceName: `${kind} (${format})`,
    summary,
  });
}
