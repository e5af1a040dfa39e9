import type { HttpResponse } from 'uWebSockets.js';
import type { ForwardedLines } from './forwarded-lines.js';

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

/**
 * What requests are smuggled with is told here, because the addon lets some of it pass (RFC 9112, section 6.3).
 *
 * @param contentLength the first line of it, which is the one that the addon goes by; so is `transferEncoding`
 */
export function bodyFraming(
  contentLength: string,
  transferEncoding: string,
  { contentLengths, transferEncodings }: ForwardedLines,
): BodyFraming {
  const lines = contentLengths + transferEncodings;
  if (lines === 0) return 'certain';
  if (lines > 1) return 'ambiguous';
  if (contentLengths === 1) return contentLength === '' ? 'ambiguous' : 'certain';
  return transferEncoding.toLowerCase() === 'chunked' ? 'chunked' : 'ambiguous';
}

/**
 * Answers in a later turn and ends the connection. The addon drops a connection on which another request follows
 * before the answer; after an answer in the same turn it would go on to serve that request.
 *
 * @param write writes the whole answer, `closing` where it can
 * @param closes whether the connection is to be closed under an answer that has not been ended
 */
export function answerLater(res: HttpResponse, write: () => void, closes = false): void {
  let isGone = false;
  res.onAborted(() => {
    isGone = true;
  });
  setImmediate(() => {
    if (isGone) return;
    res.cork(write);
    if (closes) res.close();
  });
}
