import { readUrl } from '../../shared/process/read-url.js';
import type { RuleOutcome } from '../../shared/rules/rule-matcher.js';
import { atThisTime, type CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import { decideByPath } from '../../shared/ruleset/decide-by-path.js';
import { hostOfPlainDestination, splitDestination } from '../../shared/ruleset/destination-parts.js';
import { isWildcard, normalizeHost } from '../../shared/ruleset/host-name.js';
import { PathRoute } from '../../shared/ruleset/path-route.js';
import { requestedUrl, requestKey, significantPort } from '../../shared/ruleset/requested-url.js';
import type { Route } from '../../shared/ruleset/route.js';
import type { RulesetTable, ServedRedirect } from '../sync/ruleset-table.js';
import type { RequestTexts } from '../visitor/request-texts.js';
import { RequestVisitor, type VisitorSources } from '../visitor/request-visitor.js';

/** Maximum redirects that browsers follow (Fetch standard, "HTTP-redirect fetch"). */
const MAX_REDIRECTS = 20;
/** Maximum rule outcomes that one search passes before it stops. The last redirect may exceed it. */
const MAX_OUTCOMES = 1_000;

/** The next destination of a visitor. */
export interface NextStep {
  readonly location: string;
  readonly hostHeader: string;
  /** Whether the same visitor gets the same outcome on the next request. */
  readonly isLasting: boolean;
}

/** Looks ahead, in memory, along the redirects of this service. Counts nothing and sets no cookie. */
export interface RedirectChain {
  /**
   * Returns whether the destination of a wildcard redirect or of a redirect with rules is a host served here. Costs one
   * comparison where it does not. Exact hosts without rules need no check: the API refuses loops of those alone. Every
   * other loop contains a redirect with rules, a wildcard, or one that has ended or is disabled with a fallback. Those
   * are checked.
   */
  staysHere(served: ServedRedirect, outcome: RuleOutcome | undefined, location: string): boolean;
  /** Returns whether a location is on a host served here. */
  leadsHere(location: string): boolean;
  /**
   * Returns whether the visitor is certain to return to the requested URL, or to need more redirects than browsers follow.
   * Returns false when a choice on the way is drawn for each request or depends on a cookie of another host: then
   * nothing is certain. Also returns false for a loop that does not contain the requested URL: the URLs in that loop
   * answer 508 themselves.
   */
  isEndless(step: NextStep): boolean;
}

export interface RedirectChainDeps {
  readonly table: Pick<RulesetTable, 'hostGeneration' | 'serves' | 'find' | 'findWildcard'>;
  /** The request that is being answered. */
  readonly request: RequestTexts;
  readonly visitorSources: VisitorSources;
}

export function createRedirectChain({ table, request, visitorSources }: RedirectChainDeps): RedirectChain {
  const texts = new FollowedTexts(request);
  const random = () => {
    texts.isGuess = true;
    return 0;
  };
  const followed: Followed = {
    table,
    texts,
    visitor: new RequestVisitor(texts, { ...visitorSources, random }),
    nowMs: visitorSources.nowMs ?? Date.now,
    pathRoute: new PathRoute(),
    outcomes: 0,
  };
  return {
    staysHere({ leadsElsewhere }, outcome, location) {
      const place = outcome === undefined ? 0 : outcome.index + 1;
      const { hostGeneration } = table;
      if (leadsElsewhere[place] === hostGeneration) return false;
      if (table.serves(hostOf(location))) return true;
      leadsElsewhere[place] = hostGeneration;
      return false;
    },
    leadsHere: (location) => table.serves(hostOf(location)),
    isEndless: (step) => isEndless(followed, request, step),
  };
}

/** The state of a search. Every search uses the same objects. */
interface Followed {
  readonly table: RedirectChainDeps['table'];
  readonly texts: FollowedTexts;
  readonly visitor: RequestVisitor;
  readonly nowMs: () => number;
  readonly pathRoute: PathRoute;
  /** Rule outcomes of the redirects passed so far. */
  outcomes: number;
}

function isEndless(followed: Followed, request: RequestTexts, { location, hostHeader, isLasting }: NextStep) {
  const start = requestedUrl(hostHeader, request.path(), request.query());
  if (start === undefined) return false;
  followed.outcomes = 0;
  followed.texts.cookieHost = normalizeHost(start.hostname);
  const startPort = significantPort(start);
  const passed = [requestKey(start)];
  let next: string | undefined = location;
  for (let redirects = 1; redirects <= MAX_REDIRECTS; redirects += 1) {
    const url = readUrl(next);
    // Another port may be another server.
    if (url === undefined || significantPort(url) !== startPort) return false;
    const key = requestKey(url);
    const place = passed.indexOf(key);
    if (place !== -1) return place === 0 && isLasting;
    passed.push(key);
    next = locationAfter(followed, url);
    if (next === undefined) return false;
  }
  return true;
}

/** Returns where a request for `url` is redirected; undefined when it is not redirected here, or not for certain. */
function locationAfter(followed: Followed, url: URL): string | undefined {
  const { table, texts, visitor } = followed;
  const host = normalizeHost(url.hostname);
  const served = isWildcard(host) ? undefined : (table.find(host) ?? table.findWildcard(host));
  if (served === undefined) return undefined;
  const redirect = atThisTime(served.redirect, followed.nowMs);
  if (typeof redirect === 'string') return undefined;
  texts.ask(host, url);
  const { matcher } = redirect;
  let outcome: RuleOutcome | undefined;
  if (matcher !== undefined) {
    if (followed.outcomes > MAX_OUTCOMES) return undefined;
    followed.outcomes += matcher.outcomes.length;
    visitor.forget();
    outcome = matcher.decide(visitor);
    if (texts.isGuess || matcher.givenUpOn !== undefined) return undefined;
  }
  return routeAfter(followed, served, redirect, outcome)?.location(texts.path(), texts.query(), host);
}

/** Returns the route of a redirect or of its table; undefined where the table answers with 404 or 410. */
function routeAfter(
  { texts, pathRoute }: Followed,
  { pages }: ServedRedirect,
  redirect: CompiledRedirect,
  outcome: RuleOutcome | undefined,
): Route | undefined {
  const own = redirect.routeOf(outcome);
  if (redirect.paths === undefined || outcome?.target !== undefined) return own;
  const question = { path: texts.path(), readQuery: () => texts.query(), host: texts.askedHost };
  const decided = decideByPath(redirect.paths, pages, question, pathRoute) ?? own;
  return typeof decided === 'string' ? undefined : decided;
}

/** The next request of a client that follows a redirect. Only path, query and cookies differ from the first request. */
class FollowedTexts implements RequestTexts {
  /** The host whose cookies are in the request. Clients have others for other hosts. */
  cookieHost = '';
  /** Whether the decision used something that cannot be known in advance. */
  isGuess = false;
  /** Normalised. */
  askedHost = '';
  private asked = new URL('http://host');

  constructor(private readonly request: RequestTexts) {}

  ask(host: string, url: URL): void {
    this.askedHost = host;
    this.asked = url;
    this.isGuess = false;
  }

  path(): string {
    return this.asked.pathname;
  }

  query(): string {
    return this.asked.search.slice(1);
  }

  cookies(): string {
    if (this.askedHost === this.cookieHost) return this.request.cookies();
    this.isGuess = true;
    return '';
  }

  userAgent(): string {
    return this.request.userAgent();
  }

  // Clients keep the referrer of the first request (Fetch standard).
  referrer(): string {
    return this.request.referrer();
  }

  acceptLanguage(): string {
    return this.request.acceptLanguage();
  }

  address(): string {
    return this.request.address();
  }
}

function hostOf(location: string): string {
  return hostOfPlainDestination(location) ?? splitDestination(location).host;
}
