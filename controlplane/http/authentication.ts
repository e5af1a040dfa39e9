import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { isPreflight } from './cors.js';
import type { CurrentUser } from './current-user.js';
import { SCOPES, type Scope } from './scopes.js';
import { readSessionCookie } from './session-cookie.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope a token needs; `all`: every scope there is; `null`: any valid token. */
    scope?: Scope | 'all' | null;
    /** Needs no token. Every route sets one or the other. */
    public?: boolean;
    /** Whether the route may change something while the account waits for its deletion. */
    worksWhileClosing?: boolean;
  }
  interface FastifyRequest {
    /** Authenticated user. Only routes that are not public may read it. */
    user: CurrentUser;
    /** The user, or the reason why the request has no user. Only routes that need a user report the reason. */
    identity: Identity;
    /** Whether the request is authenticated by the session cookie, which browsers send automatically. */
    hasSessionCookie: boolean;
  }
}

export type Identity = { readonly user: CurrentUser } | { readonly refusal: AppError };

/** Token in a header `Authorization`, or its problem. */
export type BearerToken = { readonly token: string } | { readonly refusal: AppError };

/**
 * Finds the user of a bearer token or of a session. Throws only when the look-up fails.
 *
 * @param caller as `callerKey` returns it
 */
export type Authenticate = (secret: string, caller: string) => Promise<Identity>;

/** Begins the secrets of sessions. They are accepted in the cookie only, and other tokens in the header only. */
export const SESSION_PREFIX = 'wms_';

/** Reads the bearer token. Whether the route needs one is decided after the rate limit has been applied. */
export function useAuthentication(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('identity');
  app.decorateRequest('hasSessionCookie', false);
  app.decorateRequest('user', {
    getter(): CurrentUser {
      const { identity } = this;
      if ('refusal' in identity) throw identity.refusal;
      return identity.user;
    },
  });
  app.addHook('onRequest', async (request) => {
    // A preflight has no credentials and does not count, so its token is not looked up.
    const { authorization, cookie } = isPreflight(request) ? {} : request.headers;
    const session = authorization ? undefined : readSessionCookie(cookie);
    request.hasSessionCookie = session !== undefined;
    const read = session === undefined ? readBearerToken(authorization) : readSession(session);
    const identity = await identify(read, request.callerKey);
    request.identity =
      'refusal' in identity ? identity : { user: { ...identity.user, address: request.callerAddress } };
  });

  async function identify(read: BearerToken, caller: string): Promise<Identity> {
    if ('refusal' in read) return read;
    try {
      return await authenticate(read.token, caller);
    } catch (cause) {
      // Public endpoints answer in any case, and every answer has its rate limit.
      return { refusal: authenticationUnavailable(cause) };
    }
  }
}

/** Refuses to add a route that does not define its callers. */
export function requireDeclaredAccess(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.public !== true && route.config?.scope === undefined) {
      throw new Error(`route ${String(route.method)} ${route.url} must say its scope or that it is public`);
    }
  });
}

/** Refuses callers without a token or without the route's scope. Runs after the rate limit. */
export function useAuthorization(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const { config } = request.routeOptions;
    if (request.is404 || config.public === true) return;
    const { scopes, isClosing } = request.user;
    const changes = !READS.has(request.method);
    if (changes && request.hasSessionCookie) requireOwnPage(request);
    if (changes && isClosing === true && config.worksWhileClosing !== true) throw accountClosing();
    const needed = neededScopes(config.scope);
    if (!needed.every((scope) => scopes.includes(scope))) {
      const noun = needed.length === 1 ? 'scope' : 'scopes';
      throw new AppError('INSUFFICIENT_SCOPE', {
        message: `This endpoint needs a token with the ${noun} ${needed.join(', ')}.`,
      });
    }
  });
}

function neededScopes(scope: Scope | 'all' | null | undefined): readonly Scope[] {
  if (scope === 'all') return SCOPES;
  return scope == null ? [] : [scope];
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses requests that a page of another origin could send: it cannot set this header without a preflight. */
function requireOwnPage({ headers }: FastifyRequest): void {
  if (headers['x-requested-with'] === 'waymark') return;
  throw new AppError('REQUESTED_WITH_REQUIRED', {
    field: 'X-Requested-With',
    message: 'A request with the session cookie needs the header X-Requested-With: waymark.',
  });
}

function accountClosing(): AppError {
  return new AppError('ACCOUNT_CLOSING', {
    message:
      'This account waits for its deletion and can only be read. POST /auth/user/restore takes the deletion back.',
  });
}

function readSession(secret: string): BearerToken {
  return secret.startsWith(SESSION_PREFIX) ? { token: secret } : { refusal: invalidToken() };
}

/** @param header as received; an empty one counts as none */
export function readBearerToken(header: string | undefined): BearerToken {
  const text = header?.trim() ?? '';
  if (text === '') return { refusal: missingToken() };
  const token = /^Bearer +(\S+)$/i.exec(text)?.[1];
  if (token === undefined || token.startsWith(SESSION_PREFIX)) return { refusal: invalidToken() };
  return { token };
}

/** `WWW-Authenticate` of an answer with 401: RFC 6750, section 3. */
export function challengeFor(code: ErrorCode): string {
  return code === 'INVALID_TOKEN' || code === 'EXPIRED_TOKEN' ? 'Bearer error="invalid_token"' : 'Bearer';
}

function missingToken(): AppError {
  return new AppError('MISSING_TOKEN', {
    message: 'Send an access token in the header Authorization: Bearer <token>.',
  });
}

export function invalidToken(): AppError {
  return new AppError('INVALID_TOKEN', {
    message: 'The access token is malformed, unknown or deleted. Log in or create a new one.',
  });
}

export function expiredToken(): AppError {
  return new AppError('EXPIRED_TOKEN', {
    message: 'The access token has expired. Log in or create a new one.',
  });
}

function authenticationUnavailable(cause: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: 'Access tokens cannot be checked at this moment; retry shortly.',
    cause,
  });
}
