import type { HttpRequest } from 'uWebSockets.js';
import { HEADER } from './header-names.js';

/** Headers that proxies are concerned with, of which there may be several lines. */
export interface ForwardedLines {
  /** Lines of `Host`. */
  readonly hosts: number;
  /** All lines of `X-Forwarded-For`, joined by commas; empty without. */
  readonly forwardedFor: string;
  /** Lines of `Content-Length`. */
  readonly contentLengths: number;
  /** Lines of `Transfer-Encoding`. */
  readonly transferEncodings: number;
}

/** Whether a request says that it has passed a proxy. */
export function isForwarded(req: HttpRequest): boolean {
  return req.getHeader(HEADER.xForwardedFor) !== '' || req.getHeader(HEADER.via) !== '';
}

/**
 * Reads all these lines in one walk through the headers, which takes 0.5 µs with those of a browser: not for every
 * request.
 */
export function forwardedLines(req: HttpRequest): ForwardedLines {
  let hosts = 0;
  let forwardedFor = '';
  let contentLengths = 0;
  let transferEncodings = 0;
  req.forEach((name, value) => {
    if (name === 'host') hosts += 1;
    else if (name === 'x-forwarded-for') forwardedFor += forwardedFor === '' ? value : `,${value}`;
    else if (name === 'content-length') contentLengths += 1;
    else if (name === 'transfer-encoding') transferEncodings += 1;
  });
  return { hosts, forwardedFor, contentLengths, transferEncodings };
}
