import { randomInt } from 'node:crypto';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { RedirectService } from '../redirects/public.js';
import type { PathRepository } from './path-repository.js';
import type { StoredTable } from './path-table.js';

/** Locks tables by their redirect. Whoever writes holds this lock. */
export function createTableLock(
  repository: PathRepository,
  redirects: Pick<RedirectService, 'requireOwnedForUpdate'>,
) {
  return {
    /** @throws {AppError} NOT_FOUND, FORBIDDEN */
    async lockTable(tx: Queryable, userId: string, redirectId: string) {
      const redirect = await redirects.requireOwnedForUpdate(tx, redirectId, userId);
      return { redirect, table: await tableOfRedirect(tx, repository, redirectId) };
    },
  };
}

/** Returns the table of a redirect, which may have no entries yet. */
export async function tableOfRedirect(
  source: Queryable,
  repository: PathRepository,
  redirectId: string,
): Promise<StoredTable> {
  return (await repository.findTable(source, redirectId)) ?? newTable(redirectId);
}

function newTable(redirectId: string): StoredTable {
  return {
    redirectId,
    salt: randomInt(2 ** 32),
    options: DEFAULT_PATH_OPTIONS,
    entryCount: 0,
    version: 0,
    published: null,
  };
}
