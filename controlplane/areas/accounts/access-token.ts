import { createHash, randomBytes } from 'node:crypto';
import { SESSION_PREFIX } from '../../http/authentication.js';
import type { Scope } from '../../http/scopes.js';

const SECRET_BYTES = 32;
const SESSION_FORM = /^wms_[A-Za-z0-9_-]{43}$/;
const TOKEN_FORM = /^wm_[A-Za-z0-9_-]{40,250}$/;

/** A stored opaque token, without the token itself. */
export interface AccessToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** SHA-256 of the token. */
  readonly hash: Buffer;
  readonly scopes: readonly Scope[];
  /** `null`: the token does not expire. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  /** Whether a log-in created it. */
  readonly isSession: boolean;
  /** Whether it is the session of a browser. */
  readonly isCookie: boolean;
  readonly userAgent: string | null;
}

/** A new token: `wm_` and 43 random characters (256 bits). Shown to its owner once. */
export function newTokenSecret(): string {
  return `wm_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** A new session for a cookie: `wms_` and 43 random characters. */
export function newSessionSecret(): string {
  return `${SESSION_PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

export function isSessionSecret(text: string): boolean {
  return SESSION_FORM.test(text);
}

export function isTokenSecret(text: string): boolean {
  return TOKEN_FORM.test(text);
}

/** No salt and no slow hash: the token is random and cannot be guessed. */
export function hashTokenSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
