/** Status codes whose answers may have `Retry-After` (RFC 9110, section 10.2.3). */
const ASKING_TO_WAIT = new Set([429, 503]);

/**
 * Returns the delay in seconds that an answer requests; undefined without one.
 *
 * @param retryAfter the header `Retry-After`: seconds or a date
 */
export function retryAfterSeconds(
  statusCode: number,
  retryAfter: string | undefined,
  nowMs: number,
): number | undefined {
  if (retryAfter === undefined || !ASKING_TO_WAIT.has(statusCode)) return undefined;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - nowMs) / 1000;
  return seconds > 0 ? seconds : undefined;
}
