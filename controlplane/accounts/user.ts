/** Someone who owns redirects. */
export interface User {
  readonly id: string;
  /** In lower case; `null` for users known only by a JWT that vouches for no address. */
  readonly email: string | null;
  readonly createdAt: Date;
}

/** Two spellings of an address that differ in case are one user. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

const MAX_EMAIL_LENGTH = 254;

/** Whether it has the form of an address; whether it works, only a message to it can tell. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(text);
}
