import type { HttpRequest } from 'uWebSockets.js';

/** Headers whose lines all matter. `getHeader` returns only the first line. */
export interface RepeatedHeaders {
  /** All lines of the header that names the visitor's address, joined by commas; empty without. */
  readonly clientAddress: string;
  /** Lines of `Content-Length`. */
  readonly contentLengths: number;
  /** Lines of `Transfer-Encoding`. */
  readonly transferEncodings: number;
}

/**
 * Reads all these lines in one pass over the headers. A browser's headers take 0.5 µs, so do not call it for every
 * request.
 *
 * @param addressHeader lower-case name of the header that contains the visitor's address
 */
export function repeatedHeaders(req: HttpRequest, addressHeader: string): RepeatedHeaders {
  let clientAddress = '';
  let contentLengths = 0;
  let transferEncodings = 0;
  req.forEach((name, value) => {
    if (name === addressHeader) clientAddress += clientAddress === '' ? value : `,${value}`;
    else if (name === 'content-length') contentLengths += 1;
    else if (name === 'transfer-encoding') transferEncodings += 1;
  });
  return { clientAddress, contentLengths, transferEncodings };
}

/**
 * Returns the values of all lines of a header, in order. The addon's `getHeader` returns only the first one. This
 * function passes over all headers (0.5 µs for a browser's), so do not call it for every request.
 *
 * @param header lower-case
 */
export function headerLines(req: HttpRequest, header: string): string[] {
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === header) lines.push(value);
  });
  return lines;
}
