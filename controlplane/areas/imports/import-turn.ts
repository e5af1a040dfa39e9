import type { ErrorBody } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { emit } from '../webhooks/public.js';
import type { Import } from './import.js';
import { importRecord } from './import-record.js';
import { importRepository } from './import-repository.js';

/** Inputs of a turn. */
export interface Turn {
  readonly claimant: string;
  readonly user: CurrentUser;
  /** Aborted when the import is canceled, when another process takes it over, and on `stop`. */
  readonly signal: AbortSignal;
  /** Unix time at which the turn ends; the current part is finished. */
  readonly untilMs: number;
}

/** Works on an import until the turn or the import ends. */
export type ImportWork = (one: Import, turn: Turn) => Promise<void>;

/** Ends an import and notifies the webhook endpoints of its user, unless the claimant has lost it. */
export async function finishImport(
  tx: Queryable,
  id: string,
  claimant: string,
  state: 'finished' | 'failed',
  error: ErrorBody['error'] | null = null,
): Promise<void> {
  if ((await importRepository.hold(tx, id, claimant)) === undefined) return;
  const ended = await importRepository.finish(tx, id, state, error);
  await emit(tx, ended.userId, 'import.finished', { ...importRecord(ended) });
}
