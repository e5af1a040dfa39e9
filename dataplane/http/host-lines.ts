import type { HttpRequest } from 'uWebSockets.js';
import { headerLines } from './header-lines.js';
import { HEADER } from './header-names.js';

/**
 * Whether a request that has passed a proxy names several hosts (RFC 9112, section 3.2). The proxy, or its cache, may
 * have gone by another one than the first, which the addon gives. Without a proxy between, a visitor could mislead
 * only themselves; to look through all headers of every request would cost them all 0.5 µs.
 */
export function namesSeveralHosts(req: HttpRequest): boolean {
  const isForwarded = req.getHeader(HEADER.via) !== '' || req.getHeader(HEADER.xForwardedFor) !== '';
  return isForwarded && headerLines(req, 'host').length > 1;
}
