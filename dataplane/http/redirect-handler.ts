import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Logger } from 'pino';
import type { RuleOutcome } from '../../shared/rules/rule-matcher.js';
import { normalizeHost } from '../../shared/ruleset/host-name.js';
import type { RedirectAnswer } from '../../shared/ruleset/redirect-answer.js';
import type { VisitorAddress } from '../../shared/visitor/visitor-address.js';
import type { HitRecorder, RuleTally } from '../hits/hit-recorder.js';
import type { RulesetTable, ServedRedirect } from '../sync/ruleset-table.js';
import { createRequestVisitor, type VisitorSources } from '../visitor/request-visitor.js';
import { createCurrentRequest } from './current-request.js';
import { describeVisitor } from './describe-visitor.js';
import { answerLater, type Ending } from './ending.js';
import { HEADER } from './header-names.js';
import type { RequestHandler } from './listener.js';
import { createRedirectChain } from './redirect-chain.js';
import type { RequestCounts, RuleCounts } from './request-counts.js';
import { excessOf, problemOf } from './route-problem.js';
import {
  AMBIGUOUS_LENGTH,
  ENDLESS,
  NO_HOST,
  NOT_FOUND,
  NOT_READY,
  sendText,
  type TextAnswer,
  writeHeadAnswer,
} from './text-answer.js';

export interface RedirectHandlerDeps {
  readonly table: Pick<RulesetTable, 'version' | 'versionText' | 'hostGeneration' | 'find' | 'serves'>;
  readonly recorder: Pick<
    HitRecorder,
    'countRequest' | 'ruleTallyOf' | 'isPerson' | 'countMatch' | 'shouldRecord' | 'claim'
  >;
  readonly visitorAddress: VisitorAddress;
  readonly visitorSources: VisitorSources;
  readonly counts: RequestCounts;
  readonly ruleCounts: RuleCounts;
  readonly logger: Logger;
}

/**
 * The visitor path: match, record, respond. Works from memory alone and never waits.
 *
 * Recording comes before responding because the request is gone once its answer is ended; it only copies into a
 * slot that is there already.
 */
