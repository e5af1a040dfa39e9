import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { SECURE_ONLY } from '../../shared/ruleset/redirect-answer.js';
import { answerLast, answerLater, type ConnectionMode, isTaken } from './connection-mode.js';
import type { RequestCounts } from './request-counts.js';
import { sendText, type TextAnswer, writeTextStart } from './text-answer.js';
import type { UnreadAnswers } from './unread-answers.js';

/** Body of a redirect that is a probe. Other redirects have none. */
const PROBE_BODY = '\n';

/** The response to the current request: one answer for each request. This object is reused for every request. */
export interface CurrentResponse {
  /** Makes this the current response. Send its answer before the handler returns. */
  of(res: HttpResponse, req: HttpRequest, connection: ConnectionMode): void;
  /**
   * @param answer the answer from its status up to and including the location
   * @param setCookie value of Set-Cookie; undefined: no such header
   * @param strictTransport value of Strict-Transport-Security; undefined: no such header
   */
  sendRedirect(answer: string, setCookie?: string, strictTransport?: string): void;
  /** Sends an answer that is not a redirect, and counts it. */
  sendText(answer: TextAnswer): void;
}

export function createCurrentResponse(counts: RequestCounts, unread: UnreadAnswers): CurrentResponse {
  let res: HttpResponse;
  let req: HttpRequest;
  let connection: ConnectionMode;

  const isHead = () => req.getMethod() === 'head';

  /** Closes the connection if the client does not read the answer, or if that cannot be known. */
  function sendProbe(writeStart: (res: HttpResponse) => void, body: string): void {
    if (connection !== 'keep' || isHead()) {
      answerLast(res, writeStart, body, isHead());
      return;
    }
    writeStart(res);
    if (isTaken(res, body)) return;
    dropUnanswered(res);
    unread.closed();
  }

  return {
    of(currentRes, currentReq, mode) {
      res = currentRes;
      req = currentReq;
      connection = mode;
    },
    sendRedirect(answer, setCookie, strictTransport) {
      if (unread.isProbe(answer.length)) {
        sendProbe((to) => writeLocation(to, answer, setCookie, strictTransport), PROBE_BODY);
      } else if (connection === 'close-later') {
        answerLater(res, (to) => writeRedirect(to, answer, setCookie, strictTransport, true));
      } else writeRedirect(res, answer, setCookie, strictTransport, connection === 'close');
    },
    sendText(answer) {
      counts[answer.countedAs] += 1;
      if (unread.isProbe(answer.body.length)) {
        sendProbe((to) => writeTextStart(to, answer), answer.body);
      } else if (connection !== 'close-later') sendText(res, answer, isHead(), connection === 'close');
      else if (isHead()) answerLast(res, (to) => writeTextStart(to, answer), answer.body, true);
      else answerLater(res, (to) => sendText(to, answer, false, true));
    },
  };
}

/** Closes a connection whose request gets no answer. */
export function dropUnanswered(res: HttpResponse): void {
  try {
    res.close();
  } catch {
    // It is answered already.
  }
}

function writeRedirect(
  res: HttpResponse,
  answer: string,
  setCookie: string | undefined,
  strictTransport: string | undefined,
  closing: boolean,
): void {
  writeLocation(res, answer, setCookie, strictTransport);
  res.endWithoutBody(0, closing);
}

function writeLocation(
  res: HttpResponse,
  answer: string,
  setCookie: string | undefined,
  strictTransport: string | undefined,
): void {
  // The addon writes the text unchanged, including line ends. Each text that it need not copy saves 0.1 µs.
  res.writeStatus(answer);
  if (setCookie !== undefined) res.writeHeader('Set-Cookie', setCookie);
  if (strictTransport !== undefined) res.writeHeader(SECURE_ONLY, strictTransport);
}
