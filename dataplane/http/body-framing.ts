import type { RepeatedHeaders } from './repeated-headers.js';

/**
 * Method that finds the end of a request's body.
 *
 * - `certain`: there is no body, or one Content-Length defines it.
 * - `chunked`: the addon is more lenient with chunks than RFC 9112 (a bare line feed ends one), so a proxy in front
 *   may find another end. Nothing may follow on the connection.
 * - `ambiguous`: readers differ. The addon uses the first of several headers and ignores an unknown
 *   Transfer-Encoding.
 */
export type BodyFraming = 'certain' | 'chunked' | 'ambiguous';

/**
 * Detects request smuggling. The addon accepts some of its forms (RFC 9112, section 6.3).
 *
 * @param contentLength the first line of the header, which the addon uses; the same applies to `transferEncoding`
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
