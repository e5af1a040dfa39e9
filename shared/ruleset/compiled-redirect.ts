import { compileRules } from '../rules/compile-rules.js';
import type { SharedIndexes } from '../rules/index/shared-indexes.js';
import type { RedirectStatusCode } from '../rules/redirect-status.js';
import type { RegexGuard } from '../rules/regex-guard.js';
import type { RuleTarget } from '../rules/rule-definition.js';
import type { RuleMatcher, RuleOutcome } from '../rules/rule-matcher.js';
import {
  cutPlainDestination,
  hostOfPlainDestination,
  type LocationParts,
  splitDestination,
} from './destination-parts.js';
import { plainAnswer, type RedirectAnswer, uncachedAnswer } from './redirect-answer.js';
import {
  DEFAULT_CACHE_SECONDS,
  type QueryRecording,
  type RedirectDefinition,
  type RedirectType,
} from './redirect-definition.js';
import { compileRoute, DestinationRoute, type Route } from './route.js';

/**
 * A redirect prepared for answering: everything that does not depend on the request is computed. Immutable, except for
 * what it and its matcher cache.
 */
export interface CompiledRedirect {
  readonly id: string;
  readonly host: string;
  /** Share of requests whose hit is recorded, 0 to 1. */
  readonly samplingRate: number;
  /** Days that its hits are kept; 0 for ever. */
  readonly retentionDays: number;
  /** What its hits record of queries. */
  readonly queryRecording: QueryRecording;
  /** Decides between the rules; undefined when there are none. */
  readonly matcher: RuleMatcher | undefined;
  /**
   * Returns the route for an outcome of `matcher`.
   *
   * @param outcome undefined for the redirect's own destination
   */
  routeOf(outcome: RuleOutcome | undefined): Route;
}

const STATUS_CODES: Readonly<Record<RedirectType, RedirectStatusCode>> = { permanent: 301, temporary: 302 };

/**
 * Prepares `definition` for answering. Never throws.
 *
 * @param guard bounds the time that the regexes of its rules take
 * @param indexes shared with other redirects, if any
 */
export function compileRedirect(
  definition: RedirectDefinition,
  guard: RegexGuard,
  indexes?: SharedIndexes,
): CompiledRedirect {
  const parts = splitDestination(definition.destination);
  const matcher = matcherOf(definition, guard, indexes);
  return new RoutedRedirect(definition, parts, parts.host === definition.host, matcher);
}

/** Returns whether `compilePlainRedirect` takes a definition. It takes most definitions without rules. */
export function isPlainRedirect({ host, destination, rules }: RedirectDefinition): boolean {
  if (rules !== undefined) return false;
  const destinationHost = hostOfPlainDestination(destination);
  return destinationHost !== undefined && destinationHost !== host;
}

/** Does the same as `compileRedirect` in less time, for a definition that `isPlainRedirect` accepts. */
export function compilePlainRedirect(definition: RedirectDefinition): CompiledRedirect {
  return new RoutedRedirect(definition, cutPlainDestination(definition.destination), false, undefined);
}

function matcherOf(
  { id, rules = [] }: RedirectDefinition,
  guard: RegexGuard,
  indexes: SharedIndexes | undefined,
): RuleMatcher | undefined {
  return rules.length === 0 ? undefined : compileRules(rules, guard.ofRedirect(id), indexes);
}

/** How the redirect answers with its own destination. Rules decide by visitor and time, so no cache may stand in. */
function answerOf(
  { redirectType, cacheSeconds = DEFAULT_CACHE_SECONDS }: RedirectDefinition,
  matcher: RuleMatcher | undefined,
): RedirectAnswer {
  const statusCode = STATUS_CODES[redirectType];
  return matcher === undefined ? plainAnswer(statusCode, cacheSeconds) : uncachedAnswer(statusCode);
}

/** A redirect is also the route to its own destination; location.ts says why. */
class RoutedRedirect extends DestinationRoute implements CompiledRedirect {
  readonly id: string;
  readonly host: string;
  readonly samplingRate: number;
  readonly retentionDays: number;
  readonly queryRecording: QueryRecording;
  /**
   * The routes taken so far, by `RuleOutcome.index`. Preparing all of them took a sixth of the time to compile ten rules,
   * and many redirects are compiled for a single visitor.
   */
  private readonly ruleRoutes: (Route | undefined)[] | undefined;

  constructor(
    definition: RedirectDefinition,
    parts: LocationParts,
    mayLoop: boolean,
    readonly matcher: RuleMatcher | undefined,
  ) {
    super(parts, definition, mayLoop, answerOf(definition, matcher));
    this.id = definition.id;
    this.host = definition.host;
    this.samplingRate = definition.samplingRate;
    this.retentionDays = definition.retentionDays ?? 0;
    this.queryRecording = definition.queryRecording ?? 'full';
    this.ruleRoutes = matcher === undefined ? undefined : new Array(matcher.outcomes.length).fill(undefined);
  }

  routeOf(outcome: RuleOutcome | undefined): Route {
    if (outcome?.target === undefined || this.ruleRoutes === undefined) return this;
    const known = this.ruleRoutes[outcome.index];
    if (known !== undefined) return known;
    const route = this.routeTo(outcome.target, outcome.statusCode);
    this.ruleRoutes[outcome.index] = route;
    return route;
  }

  private routeTo(target: RuleTarget, statusCode: RedirectStatusCode = this.statusCode): Route {
    const forwarding = {
      pathForwarding: target.pathForwarding ?? this.pathForwarding,
      queryForwarding: target.queryForwarding ?? this.queryForwarding,
    };
    return compileRoute(this.host, target.url, forwarding, uncachedAnswer(statusCode));
  }
}
