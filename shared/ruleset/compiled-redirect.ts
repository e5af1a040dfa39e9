import { compileRules } from '../rules/compile-rules.js';
import type { RegexGuard } from '../rules/regex-guard.js';
import type { RuleTarget } from '../rules/rule-definition.js';
import type { RuleMatcher, RuleOutcome } from '../rules/rule-matcher.js';
import type { RedirectDefinition, RedirectType } from './redirect-definition.js';
import { compileRoute, type Route } from './route.js';

/** What the answer says besides its location. */
interface Answer {
  readonly statusCode: 301 | 302;
  readonly statusLine: '301 Moved Permanently' | '302 Found';
  readonly cacheControl: 'public, max-age=300' | 'no-store';
}

/**
 * A redirect prepared for answering: everything that does not depend on the request is worked out. Immutable, but
 * for what its matcher remembers.
 */
export interface CompiledRedirect extends Answer {
  readonly id: string;
  readonly host: string;
  /** Share of requests whose hit is recorded, 0 to 1. */
  readonly samplingRate: number;
  /** Days that its hits are kept; 0 is for ever. */
  readonly retentionDays: number;
  /** Decides between the rules; undefined when there are none. */
  readonly matcher: RuleMatcher | undefined;
  /**
   * The way to take.
   *
   * @param outcome what `matcher` has decided; undefined leads to the redirect's own destination
   */
  routeOf(outcome: RuleOutcome | undefined): Route;
}

const ANSWERS: Readonly<Record<RedirectType, Answer>> = {
  permanent: {
    statusCode: 301,
    statusLine: '301 Moved Permanently',
    cacheControl: 'public, max-age=300',
  },
  temporary: { statusCode: 302, statusLine: '302 Found', cacheControl: 'no-store' },
};

/**
 * Prepares `definition` for answering. Never throws.
 *
 * @param guard bounds the time that the regexes of its rules take
 */
export function compileRedirect(definition: RedirectDefinition, guard: RegexGuard): CompiledRedirect {
  return new RoutedRedirect(definition, matcherOf(definition, guard));
}

function matcherOf({ rules = [] }: RedirectDefinition, guard: RegexGuard): RuleMatcher | undefined {
  return rules.length === 0 ? undefined : compileRules(rules, guard);
}

const NO_ROUTES: readonly Route[] = [];

// A class for the same reason as in location.ts: one shape and shared methods for every redirect.
class RoutedRedirect implements CompiledRedirect {
  readonly id: string;
  readonly host: string;
  readonly statusCode: Answer['statusCode'];
  readonly statusLine: Answer['statusLine'];
  readonly cacheControl: Answer['cacheControl'];
  readonly samplingRate: number;
  readonly retentionDays: number;
  private readonly ownRoute: Route;
  /** By `RuleOutcome.index`. */
  private readonly ruleRoutes: readonly Route[];

  constructor(
    definition: RedirectDefinition,
    readonly matcher: RuleMatcher | undefined,
  ) {
    const answer = ANSWERS[definition.redirectType];
    this.id = definition.id;
    this.host = definition.host;
    this.statusCode = answer.statusCode;
    this.statusLine = answer.statusLine;
    // Rules answer by visitor and time, so no cache may answer for them.
    this.cacheControl = matcher === undefined ? answer.cacheControl : 'no-store';
    this.samplingRate = definition.samplingRate;
    this.retentionDays = definition.retentionDays ?? 0;
    this.ownRoute = compileRoute(definition.host, definition.destination, definition);
    this.ruleRoutes = matcher === undefined ? NO_ROUTES : this.routesOf(matcher, definition);
  }

  routeOf(outcome: RuleOutcome | undefined): Route {
    return outcome === undefined ? this.ownRoute : (this.ruleRoutes[outcome.index] ?? this.ownRoute);
  }

  private routesOf({ outcomes }: RuleMatcher, definition: RedirectDefinition): Route[] {
    return outcomes.map(({ target }) => (target === undefined ? this.ownRoute : routeTo(target, definition)));
  }
}

function routeTo(target: RuleTarget, redirect: RedirectDefinition): Route {
  return compileRoute(redirect.host, target.url, {
    pathForwarding: target.pathForwarding ?? redirect.pathForwarding,
    queryForwarding: target.queryForwarding ?? redirect.queryForwarding,
  });
}
