import { answerLast, answerLater } from './connection-mode.js';
import type { RequestHandler } from './listener.js';
import type { RequestCounts } from './request-counts.js';
import { METHOD_NOT_ALLOWED, sendText, writeTextStart } from './text-answer.js';
import type { UnreadAnswers } from './unread-answers.js';

/**
 * Answers 405 and ends the connection: what follows the head of a CONNECT is not HTTP, and a body of TRACE is not read.
 */
export function createForbiddenMethodHandler(counts: RequestCounts, unread: UnreadAnswers): RequestHandler {
  return (res) => {
    counts[METHOD_NOT_ALLOWED.countedAs] += 1;
    if (unread.isProbe(METHOD_NOT_ALLOWED.body.length)) {
      answerLast(res, () => writeTextStart(res, METHOD_NOT_ALLOWED), METHOD_NOT_ALLOWED.body, false);
    } else answerLater(res, () => sendText(res, METHOD_NOT_ALLOWED, false, true));
  };
}
