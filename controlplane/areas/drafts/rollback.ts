import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import { type Precondition, requirePrecondition } from '../../http/entity-tags.js';
import type { Database } from '../../storage/postgres/database.js';
import type { StateOf } from '../history/public.js';
import type { Redirect, RedirectService } from '../redirects/public.js';
import type { RuleReplacement } from '../rules/public.js';
import type { DefinitionApplier } from './apply-definition.js';
import { prepareState } from './definition.js';

/** Maximum of the type of the column. */
const MAX_VERSION = 2 ** 31 - 1;

export interface RollbackDeps {
  readonly database: Database;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  readonly rules: Pick<RuleReplacement, 'parse'>;
  readonly applier: Pick<DefinitionApplier, 'apply'>;
  readonly stateOf: StateOf;
}

/**
 * Makes the state of an earlier version the current one, as a new version. Deleted rules and entries get their ids back,
 * and with them their hits.
 *
 * @param precondition is about the version of the redirect
 * @throws {AppError} NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED, and the errors of the single requests
 */
export type Rollback = (
  user: CurrentUser,
  redirectId: string,
  version: number,
  precondition?: Precondition,
) => Promise<Redirect>;

export function createRollback({ database, redirects, rules, applier, stateOf }: RollbackDeps): Rollback {
  return async (user, redirectId, version, precondition) => {
    await redirects.requireOwned(redirectId, user.id);
    const state = version > MAX_VERSION ? undefined : await stateOf(database, redirectId, version);
    if (state === undefined) {
      throw new AppError('NOT_FOUND', {
        message: `Version ${version} of this redirect does not exist, or is no longer kept. GET /redirects/{id}/versions lists those that are.`,
      });
    }
    const prepared = await prepareState(state, rules);
    return applier.apply(user, redirectId, prepared, {
      cause: { action: 'redirect.rolled_back', summary: `Rolled back to version ${version}` },
      before: async (_tx, current) => requirePrecondition(precondition, current.version),
    });
  };
}
