import type { ErrorBody } from '../../errors/app-error.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';
import { importRecord } from './import-record.js';
import type { ImportRepository } from './import-repository.js';

/** Ends an import and tells the endpoints of its user, unless the claimant has lost it. */
export type FinishImport = (
  id: string,
  claimant: string,
  state: 'finished' | 'failed',
  error: ErrorBody['error'] | null,
  tx?: Queryable,
) => Promise<void>;

export function createFinishImport(database: Database, repository: ImportRepository): FinishImport {
  return async (id, claimant, state, error, tx) => {
    const end = async (within: Queryable) => {
      if ((await repository.hold(within, id, claimant)) === undefined) return;
      const ended = await repository.finish(within, id, state, error);
      await emit(within, ended.userId, 'import.finished', { ...importRecord(ended) });
    };
    await (tx === undefined ? database.transaction(end) : end(tx));
  };
}