export function createRedirectHandler(deps: RedirectHandlerDeps): RequestHandler {
  const { table, recorder, counts, ruleCounts, logger } = deps;
  const request = createCurrentRequest(deps.visitorAddress);
  const dice = createNotedDice(deps.visitorSources.random);
  const visitor = createRequestVisitor(request, { ...deps.visitorSources, random: dice.roll });
  const chain = createRedirectChain({ table, request, visitorSources: deps.visitorSources });

  function handle(res: HttpResponse, req: HttpRequest, closing: boolean): void {
    request.of(res, req);
    const framing = request.framing();
    if (framing === 'ambiguous') {
      sendProblem(res, req, AMBIGUOUS_LENGTH, 'close-later');
      return;
    }
    const ending = framing === 'chunked' ? 'close-later' : closing ? 'close' : 'keep';
    const hostHeader = req.getHeader(HEADER.host);
    const served = table.find(hostHeader) ?? table.find(normalizeHost(hostHeader));
    if (served === undefined) sendProblem(res, req, problemWithoutMatch(hostHeader), ending);
    else redirectVisitor(res, req, hostHeader, served, ending);
  }

  function problemWithoutMatch(hostHeader: string): TextAnswer {
    if (hostHeader === '') return NO_HOST;
    return table.version === undefined ? NOT_READY : NOT_FOUND;
  }

  function redirectVisitor(
    res: HttpResponse,
    req: HttpRequest,
    hostHeader: string,
    served: ServedRedirect,
    ending: Ending,
  ): void {
    const { redirect } = served;
    const { matcher } = redirect;
    let outcome: RuleOutcome | undefined;
    if (matcher !== undefined) {
      visitor.forget();
      dice.wasRolled = false;
      outcome = matcher.decide(visitor);
      if (matcher.givenUpOn !== undefined) {
        refuseVisitor(res, req, served, excessOf(matcher.givenUpOn), ending);
        return;
      }
    }
    const route = redirect.routeOf(outcome);
    const path = route.readsPath ? request.path() : '/';
    const query = route.readsQuery ? request.query() : undefined;
    const location = route.location(path, query);
    const problem =
      problemOf(route, location, hostHeader, path, query) ??
      (matcher === undefined ? undefined : chainProblemOf(served, outcome, location, hostHeader));

    count(served, outcome);
    record(served, outcome, location, problem?.statusCode ?? route.statusCode);

    if (problem === undefined) sendRedirect(res, route, location, cookieOf(outcome), ending);
    else sendProblem(res, req, problem, ending);
  }

  function chainProblemOf(
    served: ServedRedirect,
    outcome: RuleOutcome | undefined,
    location: string,
    hostHeader: string,
  ): TextAnswer | undefined {
    if (!chain.staysHere(served, outcome, location)) return undefined;
    // A drawn choice lasts only if a cookie remembers it.
    const isLasting = !dice.wasRolled || outcome?.setCookie !== undefined;
    return chain.isEndless({ location, hostHeader, isLasting }) ? ENDLESS : undefined;
  }

  /** Counts and records the visitor as one of the redirect's, though no way leads on. */
  function refuseVisitor(
    res: HttpResponse,
    req: HttpRequest,
    served: ServedRedirect,
    answer: TextAnswer,
    ending: Ending,
  ): void {
    count(served, undefined);
    record(served, undefined, '', answer.statusCode);
    sendProblem(res, req, answer, ending);
  }

  /** Counts exactly, whatever the sampling rate. */
  function count(served: ServedRedirect, outcome: RuleOutcome | undefined): void {
    recorder.countRequest(served.tally);
    if (outcome === undefined) return;
    ruleCounts.matches += 1;
    const isPerson = recorder.isPerson(request.method(), request.purpose(), request.userAgent());
    recorder.countMatch(ruleTallyOf(served, outcome), isPerson);
  }

  /** Looked up when it is first counted: many a redirect is compiled for one visitor, who meets one rule of ten. */
  function ruleTallyOf({ redirect, ruleTallies }: ServedRedirect, outcome: RuleOutcome): RuleTally {
    const { index, ruleId, variant } = outcome;
    const known = ruleTallies[index];
    if (known !== undefined) return known;
    const tally = recorder.ruleTallyOf(redirect.id, ruleId, variant);
    ruleTallies[index] = tally;
    return tally;
  }

  function record(
    { redirect, tally }: ServedRedirect,
    outcome: RuleOutcome | undefined,
    location: string,
    statusCode: number,
  ): void {
    if (!recorder.shouldRecord(redirect.samplingRate)) return;
    const hit = recorder.claim(tally, redirect.id, redirect.samplingRate);
    if (hit === undefined) return;
    hit.host = redirect.host;
    hit.location = location;
    hit.statusCode = statusCode;
    hit.retentionDays = redirect.retentionDays;
    hit.queryRecording = redirect.queryRecording;
    hit.rulesetVersion = table.versionText;
    if (outcome !== undefined) {
      hit.ruleId = outcome.ruleId;
      hit.variant = outcome.variant;
    }
    describeVisitor(hit, request);
  }

  /** Returns the cookie to set. It is `Secure` if the visitor came by HTTPS. */
  function cookieOf(outcome: RuleOutcome | undefined): string | undefined {
    const cookie = outcome?.setCookie;
    return cookie !== undefined && request.isSecure() ? `${cookie}; Secure` : cookie;
  }

  function sendRedirect(
    res: HttpResponse,
    { head }: RedirectAnswer,
    location: string,
    setCookie: string | undefined,
    ending: Ending,
  ): void {
    counts.redirect += 1;
    if (ending === 'close-later') {
      answerLater(res, () => writeRedirect(res, head, location, setCookie, true));
    } else writeRedirect(res, head, location, setCookie, ending === 'close');
  }

  function sendProblem(res: HttpResponse, req: HttpRequest, answer: TextAnswer, ending: Ending): void {
    counts[answer.countedAs] += 1;
    const isHead = req.getMethod() === 'head';
    if (ending !== 'close-later') sendText(res, answer, isHead, ending === 'close');
    else if (isHead) answerLater(res, () => writeHeadAnswer(res, answer), true);
    else answerLater(res, () => sendText(res, answer, false, true));
  }

  return (res, req, closing) => {
    try {
      handle(res, req, closing);
    } catch (error) {
      // The addon ends the process over an exception or a missing answer; one request must not end all others.
      counts.failed += 1;
      logger.error({ err: error }, 'a request could not be answered');
      dropUnanswered(res);
    }
    request.release();
  };
}

function writeRedirect(
  res: HttpResponse,
  head: string,
  location: string,
  setCookie: string | undefined,
  closing: boolean,
): void {
  // The addon writes what it is given, line ends included. Each text that it does not have to copy saves 0.1 µs.
  res.writeStatus(head + location);
  if (setCookie !== undefined) res.writeHeader('Set-Cookie', setCookie);
  res.endWithoutBody(0, closing);
}

/** A source of random numbers that notes whether it was used. */
function createNotedDice(random: () => number = Math.random) {
  const dice = {
    wasRolled: false,
    roll(): number {
      dice.wasRolled = true;
      return random();
    },
  };
  return dice;
}

function dropUnanswered(res: HttpResponse): void {
  try {
    res.close();
  } catch {
    // It has been answered already.
  }
}
