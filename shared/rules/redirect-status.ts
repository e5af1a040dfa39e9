/** The statuses of redirects. */
export const REDIRECT_STATUS_CODES = [301, 302, 307, 308] as const;

export type RedirectStatusCode = (typeof REDIRECT_STATUS_CODES)[number];

/**
 * Default status of a drawn choice (a percentage or an A/B test). A permanent one would tell search engines that the
 * page has moved, although other visitors get another destination.
 */
export const DRAWN_STATUS_CODE: RedirectStatusCode = 302;

export function isRedirectStatusCode(value: unknown): value is RedirectStatusCode {
  return REDIRECT_STATUS_CODES.some((statusCode) => statusCode === value);
}
