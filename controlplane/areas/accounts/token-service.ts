import type { AreaParts } from '../../area.js';
import { AppError } from '../../errors/app-error.js';
import type { CurrentUser } from '../../http/current-user.js';
import type { KeepAnswer } from '../../http/idempotency.js';
import { SCOPES, type Scope, scopesAmong } from '../../http/scopes.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { type Actor, recordAudit } from '../history/public.js';
import { type AccessToken, hashTokenSecret, newSessionSecret, newTokenSecret } from './access-token.js';
import type { ActiveTokens } from './active-tokens.js';
import { type NewToken, tokenRepository } from './token-repository.js';
import type { CreateToken } from './token-schema.js';
import type { User } from './user.js';
import type { Credentials } from './user-repository.js';

const DAY_MS = 86_400_000;
const SESSION_LIFETIME_MS = DAY_MS;
const COOKIE_LIFETIME_MS = 7 * DAY_MS;
const MAX_USER_AGENT_LENGTH = 300;
/** Time for which an expired token gets EXPIRED_TOKEN. Afterwards it is deleted and gets INVALID_TOKEN. */
const EXPIRED_KEPT_DAYS = 30;
const MAX_TOKENS_PER_USER = 500;
/** Maximum number of log-ins, expired ones included. They do not count as tokens. */
const MAX_SESSIONS_PER_USER = 500;

/** A token with its secret, which is shown only now. */
export interface IssuedToken {
  readonly secret: string;
  readonly token: AccessToken;
}

/** The user of a new session, and the password that was checked for it. */
export interface SessionOwner {
  readonly user: Pick<User, 'id' | 'email'>;
  readonly passwordHash: Credentials['passwordHash'];
}

/** Creates, lists and deletes access tokens. */
export type TokenService = ReturnType<typeof createTokenService>;

export interface TokenServiceDeps extends Pick<AreaParts, 'database' | 'nowMs'> {
  readonly activeTokens: ActiveTokens;
  /** Maximum lifetime of the tokens of users who log in with a JWT. */
  readonly maxJwtTokenDays: number;
}

