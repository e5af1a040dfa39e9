import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { AppError } from '../../errors/app-error.js';
import { useTag } from '../../http/openapi-tags.js';
import { IdParamSchema, MessageSchema, nullable, recordOf, time } from '../../http/schema-parts.js';
import { sessionCookie } from '../../http/session-cookie.js';
import type { AccessToken } from './access-token.js';
import type { TokenService } from './token-service.js';
import { LoginSchema, UserSchema, userRecord } from './user-schema.js';
import { callerOf, type Session, type UserService } from './user-service.js';

export interface SessionRoutesDeps {
  readonly users: UserService;
  readonly tokens: TokenService;
  readonly cookieOf: CookieOf;
  readonly sendSession: SendSession;
}

/** Returns the header `Set-Cookie` for a value and a lifetime; 0 removes the cookie. */
export type CookieOf = (request: FastifyRequest, value: string, maxAgeSeconds: number) => string;

/** @param isBehindTls whether browsers use TLS although the connection to the API is not encrypted */
export function createCookieOf(isBehindTls: boolean): CookieOf {
  return (request, value, maxAgeSeconds) =>
    sessionCookie(value, { maxAgeSeconds, isSecure: isBehindTls || request.protocol === 'https' });
}

/** Sets the cookie of an opened session and returns the answer. */
export type SendSession = (
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
) => Static<typeof OpenedSchema>;

export function createSendSession(cookieOf: CookieOf): SendSession {
  return (request, reply, { user, secret, token }) => {
    const expiresAt = token.expiresAt ?? new Date();
    const maxAgeSeconds = Math.floor((expiresAt.getTime() - Date.now()) / 1000);
    reply.header('Set-Cookie', cookieOf(request, secret, maxAgeSeconds)).header('Cache-Control', 'no-store');
    return { expiresAt: expiresAt.toISOString(), user: userRecord(user) };
  };
}

export const OpenedSchema = Type.Object({ expiresAt: time, user: UserSchema });
const SessionRecordSchema = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum(['cookie', 'token'], {
      description: '`cookie`: from `POST /auth/session`. `token`: a login that returned a token.',
    }),
    userAgent: nullable(Type.String(), '`User-Agent` of the browser.'),
    isCurrent: Type.Boolean({ description: 'Whether this request belongs to the session.' }),
    createdAt: time,
    lastUsedAt: nullable(time, 'Rounded to the minute. `null` means unused.'),
    expiresAt: time,
  },
  { title: 'ListedSession' },
);

const config = { scope: 'tokens:write', worksWhileClosing: true } as const;

/** `/auth/session` for browsers, and `/auth/sessions`. */
export function createSessionRoutes(deps: SessionRoutesDeps): FastifyPluginAsyncTypebox {
  const { users, tokens, cookieOf, sendSession } = deps;

  return async (app) => {
    useTag(app, 'accounts');
    app.post(
      '/auth/session',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          operationId: 'openSession',
          summary: 'Log in with a browser',
          description:
            'Sets the cookie `wm_session` for 7 days. Later changes also need the header `X-Requested-With: waymark`. Attempts are limited like those of `/auth/login`.',
          body: LoginSchema,
          response: { 200: OpenedSchema },
        },
      },
      async (request, reply) => {
        const { body, headers } = request;
        const session = await users.logInBrowser(body, callerOf(request), headers['user-agent'] ?? '');
        return sendSession(request, reply, session);
      },
    );

    app.delete(
      '/auth/session',
      {
        config: { scope: null, worksWhileClosing: true },
        schema: {
          operationId: 'closeSession',
          summary: 'Log out',
          description: 'Ends the session of this request and removes the cookie.',
          response: { 200: MessageSchema },
        },
      },
      async (request, reply) => {
        const { user } = request;
        if (user.tokenId === undefined) throw noSession();
        await tokens.endSession(user, user.tokenId, noSession());
        reply.header('Set-Cookie', cookieOf(request, '', 0));
        return { message: 'You are logged out.' };
      },
    );

    app.get(
      '/auth/sessions',
      {
        config,
        schema: {
          operationId: 'listSessions',
          summary: 'List your sessions',
          description: 'Newest first. The list includes browser sessions and token logins.',
          response: { 200: Type.Object({ sessions: Type.Array(SessionRecordSchema) }) },
        },
      },
      async ({ user }) => ({
        sessions: (await tokens.listSessions(user.id)).map((session) => sessionRecord(session, user.tokenId)),
      }),
    );

    app.delete(
      '/auth/sessions/:id',
      {
        config,
        schema: {
          operationId: 'endSession',
          summary: 'End a session',
          description: 'The session ends at once; in other processes within a second.',
          params: IdParamSchema,
          response: { 200: MessageSchema },
        },
      },
      async ({ user, params }) => {
        await tokens.endSession(user, params.id);
        return { message: 'The session is ended.' };
      },
    );

    app.delete(
      '/auth/sessions',
      {
        config,
        schema: {
          operationId: 'endOtherSessions',
          summary: 'End all other sessions',
          description: 'The session of this request and named access tokens stay valid.',
          response: { 200: Type.Object({ ...MessageSchema.properties, ended: Type.Integer() }) },
        },
      },
      async ({ user }) => {
        const ended = await tokens.endSessions(user, user.tokenId);
        return { message: `${ended} other sessions are ended.`, ended };
      },
    );
  };
}

function sessionRecord(
  session: AccessToken,
  currentId: string | undefined,
): Static<typeof SessionRecordSchema> {
  return recordOf(SessionRecordSchema, {
    ...session,
    kind: session.isCookie ? 'cookie' : 'token',
    isCurrent: session.id === currentId,
    expiresAt: session.expiresAt ?? session.createdAt,
  });
}

function noSession(): AppError {
  return new AppError('NOT_FOUND', {
    message: 'This request belongs to no session. DELETE /auth/tokens/{id} ends an access token.',
  });
}
