import { AppError } from '../../errors/app-error.js';

/** Someone who owns redirects. */
export interface User {
  readonly id: string;
  /** Lower-case address; `null` for users of a JWT without a verified address. */
  readonly email: string | null;
  /** Whether its owner opened the link in a mail, or the issuer of a JWT vouches for it. */
  readonly isEmailVerified: boolean;
  readonly createdAt: Date;
  /** Whether the operator has suspended the account. */
  readonly isSuspended: boolean;
  /** Time of the erasure; `null` without a request for it. */
  readonly eraseAt: Date | null;
}

export function accountSuspended(): AppError {
  return new AppError('ACCOUNT_SUSPENDED', {
    message: 'The operator of this service has suspended this account. Contact the operator.',
  });
}

/** Two spellings of an address that differ in case are one user. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
