import { AppError } from '../../errors/app-error.js';

/** A user, who owns redirects. */
export interface User {
  readonly id: string;
  /** Lower-case address; `null` for users of a JWT without a verified address. */
  readonly email: string | null;
  /** Whether its owner opened the link in a mail, or the issuer of a JWT has verified it. */
  readonly isEmailVerified: boolean;
  readonly createdAt: Date;
  /** Whether the operator has suspended the account. */
  readonly isSuspended: boolean;
  /** Time of the erasure; `null` without a request. */
  readonly eraseAt: Date | null;
  /** False for users of JWTs, and for the first user until it sets a password. */
  readonly hasPassword: boolean;
}

export function accountSuspended(): AppError {
  return new AppError('ACCOUNT_SUSPENDED', {
    message: 'The operator of this service has suspended this account. Contact the operator.',
  });
}

/**
 * Returns an address in its normal form, trimmed and in lower case. Spellings that differ only in case belong to one
 * user.
 */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
