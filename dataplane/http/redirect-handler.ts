import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Logger } from 'pino';
import { hitIdOf, NO_ENTRY } from '../../shared/paths/entry-ids.js';
import type { RuleOutcome } from '../../shared/rules/rule-matcher.js';
import { withClickId } from '../../shared/ruleset/appended-query.js';
import { atThisTime, type CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import { decideByPath } from '../../shared/ruleset/decide-by-path.js';
import { isWildcard, normalizeHost } from '../../shared/ruleset/host-name.js';
import { createHttpsUpgrade } from '../../shared/ruleset/https-upgrade.js';
import { PathRoute } from '../../shared/ruleset/path-route.js';
import { SECURE_ONLY } from '../../shared/ruleset/redirect-answer.js';
import type { Closed } from '../../shared/ruleset/redirect-schedule.js';
import type { VisitorAddress } from '../../shared/visitor/visitor-address.js';
import type { HitRecorder, RuleTally } from '../hits/hit-recorder.js';
import type { RulesetTable, ServedRedirect } from '../sync/ruleset-table.js';
import { RequestVisitor, type VisitorSources } from '../visitor/request-visitor.js';
import { answerLast, answerLater, type ConnectionMode, isTaken } from './connection-mode.js';
import { CurrentRequest } from './current-request.js';
import { describeVisitor } from './describe-visitor.js';
import { HEADER } from './header-names.js';
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
  sendText,
  type TextAnswer,
  UNREADABLE_TARGET,
  writeTextStart,
} from './text-answer.js';
import { createTurnWatch, type TurnWatch } from './turn-watch.js';
import { createUnreadAnswers, type UnreadAnswers } from './unread-answers.js';

