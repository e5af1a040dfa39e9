import { readUrl } from '../../../shared/process/read-url.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Database } from '../../storage/postgres/database.js';
import { type ReturnOrigins, returnOrigins } from './checkout-return.js';
import { customerOf } from './customers.js';
import type { BillingProvider, Portal } from './provider.js';

/** Opens hosted pages on which users manage payment methods and invoices. */
export interface PortalService {
  /** @throws {AppError} VALIDATION_ERROR when `returnUrl` is not accepted, SERVICE_UNAVAILABLE */
  open(user: CurrentUser, returnUrl: string | undefined): Promise<Portal>;
}

/** The dashboard is also the default return URL of the portal. */
export interface PortalServiceDeps extends ReturnOrigins {
  readonly database: Database;
  readonly provider: BillingProvider;
}

export function createPortalService(deps: PortalServiceDeps): PortalService {
  const { database, provider, dashboardUrl } = deps;
  const accepted = returnOrigins(deps);
  return {
    async open(user, returnUrl) {
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
