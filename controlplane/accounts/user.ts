/** Someone who owns redirects. */
export interface User {
  readonly id: string;
  /** Lower-case address; `null` for users of a JWT without a verified address. */
  readonly email: string | null;
  /** Whether the issuer of a JWT vouches for the address. */
  readonly isEmailVerified: boolean;
  readonly createdAt: Date;
}

/** Two spellings of an address that differ in case are one user. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
