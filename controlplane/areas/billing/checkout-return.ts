import { readUrl } from '../../../shared/process/read-url.js';
import { AppError } from '../../errors/app-error.js';
import type { BillingParts } from './billing-parts.js';

/** Placeholder for the id of the checkout in `successUrl` and `cancelUrl`, as written or percent-encoded. */
const PLACEHOLDER = /\{CHECKOUT_ID\}|%7BCHECKOUT_ID%7D/gi;

type ReturnOrigins = Pick<BillingParts, 'dashboardUrl' | 'corsOrigins'>;

/**
 * Checks a return URL from a caller, and inserts the id of the checkout.
 *
 * @param url as the request gives it; `null` or `undefined` if the request has none
 * @returns the address, or `null` without one
 * @throws {AppError} INVALID_REQUEST unless the URL is absolute and has an accepted origin. Otherwise callers could
 * send users to foreign sites.
 */
export type ReadReturnUrl = (
  field: 'successUrl' | 'cancelUrl',
  url: string | null | undefined,
  checkoutId: string,
) => string | null;

export function createReadReturnUrl(parts: ReturnOrigins): ReadReturnUrl {
  const accepted = returnOrigins(parts);
  return (field, url, checkoutId) => {
    if (url === null || url === undefined) return null;
    const filled = url.replace(PLACEHOLDER, checkoutId);
    const parsed = readUrl(filled);
    const isClean = parsed !== undefined && parsed.username === '' && parsed.password === '';
    if (isClean && accepted.has(parsed.origin)) return parsed.href;
    throw new AppError('INVALID_REQUEST', { field, message: refusalOf(field, accepted) });
  };
}

/** Returns the origins that users may be sent to. */
export function returnOrigins({ dashboardUrl, corsOrigins }: ReturnOrigins): ReadonlySet<string> {
  const dashboard = dashboardUrl === undefined ? [] : [new URL(dashboardUrl).origin];
  return new Set([...dashboard, ...corsOrigins.filter((origin) => origin !== '*')]);
}

function refusalOf(field: string, accepted: ReadonlySet<string>): string {
  if (accepted.size === 0) {
    return `${field} cannot be set here: neither DASHBOARD_URL nor CORS_ORIGINS names an origin. Leave it out.`;
  }
  return `${field} must be an absolute URL without user information, of one of these origins: ${[...accepted].join(', ')}.`;
}

/** Returns the default return URL, with the id of the checkout as `checkout_id`. */
export function withCheckoutId(page: string, checkoutId: string): string {
  const url = new URL(page);
  url.searchParams.set('checkout_id', checkoutId);
  return url.href;
}
