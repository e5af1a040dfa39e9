import { DRAWN_STATUS_CODE } from '../../../shared/rules/redirect-status.js';
import type { RuleAction } from '../../../shared/rules/rule-definition.js';
import { splitDestination } from '../../../shared/ruleset/destination-parts.js';
import { AppError } from '../../errors/app-error.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect, RedirectService } from '../redirects/public.js';
import { type Rule, requireRule } from '../rules/public.js';

/** One alternative of an experiment, and its share of the visitors in percent. */
export interface Arm {
  readonly name: string;
  readonly weight: number;
}

/** Alternatives that an experiment compares while its rule stays the same. */
export interface Definition {
  /** The first one is the baseline that others are compared with. */
  readonly arms: readonly Arm[];
  /**
   * Distinguishes visitors inside a percentage from those outside; undefined for variants, because hits have their
   * names.
   */
  readonly inside: InsideShare | undefined;
  /** Equal for definitions that treat visitors in the same way. */
  readonly signature: string;
}

/** Status, and beginning of the destination, of hits inside a percentage. */
export interface InsideShare {
  readonly base: string;
  readonly statusCode: number;
}

/** Names of the arms of a percentage rule. */
export const OUT = 'out';
export const IN = 'in';

/** Hits store destinations up to a length. Shorter beginnings are compared. */
const MAX_BASE_LENGTH = 1_000;

/** Returns an action as an experiment; undefined for an action that treats all visitors the same. */
export function definitionOf(action: RuleAction): Definition | undefined {
  switch (action.type) {
    case 'redirect':
      return undefined;
    case 'ab_test':
      return {
        arms: action.variants.map(({ name, percentage }) => ({ name, weight: percentage })),
        inside: undefined,
        signature: JSON.stringify(
          action.variants.map(({ name, percentage, url }) => [name, percentage, url]),
        ),
      };
    case 'percentage_redirect':
      if (action.percentage >= 100) return undefined;
      return {
        arms: [
          { name: OUT, weight: 100 - action.percentage },
          { name: IN, weight: action.percentage },
        ],
        inside: {
          base: splitDestination(action.url).base.slice(0, MAX_BASE_LENGTH),
          statusCode: action.statusCode ?? DRAWN_STATUS_CODE,
        },
        signature: JSON.stringify([action.percentage, action.url]),
      };
  }
}

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
