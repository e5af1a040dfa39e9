import { CurrentResponse } from './current-response.js';
import type { RequestHandler } from './listener.js';
import type { RequestCounts } from './request-counts.js';
import { METHOD_NOT_ALLOWED } from './text-answer.js';
import type { UnreadAnswers } from './unread-answers.js';

/**
 * Answers 405 and ends the connection. The data after the head of a CONNECT is not HTTP, and a body of TRACE is not
 * read.
 */
export function createForbiddenMethodHandler(counts: RequestCounts, unread: UnreadAnswers): RequestHandler {
  const response = new CurrentResponse(counts, unread);
  return (res, req) => {
    response.of(res, req, 'close-later');
    response.sendText(METHOD_NOT_ALLOWED);
  };
}
