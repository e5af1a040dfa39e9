import type { HttpRequest } from 'uWebSockets.js';
import { HEADER } from './header-names.js';

/** Headers that proxies are concerned with, of which there may be several lines. */
export interface ForwardedLines {
  /** Lines of `Host`. */
  readonly hosts: number;
  /** All lines of `X-Forwarded-For`, joined by commas; empty without. */
  readonly forwardedFor: string;
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
  req.forEach((name, value) => {
    if (name === 'host') hosts += 1;
    else if (name === 'x-forwarded-for') forwardedFor += forwardedFor === '' ? value : `,${value}`;
  });
  return { hosts, forwardedFor };
}
