import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Logger } from 'pino';
import type { CompiledRedirect } from '../../shared/ruleset/compiled-redirect.js';
import { normalizeHost } from '../../shared/ruleset/host-name.js';
import type { HitRecorder } from '../hits/hit-recorder.js';
import type { RulesetTable, ServedRedirect } from '../sync/ruleset-table.js';
import type { VisitorAddress } from '../visitor/visitor-address.js';
import { answerLater, bodyFraming } from './body-framing.js';
import { describeVisitor } from './describe-hit.js';
import type { RequestHandler } from './listener.js';
import type { RequestCounts } from './request-counts.js';
import {
  AMBIGUOUS_LENGTH,
  LOOP,
  NO_HOST,
  NOT_FOUND,
  NOT_READY,
  sendText,
  type TextAnswer,
  UNREADABLE_TARGET,
} from './text-answer.js';

/** What the addon makes of bytes that are not UTF-8; the bytes themselves are lost by then. */
const REPLACEMENT_CHARACTER = '\ufffd';

/** What becomes of the connection with the answer; for `close-later` see {@link answerLater}. */
type Ending = 'keep' | 'close' | 'close-later';

export interface RedirectHandlerDeps {
  readonly table: Pick<RulesetTable, 'version' | 'versionText' | 'find'>;
  readonly recorder: Pick<HitRecorder, 'countRequest' | 'shouldRecord' | 'claim'>;
  readonly visitorAddress: VisitorAddress;
  readonly counts: RequestCounts;
  readonly logger: Logger;
}

/**
 * The visitor path: match, record, respond. Works from memory alone and never waits.
 *
 * Recording comes before responding because the request is gone once its answer is ended; it only copies into a
 * slot that is there already.
 */
export function createRedirectHandler(deps: RedirectHandlerDeps): RequestHandler {
  const { table, recorder, visitorAddress, counts, logger } = deps;

  function handle(res: HttpResponse, req: HttpRequest, closing: boolean): void {
    const framing = bodyFraming(req);
    if (framing === 'ambiguous') {
      sendProblem(res, req, AMBIGUOUS_LENGTH, 'close-later');
      return;
    }
    const ending = framing === 'chunked' ? 'close-later' : closing ? 'close' : 'keep';
    const hostHeader = req.getHeader('host');
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
    const path = redirect.readsPath ? req.getUrl() : '/';
    const query: string | undefined = redirect.readsQuery ? req.getQuery() : undefined;
    const location = redirect.location(path, query);
    const problem = problemOf(redirect, location, hostHeader, path, query);

    record(res, req, served, location, problem?.statusCode ?? redirect.statusCode);

    if (problem === undefined) sendRedirect(res, redirect, location, ending);
    else sendProblem(res, req, problem, ending);
  }

  function record(
    res: HttpResponse,
    req: HttpRequest,
    { redirect, tally }: ServedRedirect,
    location: string,
    statusCode: number,
  ): void {
    recorder.countRequest(tally);
    if (!recorder.shouldRecord(redirect.samplingRate)) return;
    const hit = recorder.claim(tally, redirect.samplingRate);
    if (hit === undefined) return;
    hit.host = redirect.host;
    hit.location = location;
    hit.statusCode = statusCode;
    hit.rulesetVersion = table.versionText;
    describeVisitor(hit, res, req, visitorAddress);
  }

  function sendRedirect(
    res: HttpResponse,
    redirect: CompiledRedirect,
    location: string,
    ending: Ending,
  ): void {
    counts.redirect += 1;
    if (ending === 'close-later') answerLater(res, () => writeRedirect(res, redirect, location, true));
    else writeRedirect(res, redirect, location, ending === 'close');
  }

  function sendProblem(res: HttpResponse, req: HttpRequest, answer: TextAnswer, ending: Ending): void {
    counts[answer.outcome] += 1;
    const isHead = req.getMethod() === 'head';
    if (ending === 'close-later') answerLater(res, () => sendText(res, answer, isHead, true));
    else sendText(res, answer, isHead, ending === 'close');
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
  };
}

function writeRedirect(
  res: HttpResponse,
  redirect: CompiledRedirect,
  location: string,
  closing: boolean,
): void {
  res
    .writeStatus(redirect.statusLine)
    .writeHeader('Location', location)
    .writeHeader('Cache-Control', redirect.cacheControl)
    .endWithoutBody(0, closing);
}

/** The reason not to send `location`, if there is one. */
function problemOf(
  redirect: CompiledRedirect,
  location: string,
  hostHeader: string,
  path: string,
  query: string | undefined,
): TextAnswer | undefined {
  // Only where the location is made of the request does it matter what got lost of it.
  const isForwarding = redirect.constantLocation === undefined;
  if (isForwarding && (isUnreadable(path) || (query !== undefined && isUnreadable(query)))) {
    return UNREADABLE_TARGET;
  }
  return redirect.mayLoop && redirect.isLoop(location, hostHeader, path, query) ? LOOP : undefined;
}

function isUnreadable(text: string): boolean {
  return text.includes(REPLACEMENT_CHARACTER);
}

function dropUnanswered(res: HttpResponse): void {
  try {
    res.close();
  } catch {
    // It has been answered already.
  }
}