export function createTokenService(deps: TokenServiceDeps) {
  const { database, activeTokens, nowMs, maxJwtTokenDays } = deps;

  async function openSession(
    { user: { id: userId, email }, passwordHash }: SessionOwner,
    {
      lifetimeMs,
      address,
      ...session
    }: { name: string; lifetimeMs: number; address: string; userAgent?: string },
  ): Promise<IssuedToken> {
    await tokenRepository.deleteLongExpired(database, userId, EXPIRED_KEPT_DAYS);
    const expiresAt = new Date(nowMs() + lifetimeMs);
    const { secret, row } = newTokenRow({ ...session, userId, scopes: SCOPES, expiresAt, isSession: true });
    const token = await database.transaction(async (tx) => {
      const inserted = await tokenRepository.insertSession(tx, row, passwordHash);
      if (inserted === undefined) {
        throw new AppError('INVALID_CREDENTIALS', {
          message: 'The password was changed during this log-in; log in again.',
        });
      }
      const by = { id: userId, email, tokenId: inserted.id, address };
      await recordToken(tx, by, 'session.created', inserted, 'Logged in');
      return inserted;
    });
    const ended = await tokenRepository.deleteOldSessions(database, userId, MAX_SESSIONS_PER_USER);
    for (const hash of ended) activeTokens.forget(hash);
    return { secret, token };
  }

  /**
   * Returns the latest possible end of a new token. The issuer of JWTs can remove a user at any time. The user's tokens
   * must therefore expire, and a token must not create one that outlives it.
   */
  async function latestEnd({ tokenId }: CurrentUser): Promise<number> {
    const limit = nowMs() + maxJwtTokenDays * DAY_MS;
    if (tokenId === undefined) return limit;
    const creating = await tokenRepository.findOfExternalUser(database, tokenId);
    if (creating === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(limit, creating.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
  }

  return {
    /**
     * Creates a token with all scopes. It is valid for 24 hours, or until the user has 500 newer ones.
     *
     * @param address of the caller, for the audit log
     * @throws {AppError} INVALID_CREDENTIALS when the password has changed since it was checked
     */
    openSession: (owner: SessionOwner, name: string, address: string): Promise<IssuedToken> =>
      openSession(owner, { name, address, lifetimeMs: SESSION_LIFETIME_MS }),

    /** Does the same as `openSession`, for the cookie of a browser and for 7 days. */
    openCookieSession: (owner: SessionOwner, userAgent: string, address: string): Promise<IssuedToken> =>
      openSession(owner, {
        address,
        name: 'Browser',
        lifetimeMs: COOKIE_LIFETIME_MS,
        userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      }),

    listSessions: (userId: string): Promise<AccessToken[]> => tokenRepository.listSessions(database, userId),

    /**
     * @param notFound thrown when no session has the id
     * @throws {AppError} NOT_FOUND, FORBIDDEN
     */
    async endSession(user: Actor, id: string, notFound: AppError = noSuchSession()): Promise<void> {
      const session = await tokenRepository.findById(database, id);
      if (session?.isSession !== true) throw notFound;
      if (session.userId !== user.id) {
        throw new AppError('FORBIDDEN', { message: 'This session belongs to someone else.' });
      }
      await database.transaction(async (tx) => {
        await tokenRepository.delete(tx, id);
        await recordToken(tx, user, 'session.deleted', session, 'Ended the session');
      });
      activeTokens.forget(session.hash);
    },

    /** Ends all sessions of the user except this one. Resolves to their number. */
    async endSessions(user: Actor, exceptId?: string): Promise<number> {
      const ended = await database.transaction(async (tx) => {
        const hashes = await tokenRepository.deleteSessions(tx, user.id, exceptId);
        const summary = `Ended ${hashes.length} other sessions`;
        const all = { userId: user.id, by: user, resourceId: user.id, resourceName: user.email };
        if (hashes.length > 0) await recordAudit(tx, { ...all, action: 'session.deleted', summary });
        return hashes;
      });
      for (const hash of ended) activeTokens.forget(hash);
      return ended.length;
    },

    /** @throws {AppError} VALIDATION_ERROR when the token would have more rights than the caller */
    async create(
      user: CurrentUser,
      { name, scopes, expiresInDays }: CreateToken,
      keep?: KeepAnswer<IssuedToken>,
    ): Promise<IssuedToken> {
      const granted = requireOwnScopes(user, scopes);
      if ((await tokenRepository.countUnexpiredOfUser(database, user.id)) >= MAX_TOKENS_PER_USER) {
        throw new AppError('VALIDATION_ERROR', {
          message: `You have ${MAX_TOKENS_PER_USER} tokens, which is as many as one user can have. Delete some first.`,
        });
      }
      const wanted = expiresInDays == null ? Number.POSITIVE_INFINITY : nowMs() + expiresInDays * DAY_MS;
      const end = Math.min(wanted, await latestEnd(user));
      const expiresAt = end === Number.POSITIVE_INFINITY ? null : new Date(end);
      await tokenRepository.deleteLongExpired(database, user.id, EXPIRED_KEPT_DAYS);
      return database.transaction(async (tx) => {
        const issued = await issueToken(tx, { userId: user.id, name, scopes: granted, expiresAt });
        await recordToken(tx, user, 'token.created', issued.token, `Created with ${granted.join(', ')}`);
        await keep?.(tx, issued);
        return issued;
      });
    },

    list: (userId: string): Promise<AccessToken[]> => tokenRepository.listOfUser(database, userId),

    /** @throws {AppError} NOT_FOUND, FORBIDDEN */
    async delete(user: Actor, id: string): Promise<AccessToken> {
      const token = await tokenRepository.findById(database, id);
      if (token === undefined) {
        throw new AppError('NOT_FOUND', { message: 'There is no token with this id.' });
      }
      if (token.userId !== user.id) {
        throw new AppError('FORBIDDEN', { message: 'This token belongs to someone else.' });
      }
      await database.transaction(async (tx) => {
        await tokenRepository.delete(tx, id);
        await recordToken(tx, user, 'token.deleted', token, 'Deleted');
      });
      activeTokens.forget(token.hash);
      return token;
    },
  };
}

/** Records an event of a token or a session. The name is the owner's; the token itself is stored nowhere. */
function recordToken(
  tx: Queryable,
  by: Actor,
  action: 'token.created' | 'token.deleted' | 'session.created' | 'session.deleted',
  { id, userId, name }: AccessToken,
  summary: string,
): Promise<void> {
  return recordAudit(tx, { userId, by, action, resourceId: id, resourceName: name, summary });
}

/** Creates a token and stores its record. */
export async function issueToken(tx: Queryable, token: Omit<NewToken, 'id' | 'hash'>): Promise<IssuedToken> {
  const { secret, row } = newTokenRow(token);
  const stored = await tokenRepository.insert(tx, row);
  if (stored === undefined) throw new Error('a random token came up twice');
  return { secret, token: stored };
}

function newTokenRow(token: Omit<NewToken, 'id' | 'hash'>): { secret: string; row: NewToken } {
  const secret = token.userAgent === undefined ? newTokenSecret() : newSessionSecret();
  return { secret, row: { ...token, id: newId(), hash: hashTokenSecret(secret) } };
}

function noSuchSession(): AppError {
  return new AppError('NOT_FOUND', { message: 'There is no session with this id.' });
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
