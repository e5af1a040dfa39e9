import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { OnInvalid } from './redirect-definitions.js';

/** A redirect is read repeatedly, so each problem is logged once an hour. */
const REPEATED_AFTER_MS = 3_600_000;
const MOST_REMEMBERED = 1_000;

/** Logs redirects that cannot be served, with host and field. */
export function createInvalidLog(logger: Logger): OnInvalid {
  const logged = new LRUCache<string, true>({ max: MOST_REMEMBERED, ttl: REPEATED_AFTER_MS });
  return (problem) => {
    if (logged.has(problem)) return;
    logged.set(problem, true);
    logger.error(`${problem}. Visitors of this host get no redirect until it is corrected.`);
  };
}
