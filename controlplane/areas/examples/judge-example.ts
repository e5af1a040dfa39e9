import { explainRules } from '../../../shared/rules/explain-rules.js';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import type { RuleCondition } from '../../../shared/rules/rule-definition.js';
import { ruleDefinitionOf } from '../../publishing/rule-definitions.js';
import type { Rule } from '../rules/public.js';
import { type Answer, answersTo } from './answer-visit.js';
import type { AnswerReason, Example, Expectation } from './example-schema.js';
import type { ServedState } from './served-state.js';
import type { Visit } from './visit.js';

/** An example with the answers to its visit. */
export interface JudgedExample {
  readonly example: Example;
  readonly visit: Visit;
  readonly passes: boolean;
  readonly received: readonly Answer[];
}

/** Maximum length of a location in a message. */
const MAX_SHOWN_LENGTH = 300;

/** Judges an example. It passes if one of the possible answers to its visit meets the whole expectation. */
export function judge(state: ServedState, example: Example, visit: Visit): JudgedExample {
  const received = answersTo(state, visit);
  return {
    example,
    visit,
    passes: received.some((answer) => meets(state, example.expect, answer)),
    received,
  };
}

function meets(
  state: ServedState,
  { statusCode, location, ruleName, noMatch }: Expectation,
  answer: Answer,
): boolean {
  return (
    (statusCode === undefined || statusCode === answer.statusCode) &&
    (location === undefined || location === answer.location) &&
    (ruleName === undefined || ruleName === state.rules.get(answer.ruleId)?.name) &&
    (noMatch === undefined || (answer.ruleId === 0 && answer.entryId === 0))
  );
}

/** Explains a failed example: the expectation, the actual answer, and the reason. */
export function explainFailure(state: ServedState, { example, visit, received }: JudgedExample): string {
  const answers = received.map((answer) => `${answerText(answer)} (${reasonText(state, answer)})`);
  const hint = expectedRuleText(state, example.expect, visit, received);
  return `Expected ${expectationText(example.expect)}, received ${answers.join(', or ')}.${hint}`;
}

function expectationText({ statusCode, location, ruleName, noMatch }: Expectation): string {
  const parts = [
    ...(statusCode === undefined ? [] : [String(statusCode)]),
    ...(location === undefined ? [] : [shortened(location)]),
    ...(ruleName === undefined ? [] : [`the rule ${JSON.stringify(ruleName)}`]),
    ...(noMatch === undefined ? [] : ['no rule and no path']),
  ];
  return parts.join(' with ');
}

/** Shortens a location for messages. */
function shortened(location: string): string {
  return location.length > MAX_SHOWN_LENGTH ? `${location.slice(0, MAX_SHOWN_LENGTH)}…` : location;
}

function answerText({ statusCode, location }: Answer): string {
  return location === null ? String(statusCode) : `${statusCode} ${shortened(location)}`;
}

const REASON_TEXTS: Readonly<Record<Exclude<AnswerReason, 'rule'>, string>> = {
  path: 'a path of the table',
  destination: 'the destination of the redirect',
  not_found: 'no path matches, and unmatched is not_found',
  gone: 'no path matches, and unmatched is gone',
  disabled: 'the redirect is disabled',
  not_started: 'the redirect has not started at that time',
  ended: 'the redirect has ended at that time',
  https: 'httpsMode of the redirect',
  method: 'the method is not allowed',
  too_long: 'the request is too long for the rules',
};

function reasonText(state: ServedState, answer: Answer): string {
  const rule = state.rules.get(answer.ruleId);
  const by = rule && `the rule ${JSON.stringify(rule.name)}`;
  if (answer.reason === 'rule') return `${by}${answer.variant && `, variant ${answer.variant}`}`;
  const text = REASON_TEXTS[answer.reason];
  return by === undefined ? text : `outside the percentage of ${by}: ${text}`;
}

/** Explains why the expected rule does not decide; empty without a known reason. */
function expectedRuleText(
  state: ServedState,
  expect: Expectation,
  visit: Visit,
  received: readonly Answer[],
): string {
  const rule = expectedRule(state, expect, visit);
  if (rule === undefined) {
    const { ruleName } = expect;
    return ruleName === undefined ? '' : ` There is no rule ${JSON.stringify(ruleName)}.`;
  }
  if (received.some(({ ruleId }) => ruleId === rule.id)) return '';
  return ` The rule ${JSON.stringify(rule.name)} ${whyNot(rule, visit)}.`;
}

/** Returns the rule with the expected name, otherwise the first one that redirects to the expected location. */
function expectedRule(
  { compiled, rules }: ServedState,
  { ruleName, location }: Expectation,
  { path, query, host }: Visit,
): Rule | undefined {
  if (ruleName !== undefined) return [...rules.values()].find(({ name }) => name === ruleName);
  if (location === undefined) return undefined;
  const outcome = compiled.matcher?.outcomes.find(
    (one) => one.target !== undefined && compiled.routeOf(one).location(path, query, host) === location,
  );
  return outcome && rules.get(outcome.ruleId);
}

function whyNot(rule: Rule, { visitor, nowMs }: Visit): string {
  if (rule.status !== 'active') return `is ${rule.status === 'draft' ? 'a draft' : 'inactive'}`;
  const allowance = createRegexGuard().allowance();
  const [explained] = explainRules([ruleDefinitionOf(rule)], visitor, nowMs, allowance);
  switch (explained?.outcome) {
    case 'not_started':
      return 'has not started at that time';
    case 'ended':
      return 'has ended at that time';
    case 'not_matched': {
      const condition = rule.conditions[explained.decidedBy ?? -1];
      return condition === undefined
        ? 'does not match: none of its conditions holds'
        : `does not match: its condition ${explained.decidedBy} does not hold (${conditionText(condition)})`;
    }
    default:
      return 'matches, and something before it decides';
  }
}

function conditionText({ attribute, param, operator, value }: RuleCondition): string {
  const what = param === undefined ? attribute : `${attribute} ${param}`;
  return value === undefined ? `${what} ${operator}` : `${what} ${operator} ${JSON.stringify(value)}`;
}
