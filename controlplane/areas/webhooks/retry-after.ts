/** Status codes whose answers may say when to try again (RFC 9110, section 10.2.3). */
const ASKING_TO_WAIT = new Set([429, 503]);

/**
 * Returns the seconds that an answer asks to wait; undefined if it asks for none.
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
