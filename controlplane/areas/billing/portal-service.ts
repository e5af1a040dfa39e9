import { readUrl } from '../../../shared/process/read-url.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { Database } from '../../storage/postgres/database.js';
import { customerOf } from './customers.js';
import type { BillingProvider, Portal } from './provider.js';

/** Opens hosted pages on which users see to payment methods and invoices. */
export interface PortalService {
  /** @throws {AppError} VALIDATION_ERROR when `returnUrl` is no address to go back to, SERVICE_UNAVAILABLE */
  open(user: CurrentUser, returnUrl: string | undefined): Promise<Portal>;
}

export interface PortalServiceDeps {
  readonly database: Database;
  readonly provider: BillingProvider;
  /** Default return URL of the portal. */
  readonly dashboardUrl: string | undefined;
}

export function createPortalService({ database, provider, dashboardUrl }: PortalServiceDeps): PortalService {
  return {
    async open(user, returnUrl) {
      if (returnUrl !== undefined) requireWebAddress(returnUrl);
      return provider.createPortal({
        userId: user.id,
        customerId: await customerOf(database, provider, user),
        returnUrl: returnUrl ?? dashboardUrl,
      });
    },
  };
}

/** The address becomes a link: `javascript:` and its kind must not get there. */
function requireWebAddress(returnUrl: string): void {
  const url = readUrl(returnUrl);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && url.username === '' && url.password === '') return;
  throw new AppError('VALIDATION_ERROR', {
    field: 'returnUrl',
    message: 'returnUrl must be an absolute http or https URL without user information.',
  });
}
