import { servesHost } from '../paths/publish-table.js';
import { compileRules } from '../rules/compile-rules.js';
import type { SharedIndexes } from '../rules/index/shared-indexes.js';
import type { RedirectStatusCode } from '../rules/redirect-status.js';
import type { RegexGuard } from '../rules/regex-guard.js';
import type { RuleTarget } from '../rules/rule-definition.js';
import type { RuleMatcher, RuleOutcome } from '../rules/rule-matcher.js';
import { AppendedQuery } from './appended-query.js';
import { compileRoute } from './compile-route.js';
import {
  cutPlainDestination,
  hostOfPlainDestination,
  type LocationParts,
  splitDestination,
} from './destination-parts.js';
import { type HttpsPolicy, httpsPolicyOf } from './https-policy.js';
import { hasLabels } from './labelled-route.js';
import type { Forwarding } from './location.js';
import { hasOptions } from './option-fields.js';
import { type CompiledPaths, compilePaths } from './path-route.js';
import {
  answerWithHeaders,
  plainAnswer,
  type RedirectAnswer,
  SECURE_ONLY,
  uncachedAnswer,
} from './redirect-answer.js';
import {
  DEFAULT_CACHE_SECONDS,
  type QueryRecording,
  type RedirectDefinition,
  type RedirectType,
} from './redirect-definition.js';
import { type Closed, createSchedule, hasSchedule, type RedirectSchedule } from './redirect-schedule.js';
import { DestinationRoute, type Route } from './route.js';

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
  const mayLoop = servesHost(definition.host, parts.host);
  const matcher = matcherOf(definition, guard, indexes);
  if (hasAnswerOptions(definition)) return compileOptioned(definition, parts, mayLoop, matcher);
  return new CompiledRedirect(definition, parts, mayLoop, matcher, answerOf(definition, matcher));
}

/** Returns whether `compilePlainRedirect` takes a definition. It takes most definitions without rules and options. */
export function isPlainRedirect(definition: RedirectDefinition): boolean {
  const { host, destination, rules } = definition;
  if (rules !== undefined || hasOptions(definition) || hasLabels(host, destination)) return false;
  const destinationHost = hostOfPlainDestination(destination);
  return destinationHost !== undefined && !servesHost(host, destinationHost);
}

/** Does the same as `compileRedirect` in less time, for a definition that `isPlainRedirect` accepts. */
export function compilePlainRedirect(definition: RedirectDefinition): CompiledRedirect {
  const parts = cutPlainDestination(definition.destination);
  return new CompiledRedirect(definition, parts, false, undefined, answerOf(definition, undefined));
}

/**
 * Returns the answer of a redirect at a time: itself, another one, or none.
 *
 * @param nowMs called only for redirects with a schedule
 */
export function atThisTime(redirect: CompiledRedirect, nowMs: () => number): CompiledRedirect | Closed {
  const { schedule } = redirect;
  return schedule === undefined ? redirect : schedule.at(nowMs());
}

function matcherOf(
  { id, rules = [] }: RedirectDefinition,
  guard: RegexGuard,
  indexes: SharedIndexes | undefined,
): RuleMatcher | undefined {
  return rules.length === 0 ? undefined : compileRules(rules, guard.ofRedirect(id), indexes);
}

/**
 * Returns the answer with the redirect's own destination. With rules it is not cacheable, because they decide by
 * visitor and time.
 */
function answerOf(
  { redirectType, cacheSeconds = DEFAULT_CACHE_SECONDS }: RedirectDefinition,
  matcher: RuleMatcher | undefined,
): RedirectAnswer {
  const statusCode = STATUS_CODES[redirectType];
  return matcher === undefined ? plainAnswer(statusCode, cacheSeconds) : uncachedAnswer(statusCode);
}

