import { compileRules } from '../rules/compile-rules.js';
import type { SharedIndexes } from '../rules/index/shared-indexes.js';
import type { RegexGuard } from '../rules/regex-guard.js';
import type { RuleTarget } from '../rules/rule-definition.js';
import type { RuleMatcher, RuleOutcome } from '../rules/rule-matcher.js';
import {
  cutPlainDestination,
  hostOfPlainDestination,
  type LocationParts,
  splitDestination,
} from './destination-parts.js';
import type { QueryRecording, RedirectDefinition, RedirectType } from './redirect-definition.js';
import { compileRoute, DestinationRoute, type Route } from './route.js';

/** What the answer says besides its location. */
interface Answer {
  readonly statusCode: 301 | 302;
  /**
   * The head of the answer from the status on up to the value of `Location`, which ends it: one text, so that an
   * answer is written in one piece.
   */
  readonly head: string;
}

/**
 * A redirect prepared for answering: everything that does not depend on the request is worked out. Immutable, but
 * for what it and its matcher remember.
 */
export interface CompiledRedirect extends Answer {
  readonly id: string;
  readonly host: string;
  /** Share of requests whose hit is recorded, 0 to 1. */
  readonly samplingRate: number;
  /** Days that its hits are kept; 0 is for ever. */
  readonly retentionDays: number;
  /** What its hits record of queries. */
  readonly queryRecording: QueryRecording;
  /** Decides between the rules; undefined when there are none. */
  readonly matcher: RuleMatcher | undefined;
  /**
   * The way to take.
   *
   * @param outcome what `matcher` has decided; undefined leads to the redirect's own destination
   */
  routeOf(outcome: RuleOutcome | undefined): Route;
}

const ANSWERS: Readonly<Record<RedirectType, Record<'always' | 'byRules', Answer>>> = {
  permanent: {
    always: answerOf(301, 'Moved Permanently', 'public, max-age=300'),
    // Rules answer by visitor and time, so no cache may answer for them.
    byRules: answerOf(301, 'Moved Permanently', 'no-store'),
  },
  temporary: {
    always: answerOf(302, 'Found', 'no-store'),
    byRules: answerOf(302, 'Found', 'no-store'),
  },
};

function answerOf(statusCode: Answer['statusCode'], reason: string, cacheControl: string): Answer {
  return { statusCode, head: `${statusCode} ${reason}\r\nCache-Control: ${cacheControl}\r\nLocation: ` };
}

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

/** Whether a definition is fit for `compilePlainRedirect`. Most are that have no rules. */
export function isPlainRedirect({ host, destination, rules }: RedirectDefinition): boolean {
  if (rules !== undefined) return false;
  const destinationHost = hostOfPlainDestination(destination);
  return destinationHost !== undefined && destinationHost !== host;
}

/** As `compileRedirect`, at a fraction of the time, for a definition that has passed `isPlainRedirect`. */
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

/** A redirect, which is the way to its own destination as well: see location.ts. */
class RoutedRedirect extends DestinationRoute implements CompiledRedirect {
  readonly id: string;
  readonly host: string;
  readonly statusCode: Answer['statusCode'];
  readonly head: string;
  readonly samplingRate: number;
  readonly retentionDays: number;
  readonly queryRecording: QueryRecording;
  /**
   * By `RuleOutcome.index`, those that were taken: to prepare all of them was a sixth of compiling ten rules, and many a
   * redirect is compiled for one visitor.
   */
  private readonly ruleRoutes: (Route | undefined)[] | undefined;

  constructor(
    definition: RedirectDefinition,
    parts: LocationParts,
    mayLoop: boolean,
    readonly matcher: RuleMatcher | undefined,
  ) {
    super(parts, definition, mayLoop);
    const answer = ANSWERS[definition.redirectType][matcher === undefined ? 'always' : 'byRules'];
    this.id = definition.id;
    this.host = definition.host;
    this.statusCode = answer.statusCode;
    this.head = answer.head;
    this.samplingRate = definition.samplingRate;
    this.retentionDays = definition.retentionDays ?? 0;
    this.queryRecording = definition.queryRecording ?? 'full';
    this.ruleRoutes = matcher === undefined ? undefined : new Array(matcher.outcomes.length).fill(undefined);
  }

  routeOf(outcome: RuleOutcome | undefined): Route {
    if (outcome?.target === undefined || this.ruleRoutes === undefined) return this;
    const known = this.ruleRoutes[outcome.index];
    if (known !== undefined) return known;
    const route = this.routeTo(outcome.target);
    this.ruleRoutes[outcome.index] = route;
    return route;
  }

  private routeTo(target: RuleTarget): Route {
    return compileRoute(this.host, target.url, {
      pathForwarding: target.pathForwarding ?? this.pathForwarding,
      queryForwarding: target.queryForwarding ?? this.queryForwarding,
    });
  }
}
