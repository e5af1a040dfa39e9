import { escapeForwarded, isUnreadable } from './header-bytes.js';
import { plainAnswer } from './redirect-answer.js';
import { DEFAULT_CACHE_SECONDS } from './redirect-definition.js';

const HTTPS_PORT = 443;

/** The redirect from HTTP to HTTPS on the same host: 308, which keeps method and body. */
export interface HttpsUpgrade {
  /** See `RedirectAnswer.head`. */
  readonly head: string;
  /** Returns the same URL with `https`; undefined when the server lost bytes of the target. */
  location(host: string, path: string, query: string): string | undefined;
}

/** @param publicPort port that visitors use. Default: 443, which URLs omit */
export function createHttpsUpgrade(publicPort = HTTPS_PORT): HttpsUpgrade {
  const port = publicPort === HTTPS_PORT ? '' : `:${publicPort}`;
  return {
    head: plainAnswer(308, DEFAULT_CACHE_SECONDS).head,
    location(host, path, query) {
      if (isUnreadable(path) || isUnreadable(query)) return undefined;
      // `OPTIONS *` has a target without a slash.
      const target = path.startsWith('/') ? escapeForwarded(path) : '/';
      return `https://${host}${port}${target}${query === '' ? '' : `?${escapeForwarded(query)}`}`;
    },
  };
}
