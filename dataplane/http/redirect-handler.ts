import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Logger } from 'pino';
import type { RuleOutcome } from '../../shared/rules/rule-matcher.js';
import { withClickId } from '../../shared/ruleset/appended-query.js';
import { atThisTime, type CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import { decideByPath } from '../../shared/ruleset/decide-by-path.js';
import { isWildcard, normalizeHost } from '../../shared/ruleset/host-name.js';
import { createHttpsUpgrade } from '../../shared/ruleset/https-upgrade.js';
import { PathRoute } from '../../shared/ruleset/path-route.js';
import type { Closed } from '../../shared/ruleset/redirect-schedule.js';
import type { VisitorAddress } from '../../shared/visitor/visitor-address.js';
import type { RulesetTable, ServedRedirect } from '../sync/ruleset-table.js';
import { RequestVisitor, type VisitorSources } from '../visitor/request-visitor.js';
import { CurrentRequest } from './current-request.js';
import { CurrentResponse, dropUnanswered } from './current-response.js';
import type { RequestHandler } from './listener.js';
import { createRedirectChain } from './redirect-chain.js';
import type { RequestCounts, RuleCounts } from './request-counts.js';
import { routeProblem, tooLongAnswer } from './route-problem.js';
import {
  AMBIGUOUS_LENGTH,
  ENDLESS,
  GONE,
  MISDIRECTED,
  NO_HOST,
  NOT_FOUND,
  NOT_READY,
  PATH_GONE,
  PATH_NOT_FOUND,
  type TextAnswer,
  UNREADABLE_TARGET,
} from './text-answer.js';
import { createTurnWatch, type TurnWatch } from './turn-watch.js';
import { createUnreadAnswers, type UnreadAnswers } from './unread-answers.js';
import { createVisitRecorder, Decision, type VisitRecorderDeps } from './visit-recorder.js';

export interface RedirectHandlerDeps {
  readonly table: Pick<
    RulesetTable,
    'version' | 'versionText' | 'hostGeneration' | 'find' | 'findWildcard' | 'serves'
  >;
  readonly recorder: VisitRecorderDeps['recorder'];
  readonly visitorAddress: VisitorAddress;
  readonly visitorSources: VisitorSources;
  readonly counts: RequestCounts;
  readonly ruleCounts: RuleCounts;
  readonly logger: Logger;
  /** Whether requests come over TLS. Default: no. */
  readonly isOverTls?: boolean;
  /** Public port of HTTPS. Default: 443. */
  readonly publicHttpsPort?: number;
  readonly turnWatch?: TurnWatch;
  /** Shared by all handlers of a process. */
  readonly unread?: UnreadAnswers;
}

const CLOSED: Readonly<Record<Closed, TextAnswer>> = { not_found: NOT_FOUND, gone: GONE };
/** Answers of a table of paths. */
const CLOSED_PATHS: Readonly<Record<Closed, TextAnswer>> = { not_found: PATH_NOT_FOUND, gone: PATH_GONE };

/**
 * The visitor path: match, record, respond. Uses only memory and never waits.
 *
 * Requests are handled one after another. Objects that describe the current one are therefore reused.
 */
export function createRedirectHandler(deps: RedirectHandlerDeps): RequestHandler {
  const { table, counts, logger, visitorSources, isOverTls = false } = deps;
  const { turnWatch = createTurnWatch(), unread = createUnreadAnswers() } = deps;
  const { nowMs = Date.now } = visitorSources;
  const request = new CurrentRequest(deps.visitorAddress, isOverTls);
  const response = new CurrentResponse(counts, unread);
  const upgrade = createHttpsUpgrade(deps.publicHttpsPort);
  const dice = createNotedDice(visitorSources.random);
  const visitor = new RequestVisitor(request, { ...visitorSources, random: dice.roll });
  const decision = new Decision();
  const visits = createVisitRecorder({ ...deps, request, visitor, dice });
  const chain = createRedirectChain({ table, request, visitorSources });
  const pathRoute = new PathRoute();
  const readQuery = () => request.query();

  function handle(res: HttpResponse, req: HttpRequest, closing: boolean): void {
    request.of(res, req);
    const framing = request.framing();
    // The addon drops a connection whose next request arrives before the answer, so one client cannot block the
    // others.
    const isLater = turnWatch.isLongTurn() || framing !== 'certain';
    response.of(res, req, isLater ? 'close-later' : closing ? 'close' : 'keep');
    if (framing === 'ambiguous') {
      response.sendText(AMBIGUOUS_LENGTH);
      return;
    }
    const served = findRedirect(request.hostHeader());
    if (served === undefined) {
      response.sendText(problemWithoutRedirect());
      return;
    }
    const mode = served.redirect.https?.mode;
    if (mode === undefined) redirectVisitor(served);
    else if (mode === 'off' && isOverTls) response.sendText(MISDIRECTED);
    else if (mode === 'upgrade' && !request.isSecure()) upgradeVisitor(served.redirect);
    else redirectVisitor(served);
  }

  function findRedirect(hostHeader: string): ServedRedirect | undefined {
    return isWildcard(hostHeader) ? undefined : (table.find(hostHeader) ?? findNormalized(hostHeader));
  }

  function findNormalized(hostHeader: string): ServedRedirect | undefined {
    const host = normalizeHost(hostHeader);
    // Visitors of wildcard hosts mostly send a normalised name, which was not found before.
    const exact = host === hostHeader ? undefined : table.find(host);
    return exact ?? table.findWildcard(host);
  }

  function problemWithoutRedirect(): TextAnswer {
    if (request.hostHeader() === '') return NO_HOST;
    if (table.version === undefined) return NOT_READY;
    return isOverTls ? MISDIRECTED : NOT_FOUND;
  }

  /** Redirects the visitor to HTTPS, unless the redirect is gone. The visit is counted and recorded there. */
  function upgradeVisitor(redirect: CompiledRedirect): void {
    if (atThisTime(redirect, nowMs) === 'gone') {
      response.sendText(GONE);
      return;
    }
    const host = isWildcard(redirect.host) ? normalizeHost(request.hostHeader()) : redirect.host;
    const location = upgrade.location(host, request.path(), request.query());
    if (location === undefined) {
      response.sendText(UNREADABLE_TARGET);
      return;
    }
    counts.upgrade += 1;
    response.sendRedirect(upgrade.head + location);
  }

  function redirectVisitor(served: ServedRedirect): void {
    const redirect = atThisTime(served.redirect, nowMs);
    if (typeof redirect === 'string') {
      response.sendText(CLOSED[redirect]);
      return;
    }
    const { matcher, paths, clickIdParam } = redirect;
    decision.begin(served);
    dice.wasRolled = false;
    if (matcher !== undefined) {
      visitor.forget();
      decision.isByRules = true;
      const outcome = matcher.decide(visitor);
      if (matcher.givenUpOn !== undefined) {
        refuseVisitor(tooLongAnswer(matcher.givenUpOn), '');
        return;
      }
      decision.outcome = outcome;
    }
    const { outcome } = decision;
    const hostHeader = request.hostHeader();
    let route = redirect.routeOf(outcome);
    if (paths !== undefined && outcome?.target === undefined) {
      const question = { path: request.path(), readQuery, host: normalizeHost(hostHeader) };
      const decided = decideByPath(paths, served.pages, question, pathRoute);
      decision.entryId = pathRoute.entryId;
      if (typeof decided === 'string') {
        refuseVisitor(CLOSED_PATHS[decided], '');
        return;
      }
      if (decided !== undefined) route = decided;
    }
    const path = route.readsPath ? request.path() : '/';
    const query = route.readsQuery ? request.query() : undefined;
    const location = route.location(path, query, hostHeader);
    const problem =
      routeProblem(route, location, hostHeader, path, query) ?? chainProblem(redirect, location);
    if (problem !== undefined) {
      refuseVisitor(problem, location);
      return;
    }
    const answer = route.head + location;
    visits.count(decision);
    const atMs = visits.record(decision, route.statusCode, location, answer);
    counts.redirect += 1;
    // On the redirect's own host, an id would change the URL and hide a redirect loop.
    const sent =
      clickIdParam === undefined || route.mayLoop
        ? answer
        : route.head + withClickId(location, clickIdParam, clickIdOf(atMs));
    response.sendRedirect(sent, cookieOf(outcome), strictTransportOf(redirect));
  }

  /** Counts and records a visitor of the redirect who gets no destination. */
  function refuseVisitor(answer: TextAnswer, location: string): void {
    visits.count(decision);
    visits.record(decision, answer.statusCode, location);
    response.sendText(answer);
  }

  /** Looks for loops beyond the redirect's own host. */
  function chainProblem({ matcher, hasEnded }: CompiledRedirect, location: string): TextAnswer | undefined {
    const { served, outcome, entryId } = decision;
    if (matcher === undefined && served.leadsElsewhere.length === 0 && !hasEnded) return undefined;
    const isRoute = entryId === 0 && !hasEnded;
    const staysHere = isRoute ? chain.staysHere(served, outcome, location) : chain.leadsHere(location);
    if (!staysHere) return undefined;
    // A drawn choice lasts only if a cookie remembers it.
    const isLasting = hasEnded || !dice.wasRolled || outcome?.setCookie !== undefined;
    const hostHeader = request.hostHeader();
    return chain.isEndless({ location, hostHeader, isLasting }) ? ENDLESS : undefined;
  }

  /** Returns an id of this visit. It can be joined with the hit if the visit is recorded. */
  function clickIdOf(atMs: number | undefined): string {
    return visitorSources.clickIds.of(visitor.visitorId(), atMs ?? nowMs());
  }

  /** Returns the cookie to set. It is `Secure` if the visitor came by HTTPS. */
  function cookieOf(outcome: RuleOutcome | undefined): string | undefined {
    const cookie = outcome?.setCookie;
    return cookie !== undefined && request.isSecure() ? `${cookie}; Secure` : cookie;
  }

  /** Returns the value of Strict-Transport-Security, which is sent over HTTPS only. */
  function strictTransportOf({ https, strictTransportSecurity }: CompiledRedirect): string | undefined {
    const value = https?.strictTransport ?? strictTransportSecurity;
    return value !== undefined && request.isSecure() ? value : undefined;
  }

  return (res, req, closing) => {
    try {
      handle(res, req, closing);
    } catch (error) {
      // An exception or a missing answer would end the process. One request must not end all others.
      counts.failed += 1;
      logger.error({ err: error }, 'a request could not be answered');
      dropUnanswered(res);
    }
    request.release();
  };
}

/** A source of random numbers that records whether it was used, and its last number. */
function createNotedDice(random: () => number = Math.random) {
  const dice = {
    wasRolled: false,
    rolled: 0,
    roll(): number {
      dice.wasRolled = true;
      dice.rolled = random();
      return dice.rolled;
    },
  };
  return dice;
}
