import { readUrl } from '../../../shared/process/read-url.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { BillingParts } from './billing-parts.js';
import { returnOrigins } from './checkout-return.js';
import { customerOf } from './customers.js';
import type { Portal } from './provider.js';

/** Opens hosted pages on which users manage payment methods and invoices. */
export type PortalService = ReturnType<typeof createPortalService>;

export function createPortalService(
  parts: Pick<BillingParts, 'database' | 'provider' | 'dashboardUrl' | 'corsOrigins'>,
) {
  const { database, provider, dashboardUrl } = parts;
  const accepted = returnOrigins(parts);
  return {
    /** @throws {AppError} VALIDATION_ERROR when `returnUrl` is not accepted, SERVICE_UNAVAILABLE */
    async open(user: CurrentUser, returnUrl: string | undefined): Promise<Portal> {
      if (returnUrl !== undefined) requireReturnUrl(returnUrl, accepted);
      return provider.createPortal({
        userId: user.id,
        customerId: await customerOf(database, provider, user),
        returnUrl: returnUrl ?? dashboardUrl,
      });
    },
  };
}

/**
 * The URL becomes a link, so `javascript:` and similar schemes are refused. If the installation names its origins,
 * only these are accepted.
 */
function requireReturnUrl(returnUrl: string, accepted: ReadonlySet<string>): void {
  const url = readUrl(returnUrl);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  const isClean = isWeb && url.username === '' && url.password === '';
  if (isClean && (accepted.size === 0 || accepted.has(url.origin))) return;
  const origins = accepted.size === 0 ? '' : `, of one of these origins: ${[...accepted].join(', ')}`;
  throw new AppError('VALIDATION_ERROR', {
    field: 'returnUrl',
    message: `returnUrl must be an absolute http or https URL without user information${origins}.`,
  });
}
