import { LRUCache } from 'lru-cache';
import type { Attribute, Visitor } from '../../../shared/rules/attributes.js';
import { explainRules } from '../../../shared/rules/explain-rules.js';
import type { RedirectStatusCode } from '../../../shared/rules/redirect-status.js';
import type { RegexAllowance, RegexGuard } from '../../../shared/rules/regex-guard.js';
import type { RuleDefinition } from '../../../shared/rules/rule-definition.js';
import type { RuleOutcome } from '../../../shared/rules/rule-matcher.js';
import { type CompiledRedirect, compileRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { ruleDefinitionOf } from '../../publishing/rule-definitions.js';
import { decidingDefinition, type Redirect, type RedirectService } from '../redirects/public.js';
import type { Rule, RuleStatus } from './rule.js';
import type { RuleService } from './rule-service.js';
import {
  type ExplainedRule,
  LOOP_STATUS_CODE,
  type RuleTestAnswer,
  type RuleTestRequest,
  type RuleTestResult,
  type UserAttributes,
} from './rule-test-schema.js';
import {
  createTestedVisitor,
  type DescribedVisitor,
  describedVisitor,
  type VisitorInsight,
} from './rule-test-visitor.js';

export interface RuleTestServiceDeps {
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  readonly rules: Pick<RuleService, 'list'>;
  readonly insight: VisitorInsight;
  readonly guard: RegexGuard;
  readonly clock?: () => Date;
}

/** Tests the rules of a redirect on a visitor. Sends no redirect and records nothing. */
export interface RuleTestService {
  /** @throws {AppError} NOT_FOUND, FORBIDDEN, VALIDATION_ERROR */
  test(userId: string, redirectId: string, request: RuleTestRequest): Promise<RuleTestAnswer>;
  /**
   * Tests rules that are not live.
   *
   * @param rules in the order of evaluation, with ids that are the same each time
   * @throws {AppError} VALIDATION_ERROR
   */
  testDraft(redirect: Redirect, rules: readonly Rule[], request: RuleTestRequest): RuleTestAnswer;
}

export function createRuleTestService(deps: RuleTestServiceDeps): RuleTestService {
  const { redirects, insight, guard, clock = () => new Date() } = deps;
  const liveRedirectOf = createTestedRedirects(guard);
  const draftedRedirectOf = createTestedRedirects(guard);

  function answer(
    redirect: Redirect,
    rules: readonly Rule[],
    request: RuleTestRequest,
    testedRedirectOf: typeof liveRedirectOf,
  ): RuleTestAnswer {
    const described = describedVisitor(request);
    const visitor = createTestedVisitor(described, insight, clock());
    const { userAttributes } = request;
    const { compiled, explaining } = testedRedirectOf(decidingDefinition(redirect, activeDefinitions(rules)));
    const way = wayOf(compiled, visitor, described);
    const result = resultOf(way, rules, userAttributes);
    return {
      result,
      userAttributes,
      message: result?.message ?? defaultMessage(way),
      ...(request.explain === true && { explanation: explanationOf(rules, visitor, explaining) }),
    };
  }

  return {
    async test(userId, redirectId, request) {
      const redirect = await redirects.requireOwned(redirectId, userId);
      const { rules } = await deps.rules.list(userId, redirectId);
      return answer(redirect, rules, request, liveRedirectOf);
    },
    testDraft: (redirect, rules, request) => answer(redirect, rules, request, draftedRedirectOf),
  };
}

/** Decides and composes like data planes, with the same compiled code. */
function wayOf(
  compiled: CompiledRedirect,
  visitor: Visitor,
  { attributes, query }: DescribedVisitor,
): TestedWay {
  const { matcher } = compiled;
  const outcome = matcher?.decide(visitor);
  const route = compiled.routeOf(outcome);
  const path = attributes.url_path ?? '/';
  const host = compiled.host.replace('*', 'www');
  const url = route.location(path, query, host);
  const isLoop = route.isLoop(url, host, path, query);
  return { outcome, url, statusCode: route.statusCode, isLoop, givenUpOn: matcher?.givenUpOn };
}

/** Returns every rule in order, including those that are not evaluated. */
function explanationOf(rules: readonly Rule[], visitor: Visitor, allowance: RegexAllowance): ExplainedRule[] {
  const explained = explainRules(activeDefinitions(rules), visitor, visitor.nowMs(), allowance);
  const evaluated = new Map(explained.map((rule) => [rule.ruleId, rule]));
  return rules.map(({ id, name, status }) => {
    const { outcome, conditions, decidedBy } = evaluated.get(id) ?? notEvaluated(status);
    return { ruleId: id, ruleName: name, outcome, conditions: [...conditions], decidedBy };
  });
}

function notEvaluated(status: RuleStatus) {
  return { outcome: status === 'draft' ? 'draft' : 'inactive', conditions: [], decidedBy: null } as const;
}

function activeDefinitions(rules: readonly Rule[]): RuleDefinition[] {
  return rules.filter(({ status }) => status === 'active').map(ruleDefinitionOf);
}

/** Destination of a tested visitor. */
interface TestedWay {
  /** Undefined when no rule matches. */
  readonly outcome: RuleOutcome | undefined;
  readonly url: string;
  /** Status code of the redirect to `url`. */
  readonly statusCode: RedirectStatusCode;
  /** Whether `url` is the requested URL. Data planes do not redirect to it. */
  readonly isLoop: boolean;
  /** Attribute that is too long for all rules. Data planes refuse such a visitor. */
  readonly givenUpOn: Attribute | undefined;
}

/** Facts about the rule that decided; null if none did. */
function resultOf(
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

function defaultMessage(way: TestedWay): string {
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

/** Maximum length of the kept definitions in characters. Compiled, they take a multiple of it. */
const MAX_KEPT_LENGTH = 4 * 1024 * 1024;

/** A redirect as data planes have it, and the time allowance of its regexes in explanations. */
interface TestedRedirect {
  readonly compiled: CompiledRedirect;
  readonly explaining: RegexAllowance;
}

/**
 * Compiles redirects for tests, and caches them until they change. Repeated tests therefore share one time budget for
 * regexes.
 */
export function createTestedRedirects(guard: RegexGuard): (definition: RedirectDefinition) => TestedRedirect {
  const kept = new LRUCache<string, TestedRedirect & { readonly text: string }>({
    maxSize: MAX_KEPT_LENGTH,
    sizeCalculation: ({ text }) => text.length,
  });
  return (definition) => {
    const text = JSON.stringify(definition);
    const known = kept.get(definition.id);
    if (known?.text === text) return known;
    const tested = { text, compiled: compileRedirect(definition, guard), explaining: guard.allowance() };
    kept.set(definition.id, tested);
    return tested;
  };
}
