import { explainRules } from '../../../shared/rules/explain-rules.js';
import type { RegexAllowance, RegexGuard } from '../../../shared/rules/regex-guard.js';
import type { RuleDefinition } from '../../../shared/rules/rule-definition.js';
import type { Visitor } from '../../../shared/rules/visitor.js';
import type { CompiledRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import { ruleDefinitionOf } from '../../publishing/rule-definitions.js';
import { decidingDefinition, type Redirect, type RedirectService } from '../redirects/public.js';
import type { Rule, RuleStatus } from './rule.js';
import type { RuleService } from './rule-service.js';
import { type DescribedVisitor, describedVisitor } from './rule-test-input.js';
import { defaultMessage, resultOf, type TestedWay } from './rule-test-result.js';
import type { ExplainedRule, RuleTestAnswer, RuleTestRequest } from './rule-test-schema.js';
import { createTestedVisitor, type VisitorInsight } from './rule-test-visitor.js';
import { createTestedRedirects } from './tested-redirects.js';

export interface RuleTestServiceDeps {
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  readonly rules: Pick<RuleService, 'list'>;
  readonly insight: VisitorInsight;
  readonly guard: RegexGuard;
  readonly clock?: () => Date;
}

/** Tests the rules of a redirect on a visitor. Redirects nobody and counts nothing. */
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
      return answer(redirect, await deps.rules.list(userId, redirectId), request, liveRedirectOf);
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
