import type { RepeatedHeaders } from './repeated-headers.js';

/**
 * Method that finds the end of a request's body.
 *
 * - `certain`: there is none, or one Content-Length says it.
 * - `chunked`: the addon reads chunks more leniently than RFC 9112 has them (a bare line feed ends one), so a
 *   proxy in front may see the end elsewhere: nothing may follow on the connection.
 * - `ambiguous`: readers differ; the addon itself takes the first of several headers and ignores a
 *   Transfer-Encoding that it does not know.
 */
export type BodyFraming = 'certain' | 'chunked' | 'ambiguous';

/**
 * Detects request smuggling. The addon accepts some of its forms (RFC 9112, section 6.3).
 *
 * @param contentLength the first line of it, which is the one that the addon goes by; so is `transferEncoding`
 */
export function bodyFraming(
  contentLength: string,
  transferEncoding: string,
  { contentLengths, transferEncodings }: RepeatedHeaders,
): BodyFraming {
  const lines = contentLengths + transferEncodings;
  if (lines === 0) return 'certain';
  if (lines > 1) return 'ambiguous';
  if (contentLengths === 1) return contentLength === '' ? 'ambiguous' : 'certain';
  return transferEncoding.toLowerCase() === 'chunked' ? 'chunked' : 'ambiguous';
}
