import { randomInt } from 'node:crypto';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { RedirectService } from '../redirects/public.js';
import { pathRepository } from './path-repository.js';
import type { StoredTable } from './path-table.js';

/** Locks a table by its redirect. Every writer holds this lock. @throws {AppError} NOT_FOUND, FORBIDDEN */
export async function lockTable(
  tx: Queryable,
  redirects: Pick<RedirectService, 'requireOwnedForUpdate'>,
  userId: string,
  redirectId: string,
) {
  const redirect = await redirects.requireOwnedForUpdate(tx, redirectId, userId);
  return { redirect, table: await tableOfRedirect(tx, redirectId) };
}

/** Returns the table of a redirect, which may have no entries yet. */
export async function tableOfRedirect(source: Queryable, redirectId: string): Promise<StoredTable> {
  return (await pathRepository.findTable(source, redirectId)) ?? newTable(redirectId);
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
