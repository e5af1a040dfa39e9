import type { RedirectStatusCode } from '../../../shared/rules/redirect-status.js';
import type { RedirectType } from '../../../shared/ruleset/redirect-definition.js';
import { AppError } from '../../errors/app-error.js';

/** Status code of a redirect whose owner sets only its type. */
export const DEFAULT_STATUS_CODES: Readonly<Record<RedirectType, RedirectStatusCode>> = {
  permanent: 301,
  temporary: 302,
};

interface GivenStatus {
  readonly redirectType?: RedirectType | undefined;
  readonly statusCode?: RedirectStatusCode | undefined;
}

export function typeOfStatusCode(statusCode: RedirectStatusCode): RedirectType {
  return statusCode === 301 || statusCode === 308 ? 'permanent' : 'temporary';
}

/** @throws {AppError} VALIDATION_ERROR when type and status contradict each other */
export function newStatusCode({ redirectType, statusCode }: GivenStatus): RedirectStatusCode {
  if (statusCode === undefined) return DEFAULT_STATUS_CODES[redirectType ?? 'permanent'];
  if (redirectType !== undefined && redirectType !== typeOfStatusCode(statusCode)) throw contradiction();
  return statusCode;
}

/**
 * Returns the status code after an update. Clients that know only `redirectType` send it back unchanged, so an
 * unchanged type keeps the status code. If type and status code contradict each other, the one that changes counts.
 *
 * @throws {AppError} VALIDATION_ERROR when both change and contradict each other
 */
export function changedStatusCode(
  current: Required<GivenStatus> & { readonly statusCode: RedirectStatusCode },
  { redirectType = current.redirectType, statusCode = current.statusCode }: GivenStatus,
): RedirectStatusCode {
  if (redirectType === undefined || redirectType === typeOfStatusCode(statusCode)) return statusCode;
  if (redirectType === current.redirectType) return statusCode;
  if (statusCode === current.statusCode) return DEFAULT_STATUS_CODES[redirectType];
  throw contradiction();
}

function contradiction(): AppError {
  return new AppError('VALIDATION_ERROR', {
    field: 'statusCode',
    message:
      'statusCode must be 301 or 308 for redirectType permanent, 302 or 307 for temporary; or leave one of them out.',
  });
}
