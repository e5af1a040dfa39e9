import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { headerLines } from './header-lines.js';
import { HEADER } from './header-names.js';

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
  const transferEncoding = req.getHeader(HEADER.transferEncoding);
  if (transferEncoding === '') {
    return req.getHeader(HEADER.contentLength) === '' || isSingle(req, 'content-length')
      ? 'certain'
      : 'ambiguous';
  }
  const isChunked = transferEncoding.toLowerCase() === 'chunked';
  return isChunked && isSingle(req, 'transfer-encoding') ? 'chunked' : 'ambiguous';
}

function isSingle(req: HttpRequest, header: string): boolean {
  return headerLines(req, header).length === 1;
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
