import type { Database, Queryable } from '../database/database.js';
import { newId } from '../database/new-id.js';
import { AppError } from '../errors/app-error.js';
import { type AccessToken, hashTokenSecret, newTokenSecret } from './access-token.js';
import type { ActiveTokens } from './active-tokens.js';
import type { CurrentUser } from './current-user.js';
import { SCOPES, type Scope, scopesAmong } from './scopes.js';
import { type NewToken, tokenRepository } from './token-repository.js';
import type { CreateToken } from './token-schema.js';

const DAY_MS = 86_400_000;
const SESSION_LIFETIME_MS = DAY_MS;
/** Time for which an expired token gets EXPIRED_TOKEN. Afterwards it is deleted and gets INVALID_TOKEN. */
const EXPIRED_KEPT_DAYS = 30;
const MAX_TOKENS_PER_USER = 500;
/** Maximum number of logins, expired ones included. They do not count as tokens. */
const MAX_SESSIONS_PER_USER = 500;

/** A token together with what its owner gets to see only now. */
export interface IssuedToken {
  readonly secret: string;
  readonly token: AccessToken;
}

/** Making, listing and deleting access tokens. */
export interface TokenService {
  /** A token that does everything, for 24 hours or until 500 newer ones of the user have been made. */
  openSession(userId: string, name: string): Promise<IssuedToken>;
  /** @throws {AppError} VALIDATION_ERROR when the caller would give away more than it has */
  create(user: CurrentUser, input: CreateToken): Promise<IssuedToken>;
  list(userId: string): Promise<AccessToken[]>;
  /** @throws {AppError} NOT_FOUND, FORBIDDEN */
  delete(userId: string, id: string): Promise<AccessToken>;
}

export interface TokenServiceDeps {
  readonly database: Database;
  readonly activeTokens: ActiveTokens;
  readonly nowMs: () => number;
}

export function createTokenService({ database, activeTokens, nowMs }: TokenServiceDeps): TokenService {
  async function issue(
    userId: string,
    token: {
      name: string;
      scopes: readonly Scope[];
      lifetimeMs: number | undefined;
      isSession: boolean;
    },
  ): Promise<IssuedToken> {
    await tokenRepository.deleteLongExpired(database, userId, EXPIRED_KEPT_DAYS);
    const { lifetimeMs, ...stored } = token;
    const expiresAt = lifetimeMs === undefined ? null : new Date(nowMs() + lifetimeMs);
    return issueToken(database, { ...stored, userId, expiresAt });
  }

  return {
    async openSession(userId, name) {
      const session = { name, scopes: SCOPES, lifetimeMs: SESSION_LIFETIME_MS, isSession: true };
      const issued = await issue(userId, session);
      const ended = await tokenRepository.deleteOldSessions(database, userId, MAX_SESSIONS_PER_USER);
      for (const hash of ended) activeTokens.forget(hash);
      return issued;
    },

    async create(user, { name, scopes, expiresInDays }) {
      const granted = requireOwnScopes(user, scopes);
      if ((await tokenRepository.countUnexpiredOfUser(database, user.id)) >= MAX_TOKENS_PER_USER) {
        throw new AppError('VALIDATION_ERROR', {
          message: `You have ${MAX_TOKENS_PER_USER} tokens, which is as many as one user can have. Delete some first.`,
        });
      }
      const lifetimeMs = expiresInDays == null ? undefined : expiresInDays * DAY_MS;
      return issue(user.id, { name, scopes: granted, lifetimeMs, isSession: false });
    },

    list: (userId) => tokenRepository.listOfUser(database, userId),

    async delete(userId, id) {
      const token = await tokenRepository.findById(database, id);
      if (token === undefined) {
        throw new AppError('NOT_FOUND', { message: 'There is no token with this id.' });
      }
      if (token.userId !== userId) {
        throw new AppError('FORBIDDEN', { message: 'This token belongs to someone else.' });
      }
      await tokenRepository.delete(database, id);
      activeTokens.forget(token.hash);
      return token;
    },
  };
}

/** Makes a token and stores what must be kept of it. */
export async function issueToken(tx: Queryable, token: Omit<NewToken, 'id' | 'hash'>): Promise<IssuedToken> {
  const secret = newTokenSecret();
  const stored = await tokenRepository.insert(tx, { ...token, id: newId(), hash: hashTokenSecret(secret) });
  if (stored === undefined) throw new Error('a random token came up twice');
  return { secret, token: stored };
}

function requireOwnScopes(user: CurrentUser, wanted: readonly Scope[] | undefined): readonly Scope[] {
  if (wanted === undefined) return user.scopes;
  const excess = wanted.find((scope) => !user.scopes.includes(scope));
  if (excess === undefined) return scopesAmong(wanted);
  throw new AppError('VALIDATION_ERROR', {
    field: 'scopes',
    message: `scopes holds ${excess}, which the token of this request does not have; it has: ${user.scopes.join(', ')}.`,
  });
}