/** Returns whether an option changes the answers to visitors of the redirect. */
function hasAnswerOptions(definition: RedirectDefinition): boolean {
  const { host, destination, statusCode, responseHeaders, appendQuery, clickIdParam, paths } = definition;
  if (hasLabels(host, destination)) return true;
  const hasOption = statusCode !== undefined || responseHeaders !== undefined || appendQuery !== undefined;
  return hasOption || clickIdParam !== undefined || paths !== undefined || hasSchedule(definition);
}

/** Compiles a redirect that `hasAnswerOptions` accepts. */
function compileOptioned(
  definition: RedirectDefinition,
  parts: LocationParts,
  mayLoop: boolean,
  matcher: RuleMatcher | undefined,
): CompiledRedirect {
  const { cacheSeconds = DEFAULT_CACHE_SECONDS } = definition;
  const compile = (seconds: number) => new OptionedRedirect(definition, parts, mayLoop, matcher, seconds);
  const open = compile(cacheSeconds);
  if (hasSchedule(definition)) {
    open.follow(
      createSchedule<CompiledRedirect>(definition, cacheSeconds, {
        open,
        closing: () => compile(0),
        redirectTo: (url) => new EndedRedirect(definition, url),
      }),
    );
  }
  return open;
}

const NOTHING_FORWARDED = { pathForwarding: false, queryForwarding: false };

/**
 * A redirect prepared for answering: everything that does not depend on the request is computed. Immutable, except for
 * its caches and those of its matcher. It is also the route to its own destination; location.ts explains why.
 */
export class CompiledRedirect extends DestinationRoute {
  readonly id: string;
  readonly host: string;
  /** Share of requests whose hit is recorded, 0 to 1. */
  readonly samplingRate: number;
  /** Days for which its hits are kept; 0 for unlimited. */
  readonly retentionDays: number;
  /** Part of the query that its hits record. */
  readonly queryRecording: QueryRecording;
  /** Undefined if HTTPS has no options. */
  readonly https: HttpsPolicy | undefined;
  /**
   * The routes that were used so far, by `RuleOutcome.index`. Preparing all of them took a sixth of the time to compile
   * ten rules, and many redirects are compiled for a single visitor.
   */
  private readonly ruleRoutes: (Route | undefined)[] | undefined;

  constructor(
    definition: RedirectDefinition,
    parts: LocationParts,
    mayLoop: boolean,
    /** Decides between the rules; undefined if there are none. */
    readonly matcher: RuleMatcher | undefined,
    answer: RedirectAnswer,
  ) {
    super(parts, definition, mayLoop, answer);
    this.id = definition.id;
    this.host = definition.host;
    this.samplingRate = definition.samplingRate;
    this.retentionDays = definition.retentionDays ?? 0;
    this.queryRecording = definition.queryRecording ?? 'full';
    this.https = httpsPolicyOf(definition);
    this.ruleRoutes = matcher === undefined ? undefined : new Array(matcher.outcomes.length).fill(undefined);
  }

  /** Selects the answer by time; undefined when the answer is the same at any time. */
  get schedule(): RedirectSchedule<CompiledRedirect> | undefined {
    return undefined;
  }

  /** Whether this is the answer of another redirect after its end. */
  get hasEnded(): boolean {
    return false;
  }

  /** Path table, which decides if no rule gives a destination; undefined if there is none. */
  get paths(): CompiledPaths | undefined {
    return undefined;
  }

  /** Strict-Transport-Security of answers over HTTPS; undefined for none. */
  get strictTransportSecurity(): string | undefined {
    return undefined;
  }

  /** Name of the query parameter that gets an id of each visit; undefined for none. */
  get clickIdParam(): string | undefined {
    return undefined;
  }

  /**
   * Returns the route for an outcome of `matcher`.
   *
   * @param outcome undefined for the redirect's own destination
   */
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
    return this.compileTarget(target.url, forwarding, statusCode);
  }

  protected compileTarget(url: string, forwarding: Forwarding, statusCode: RedirectStatusCode): Route {
    return compileRoute(this.host, url, forwarding, uncachedAnswer(statusCode));
  }
}

