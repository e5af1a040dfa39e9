import { AppError } from '../../errors/app-error.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect, RedirectService } from '../redirects/public.js';
import { type Rule, requireRule } from '../rules/public.js';
import { type Definition, definitionOf } from './experiment.js';

export interface OwnedExperiment {
  readonly rule: Rule;
  readonly redirect: Redirect;
  readonly definition: Definition;
}

/**
 * Returns a function that finds an experiment of a user by the id of its rule.
 *
 * @throws {AppError} NOT_FOUND, FORBIDDEN; VALIDATION_ERROR if the rule treats all visitors alike
 */
export function createRequireExperiment(
  database: Queryable,
  redirects: Pick<RedirectService, 'requireOwned'>,
) {
  return async (ruleId: string, userId: string): Promise<OwnedExperiment> => {
    const rule = await requireRule(database, ruleId);
    const redirect = await redirects.requireOwned(rule.redirectId, userId);
    const definition = definitionOf(rule.action);
    if (definition !== undefined) return { rule, redirect, definition };
    const reason =
      rule.action.type === 'redirect' ? 'sends everybody to one destination' : 'takes 100 % of the visitors';
    throw new AppError('VALIDATION_ERROR', {
      field: 'ruleId',
      message: `The rule ${rule.name} is no experiment: it ${reason}. Accepted are rules with the action ab_test, and percentage_redirect below 100 %.`,
    });
  };
}

export type RequireExperiment = ReturnType<typeof createRequireExperiment>;
