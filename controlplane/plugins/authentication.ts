import type { FastifyInstance } from 'fastify';
import type { CurrentUser } from '../accounts/current-user.js';
import type { Scope } from '../accounts/scopes.js';
import { AppError } from '../errors/app-error.js';
import type { ErrorCode } from '../errors/error-codes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope a token needs; `null`: any valid token. */
    scope?: Scope | null;
    /** Needs no token. Every route says one or the other. */
    public?: boolean;
  }
  interface FastifyRequest {
    /** Who is asking. Only routes that are not public may read it. */
    user: CurrentUser;
    /** Why there is no user, until the route is known to need one. */
    identity: Identity;
  }
}

export type Identity = { readonly user: CurrentUser } | { readonly refusal: AppError };

/** What a header `Authorization` has, or what is wrong with it. */
export type BearerToken = { readonly token: string } | { readonly refusal: AppError };

/** Finds the user of a bearer token. Throws only when it cannot be looked up. */
export type Authenticate = (token: string) => Promise<Identity>;

/** Reads the bearer token. Whether the route needs one is decided after the rate limit has been applied. */
export function useAuthentication(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('identity');
  app.decorateRequest('user', {
    getter(): CurrentUser {
      const { identity } = this;
      if ('refusal' in identity) throw identity.refusal;
      return identity.user;
    },
  });
  app.addHook('onRequest', async (request) => {
    request.identity = await identify(readBearerToken(request.headers.authorization));
  });

  async function identify(read: BearerToken): Promise<Identity> {
    if ('refusal' in read) return read;
    try {
      return await authenticate(read.token);
    } catch (cause) {
      // Public endpoints answer all the same, and every answer carries its rate limit.
      return { refusal: authenticationUnavailable(cause) };
    }
  }
}

/** Makes it impossible to add a route without saying who may call it. */
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
    const { scopes } = request.user;
    if (config.scope != null && !scopes.includes(config.scope)) {
      throw new AppError('INSUFFICIENT_SCOPE', {
        message: `This endpoint needs a token with the scope ${config.scope}.`,
      });
    }
  });
}

/** @param header as it was sent; an empty one is none */
export function readBearerToken(header: string | undefined): BearerToken {
  const text = header?.trim() ?? '';
  if (text === '') return { refusal: missingToken() };
  const token = /^Bearer +(\S+)$/i.exec(text)?.[1];
  return token === undefined ? { refusal: invalidToken() } : { token };
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