/** A redirect after its end. Its URL uses nothing from the request except labels of the host. */
class EndedRedirect extends CompiledRedirect {
  private readonly own: Route;

  constructor(definition: RedirectDefinition, url: string) {
    const { host } = definition;
    const parts = splitDestination(url);
    const answer = uncachedAnswer(302);
    super({ ...definition, ...NOTHING_FORWARDED }, parts, servesHost(host, parts.host), undefined, answer);
    this.own = hasLabels(host, url) ? compileRoute(host, url, NOTHING_FORWARDED, answer) : this;
  }

  override get hasEnded(): boolean {
    return true;
  }

  override routeOf(): Route {
    return this.own;
  }
}

/** A redirect with options. This is a separate class, so other redirects have neither its members nor its checks. */
class OptionedRedirect extends CompiledRedirect {
  private readonly headers: Readonly<Record<string, string>>;
  private readonly appended: AppendedQuery | undefined;
  private readonly own: Route;
  private readonly table: CompiledPaths | undefined;
  private readonly clickParam: string | undefined;
  private followed: RedirectSchedule<CompiledRedirect> | undefined;

  constructor(
    definition: RedirectDefinition,
    parts: LocationParts,
    mayLoop: boolean,
    matcher: RuleMatcher | undefined,
    cacheSeconds: number,
  ) {
    const { redirectType, statusCode = STATUS_CODES[redirectType], appendQuery, clickIdParam } = definition;
    const headers = cacheHeadersOf(definition);
    // Rules depend on visitor and time, and a click id belongs to one visit, so no cache may keep the answer.
    const differs = matcher !== undefined || clickIdParam !== undefined;
    const answer = answerWithHeaders(statusCode, cacheSeconds, headers, differs);
    super(definition, parts, mayLoop, matcher, answer);
    this.headers = headers;
    this.clickParam = clickIdParam;
    this.appended = appendQuery === undefined ? undefined : new AppendedQuery(appendQuery);
    const { host, destination, paths, notFound } = definition;
    this.own =
      this.appended === undefined && !hasLabels(host, destination)
        ? this
        : compileRoute(host, destination, definition, answer, this.appended);
    if (paths === undefined) return;
    // The URL uses nothing from the request or the options.
    const missing = notFound && compileRoute(host, notFound.url, NOTHING_FORWARDED, uncachedAnswer(302));
    const answerFor = (code: RedirectStatusCode) => answerWithHeaders(code, cacheSeconds, headers, differs);
    const answers = { 301: answerFor(301), 302: answerFor(302), 307: answerFor(307), 308: answerFor(308) };
    this.table = compilePaths(paths, definition, mayLoop, this.appended, answers, missing);
  }

  override get paths(): CompiledPaths | undefined {
    return this.table;
  }

  override get schedule(): RedirectSchedule<CompiledRedirect> | undefined {
    return this.followed;
  }

  override get strictTransportSecurity(): string | undefined {
    return this.headers[SECURE_ONLY];
  }

  override get clickIdParam(): string | undefined {
    return this.clickParam;
  }

  follow(schedule: RedirectSchedule<CompiledRedirect>): void {
    this.followed = schedule;
  }

  override routeOf(outcome: RuleOutcome | undefined): Route {
    return outcome?.target === undefined ? this.own : super.routeOf(outcome);
  }

  protected override compileTarget(
    url: string,
    forwarding: Forwarding,
    statusCode: RedirectStatusCode,
  ): Route {
    const answer = answerWithHeaders(statusCode, 0, this.headers, true);
    return compileRoute(this.host, url, forwarding, answer, this.appended);
  }
}

/** Headers of the owner. Their `Cache-Control` could outlast the end of the redirect, so it is ignored then. */
function cacheHeadersOf({
  responseHeaders = {},
  endsAt,
}: RedirectDefinition): Readonly<Record<string, string>> {
  if (endsAt === undefined) return responseHeaders;
  const { 'Cache-Control': _, ...others } = responseHeaders;
  return others;
}
