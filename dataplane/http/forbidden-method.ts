import { answerLater } from './connection-mode.js';
import type { RequestHandler } from './listener.js';
import type { RequestCounts } from './request-counts.js';
import { METHOD_NOT_ALLOWED, sendText } from './text-answer.js';

/**
 * Answers 405 and ends the connection: what follows the head of a CONNECT is not HTTP, and a body of TRACE is not read.
 */
export function createForbiddenMethodHandler(counts: RequestCounts): RequestHandler {
  return (res) => {
    counts[METHOD_NOT_ALLOWED.countedAs] += 1;
    answerLater(res, () => sendText(res, METHOD_NOT_ALLOWED, false, true));
  };
}
