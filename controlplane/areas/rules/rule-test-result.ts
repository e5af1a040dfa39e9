import type { Attribute } from '../../../shared/rules/attributes.js';
import type { RedirectStatusCode } from '../../../shared/rules/redirect-status.js';
import type { RuleOutcome } from '../../../shared/rules/rule-matcher.js';
import type { Rule } from './rule.js';
import { LOOP_STATUS_CODE, type RuleTestResult, type UserAttributes } from './rule-test-schema.js';

/** Destination of a tested visitor. */
export interface TestedWay {
  /** Undefined when no rule matches. */
  readonly outcome: RuleOutcome | undefined;
  readonly url: string;
  /** Status code of the redirect to `url`. */
  readonly statusCode: RedirectStatusCode;
  /** Whether `url` is the requested URL, which data planes do not redirect to. */
  readonly isLoop: boolean;
  /** Attribute that is too long for all rules. Data planes refuse such a visitor. */
  readonly givenUpOn: Attribute | undefined;
}

/** Facts about the rule that decided; null if none did. */
export function resultOf(
  way: TestedWay,
  rules: readonly Rule[],
  userAttributes: UserAttributes,
): RuleTestResult | null {
  const rule = rules.find(({ id }) => id === way.outcome?.ruleId);
  if (way.outcome === undefined || rule === undefined) return null;
  const { action } = rule;
  return {
    url: way.url,
    statusCode: way.isLoop ? LOOP_STATUS_CODE : way.statusCode,
    ruleId: rule.id,
    ruleName: rule.name,
    actionType: action.type,
    ...(action.type === 'percentage_redirect' && { percentage: action.percentage }),
    ...(action.type === 'ab_test' && { variant: way.outcome.variant }),
    triggered: way.outcome.target !== undefined,
    userAttributes,
    message: matchMessage(rule, way.outcome, way),
  };
}

export function defaultMessage(way: TestedWay): string {
  if (way.givenUpOn !== undefined) {
    return `${way.givenUpOn} is too long for so many rules to be judged by: real visitors would be refused, with the status 414 or 431.`;
  }
  return `No active rule matches. The redirect's own destination applies: ${end(way)}`;
}

function matchMessage({ name, action }: Rule, { variant, target }: RuleOutcome, way: TestedWay): string {
  switch (action.type) {
    case 'redirect':
      return `Rule "${name}" redirects this visitor to ${end(way)}`;
    case 'percentage_redirect':
      return target === undefined
        ? `Rule "${name}" matches, but this visitor is outside its ${action.percentage} %. The redirect's own destination applies: ${end(way)}`
        : `Rule "${name}" redirects this visitor, who is within its ${action.percentage} %, to ${end(way)}`;
    case 'ab_test':
      return `Rule "${name}" gives this visitor the variant "${variant}": ${end(way)}`;
  }
}

function end({ url, isLoop }: TestedWay): string {
  return isLoop ? `${url}. That is the URL asked for: real visitors would get the status 508.` : `${url}.`;
}
