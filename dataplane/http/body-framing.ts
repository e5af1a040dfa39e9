import type { HttpRequest, HttpResponse } from 'uWebSockets.js';

/**
 * How the end of a request's body is found.
 *
 * - `certain`: there is none, or one Content-Length says it.
 * - `chunked`: the addon reads chunks more leniently than RFC 9112 has them (a bare line feed ends one), so a
 *   proxy in front may see the end elsewhere: nothing may follow on the connection.
 * - `ambiguous`: readers differ; the addon itself takes the first of several headers and ignores a
 *   Transfer-Encoding that it does not know.
 */
export type BodyFraming = 'certain' | 'chunked' | 'ambiguous';

/** What requests are smuggled with is told here, because the addon lets some of it pass (RFC 9112, section 6.3). */
export function bodyFraming(req: HttpRequest): BodyFraming {
  const transferEncoding = req.getHeader('transfer-encoding');
  if (transferEncoding === '') {
    return req.getHeader('content-length') === '' || occurrences(req, 'content-length') === 1
      ? 'certain'
      : 'ambiguous';
  }
  const isChunked = transferEncoding.toLowerCase() === 'chunked';
  return isChunked && occurrences(req, 'transfer-encoding') === 1 ? 'chunked' : 'ambiguous';
}

function occurrences(req: HttpRequest, header: string): number {
  let count = 0;
  req.forEach((name) => {
    if (name === header) count += 1;
  });
  return count;
}

/**
 * Answers in a later turn and ends the connection. The addon drops a connection on which another request follows
 * before the answer; after an answer in the same turn it would go on to serve that request.
 *
 * @param write writes the whole answer, `closing`
 */
export function answerLater(res: HttpResponse, write: () => void): void {
  let isGone = false;
  res.onAborted(() => {
    isGone = true;
  });
  setImmediate(() => {
    if (!isGone) res.cork(write);
  });
}
