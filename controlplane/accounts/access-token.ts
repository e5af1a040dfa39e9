import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from './scopes.js';

const SECRET_BYTES = 32;
const TOKEN_FORM = /^wm_[A-Za-z0-9_-]{40,250}$/;

/** An opaque token as it is stored: everything but the token itself. */
export interface AccessToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** SHA-256 of the token. */
  readonly hash: Buffer;
  readonly scopes: readonly Scope[];
  /** `null`: it has no end. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
}

/** A new token: `wm_` and 43 random characters (256 bits). Shown to its owner once. */
export function newTokenSecret(): string {
  return `wm_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

export function isTokenSecret(text: string): boolean {
  return TOKEN_FORM.test(text);
}

/** No salt and no slow hash: what is hashed is random already, and cannot be guessed. */
export function hashTokenSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