export interface RedirectHandlerDeps {
  readonly table: Pick<
    RulesetTable,
    'version' | 'versionText' | 'hostGeneration' | 'find' | 'findWildcard' | 'serves'
  >;
  readonly recorder: Pick<
    HitRecorder,
    'countRequest' | 'ruleTallyOf' | 'isPerson' | 'countMatch' | 'shouldRecord' | 'claim'
  >;
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

/**
 * Maximum length of an answer's start that a hit keeps in memory with its location. The limits of the hit buffer do not
 * count it. It is longer only with long headers of the owner, up to 1,700.
 */
const MAX_KEPT_START = 256;

/** Body of a redirect that is a probe. Other redirects have none. */
const PROBE_BODY = '\n';

const CLOSED: Readonly<Record<Closed, TextAnswer>> = { not_found: NOT_FOUND, gone: GONE };
/** Answers of a table of paths. */
const CLOSED_PATHS: Readonly<Record<Closed, TextAnswer>> = { not_found: PATH_NOT_FOUND, gone: PATH_GONE };

/**
 * The visitor path: match, record, respond. Uses only memory and never waits.
 *
 * Recording comes first, because the request is gone once its answer is ended. It only copies into an existing slot.
 */
export function createRedirectHandler(deps: RedirectHandlerDeps): RequestHandler {
  const {
    table,
    recorder,
    counts,
    ruleCounts,
    logger,
    isOverTls = false,
    turnWatch = createTurnWatch(),
    unread = createUnreadAnswers(),
  } = deps;
  const request = new CurrentRequest(deps.visitorAddress, isOverTls);
  const upgrade = createHttpsUpgrade(deps.publicHttpsPort);
  const dice = createNotedDice(deps.visitorSources.random);
  const visitor = new RequestVisitor(request, { ...deps.visitorSources, random: dice.roll });
  const { nowMs = Date.now } = deps.visitorSources;
  const pathRoute = new PathRoute();
  /** Whether rules decided for the current visitor. */
  let askedRules = false;
  const readQuery = () => request.query();
  const chain = createRedirectChain({ table, request, visitorSources: deps.visitorSources });

  function handle(res: HttpResponse, req: HttpRequest, closing: boolean): void {
    request.of(res, req);
    const framing = request.framing();
    if (framing === 'ambiguous') {
      sendProblem(res, req, AMBIGUOUS_LENGTH, 'close-later');
      return;
    }
    // The addon drops a connection whose next request arrives before the answer, so one client cannot block the
    // others.
    const isLater = turnWatch.isLongTurn() || framing === 'chunked';
    const connection = isLater ? 'close-later' : closing ? 'close' : 'keep';
    const hostHeader = req.getHeader(HEADER.host);
    const served = isWildcard(hostHeader)
      ? undefined
      : (table.find(hostHeader) ?? findNormalized(hostHeader));
    if (served === undefined) {
      sendProblem(res, req, problemWithoutMatch(hostHeader), connection);
      return;
    }
    const mode = served.redirect.https?.mode;
    if (mode === undefined) redirectVisitor(res, req, hostHeader, served, connection);
    else if (mode === 'off' && isOverTls) sendProblem(res, req, MISDIRECTED, connection);
    else if (mode === 'upgrade' && !request.isSecure())
      upgradeVisitor(res, req, hostHeader, served, connection);
    else redirectVisitor(res, req, hostHeader, served, connection);
  }

  function findNormalized(hostHeader: string): ServedRedirect | undefined {
    const host = normalizeHost(hostHeader);
    // Visitors of wildcard hosts mostly send a normalised name, which was not found before.
    const exact = host === hostHeader ? undefined : table.find(host);
    return exact ?? table.findWildcard(host);
  }

  function problemWithoutMatch(hostHeader: string): TextAnswer {
    if (hostHeader === '') return NO_HOST;
    if (table.version === undefined) return NOT_READY;
    return isOverTls ? MISDIRECTED : NOT_FOUND;
  }

  /** Redirects the visitor to HTTPS, unless the redirect is gone. The visit is counted and recorded there. */
  function upgradeVisitor(
    res: HttpResponse,
    req: HttpRequest,
    hostHeader: string,
    { redirect }: ServedRedirect,
    connection: ConnectionMode,
  ): void {
    if (atThisTime(redirect, nowMs) === 'gone') {
      sendProblem(res, req, GONE, connection);
      return;
    }
    const host = redirect.host.startsWith('*.') ? normalizeHost(hostHeader) : redirect.host;
    const location = upgrade.location(host, request.path(), request.query());
    if (location === undefined) {
      sendProblem(res, req, UNREADABLE_TARGET, connection);
      return;
    }
    counts.upgrade += 1;
    sendLocation(res, upgrade.head + location, undefined, undefined, connection);
  }

  function redirectVisitor(
    res: HttpResponse,
    req: HttpRequest,
    hostHeader: string,
    served: ServedRedirect,
    connection: ConnectionMode,
  ): void {
    let { redirect } = served;
    /** Whether to look for loops beyond the redirect's own host. */
    let looksAhead = served.leadsElsewhere.length > 0;
    const { schedule } = redirect;
    if (schedule !== undefined) {
      const scheduled = schedule.at(nowMs());
      if (typeof scheduled === 'string') {
        sendProblem(res, req, CLOSED[scheduled], connection);
        return;
      }
      looksAhead ||= scheduled.hasEnded;
      redirect = scheduled;
    }
    const { matcher } = redirect;
    askedRules = matcher !== undefined;
    let outcome: RuleOutcome | undefined;
    if (matcher !== undefined) {
      looksAhead = true;
      visitor.forget();
      dice.wasRolled = false;
      outcome = matcher.decide(visitor);
      if (matcher.givenUpOn !== undefined) {
        refuseVisitor(res, req, hostHeader, served, tooLongAnswer(matcher.givenUpOn), connection);
        return;
      }
    }
    let route = redirect.routeOf(outcome);
    let entryId = 0;
    if (redirect.paths !== undefined && outcome?.target === undefined) {
      const host = normalizeHost(hostHeader);
      const question = { path: request.path(), readQuery, host };
      const decided = decideByPath(redirect.paths, served.pages, question, pathRoute);
      entryId = pathRoute.entryId;
      if (typeof decided === 'string') {
        count(served, outcome, entryId);
        record(served, outcome, entryId, '', CLOSED_PATHS[decided].statusCode, hostHeader);
        sendProblem(res, req, CLOSED_PATHS[decided], connection);
        return;
      }
      if (decided !== undefined) route = decided;
    }
    const path = route.readsPath ? request.path() : '/';
    const query = route.readsQuery ? request.query() : undefined;
    const location = route.location(path, query, hostHeader);
    const problem =
      routeProblem(route, location, hostHeader, path, query) ??
      (looksAhead ? chainProblemOf(served, redirect, outcome, entryId, location, hostHeader) : undefined);

    count(served, outcome, entryId);
    if (problem !== undefined) {
      record(served, outcome, entryId, location, problem.statusCode, hostHeader);
      sendProblem(res, req, problem, connection);
      return;
    }
    const answer = route.head + location;
    const atMs = record(served, outcome, entryId, location, route.statusCode, hostHeader, answer);
    counts.redirect += 1;
    const { clickIdParam } = redirect;
    // On the redirect's own host, an id would hide that the next request leads to itself.
    const sent =
      clickIdParam === undefined || route.mayLoop
        ? answer
        : route.head + withClickId(location, clickIdParam, clickIdOf(atMs));
    sendLocation(res, sent, cookieOf(outcome), strictTransportOf(redirect), connection);
  }

  function chainProblemOf(
    served: ServedRedirect,
    { hasEnded }: CompiledRedirect,
    outcome: RuleOutcome | undefined,
    entryId: number,
    location: string,
    hostHeader: string,
  ): TextAnswer | undefined {
    const isRoute = entryId === 0 && !hasEnded;
    const staysHere = isRoute ? chain.staysHere(served, outcome, location) : chain.leadsHere(location);
    if (!staysHere) return undefined;
    // A drawn choice lasts only if a cookie remembers it.
    const isLasting = hasEnded || !dice.wasRolled || outcome?.setCookie !== undefined;
    return chain.isEndless({ location, hostHeader, isLasting }) ? ENDLESS : undefined;
  }

  /** Counts and records a visitor of the redirect who gets no destination. */
  function refuseVisitor(
    res: HttpResponse,
    req: HttpRequest,
    hostHeader: string,
    served: ServedRedirect,
    answer: TextAnswer,
    connection: ConnectionMode,
  ): void {
    count(served, undefined, 0);
    record(served, undefined, 0, '', answer.statusCode, hostHeader);
    sendProblem(res, req, answer, connection);
  }

  /** Counts exactly, independent of the sampling rate. */
  function count(served: ServedRedirect, outcome: RuleOutcome | undefined, entryId: number): void {
    recorder.countRequest(served.tally);
    if (entryId !== 0) recorder.countMatch(entryTallyOf(served, entryId), false);
    if (outcome === undefined) return;
    ruleCounts.matches += 1;
    const isPerson = recorder.isPerson(request.method(), request.purpose(), request.userAgent());
    recorder.countMatch(ruleTallyOf(served, outcome), isPerson);
  }

  /** Looked up on first use: many redirects are compiled for one visitor, who meets one rule of ten. */
  function ruleTallyOf({ redirect, ruleTallies }: ServedRedirect, outcome: RuleOutcome): RuleTally {
    const { index, ruleId, variant } = outcome;
    const known = ruleTallies[index];
    if (known !== undefined) return known;
    const tally = recorder.ruleTallyOf(redirect.id, ruleId, variant);
    ruleTallies[index] = tally;
    return tally;
  }

  /** Looked up once: see `ruleTallyOf`. */
  function entryTallyOf({ redirect, pages }: ServedRedirect, entryId: number): RuleTally {
    const known = pages?.tallies.get(entryId);
    if (known !== undefined) return known;
    const tally = recorder.ruleTallyOf(redirect.id, hitIdOf(entryId), '');
    pages?.tallies.set(entryId, tally);
    return tally;
  }

  /** Returns an id of this visit. It can be joined with the hit if the visit is recorded. */
  function clickIdOf(atMs: number | undefined): string {
    return deps.visitorSources.clickIds.of(visitor.visitorId(), atMs ?? nowMs());
  }

  /**
   * Returns the time of the hit; undefined if it is not recorded.
   *
   * @param answer text that ends with the location. The hit takes the location as a slice of it, so that V8 joins the parts
   * only once. The slice keeps the whole text in memory, so a text with a long start is not used.
   */
  function record(
    { redirect, tally }: ServedRedirect,
    outcome: RuleOutcome | undefined,
    entryId: number,
    location: string,
    statusCode: number,
    hostHeader: string,
    answer = location,
  ): number | undefined {
    if (!recorder.shouldRecord(redirect.samplingRate)) return undefined;
    const hit = recorder.claim(tally, redirect.id, redirect.samplingRate);
    if (hit === undefined) return undefined;
    hit.host = redirect.host;
    if (isWildcard(redirect.host)) hit.requestedHost = normalizeHost(hostHeader);
    const startLength = answer.length - location.length;
    hit.location = startLength > MAX_KEPT_START ? location : answer.slice(startLength);
    hit.statusCode = statusCode;
    hit.retentionDays = redirect.retentionDays;
    hit.queryRecording = redirect.queryRecording;
    hit.rulesetVersion = table.versionText;
    if (outcome !== undefined) {
      hit.ruleId = outcome.ruleId;
      hit.variant = outcome.variant;
      if (dice.wasRolled) hit.draw = dice.rolled;
      hit.entryId = entryId === 0 && redirect.paths !== undefined && !outcome.target ? NO_ENTRY : entryId;
    } else if (entryId !== 0) hit.ruleId = hitIdOf(entryId);
    // Conditions and dates used this clock. It is read again only if none of them read it.
    if (askedRules) hit.timestampMs = visitor.nowMs();
    describeVisitor(hit, request);
    return hit.timestampMs;
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

  /** @param answer the answer from its status up to and including the location */
  function sendLocation(
    res: HttpResponse,
    answer: string,
    setCookie: string | undefined,
    hsts: string | undefined,
    connection: ConnectionMode,
  ): void {
    if (unread.isProbe(answer.length)) {
      const writeStart = () => writeLocation(res, answer, setCookie, hsts);
      sendProbe(res, request.method() === 'HEAD', connection, writeStart, PROBE_BODY);
    } else if (connection === 'close-later') {
      answerLater(res, () => writeRedirect(res, answer, setCookie, hsts, true));
    } else writeRedirect(res, answer, setCookie, hsts, connection === 'close');
  }

  function sendProblem(
    res: HttpResponse,
    req: HttpRequest,
    answer: TextAnswer,
    connection: ConnectionMode,
  ): void {
    counts[answer.countedAs] += 1;
    const isHead = req.getMethod() === 'head';
    if (unread.isProbe(answer.body.length)) {
      sendProbe(res, isHead, connection, () => writeTextStart(res, answer), answer.body);
    } else if (connection !== 'close-later') sendText(res, answer, isHead, connection === 'close');
    else if (isHead) answerLast(res, () => writeTextStart(res, answer), answer.body, true);
    else answerLater(res, () => sendText(res, answer, false, true));
  }

  /** Sends an answer. Closes its connection if the client does not read, or if that cannot be known. */
  function sendProbe(
    res: HttpResponse,
    isHead: boolean,
    connection: ConnectionMode,
    writeStart: () => void,
    body: string,
  ): void {
    if (isHead || connection !== 'keep') {
      answerLast(res, writeStart, body, isHead);
      return;
    }
    writeStart();
    if (isTaken(res, body)) return;
    dropUnanswered(res);
    unread.closed();
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

function writeRedirect(
  res: HttpResponse,
  answer: string,
  setCookie: string | undefined,
  hsts: string | undefined,
  closing: boolean,
): void {
  writeLocation(res, answer, setCookie, hsts);
  res.endWithoutBody(0, closing);
}

function writeLocation(
  res: HttpResponse,
  answer: string,
  setCookie: string | undefined,
  hsts: string | undefined,
): void {
  // The addon writes the text unchanged, including line ends. Each text that it need not copy saves 0.1 µs.
  res.writeStatus(answer);
  if (setCookie !== undefined) res.writeHeader('Set-Cookie', setCookie);
  if (hsts !== undefined) res.writeHeader(SECURE_ONLY, hsts);
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

function dropUnanswered(res: HttpResponse): void {
  try {
    res.close();
  } catch {
    // It is answered already.
  }
}
