import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { AppError } from '../../errors/app-error.js';
import { useTag } from '../../http/openapi-tags.js';
import { bodyOf, IdParamSchema, MessageSchema, nullable, recordOf, time } from '../../http/schema-parts.js';
import { sessionCookie } from '../../http/session-cookie.js';
import type { AccessToken } from './access-token.js';
import type { TokenService } from './token-service.js';
import { LoginSchema, UserSchema, userRecord } from './user-schema.js';
import { callerOf, type Session, type UserService } from './user-service.js';

interface SessionRoutesDeps {
  readonly users: UserService;
  readonly tokens: TokenService;
  /** Whether browsers use TLS although the connection to the API is not encrypted. */
  readonly isBehindTls: boolean;
}

/** Sets the cookie of the session. A lifetime of 0 removes it. */
function setCookie(reply: FastifyReply, value: string, maxAgeSeconds: number, isBehindTls: boolean): void {
  const isSecure = isBehindTls || reply.request.protocol === 'https';
  reply.header('Set-Cookie', sessionCookie(value, { maxAgeSeconds, isSecure }));
}

/** Sets the cookie of an opened session and returns the answer. */
function openedSession(
  reply: FastifyReply,
  { user, secret, token }: Session,
  isBehindTls: boolean,
): Static<typeof OpenedSchema> {
  const expiresAt = token.expiresAt ?? new Date();
  const maxAgeSeconds = Math.floor((expiresAt.getTime() - Date.now()) / 1000);
  setCookie(reply, secret, maxAgeSeconds, isBehindTls);
  reply.header('Cache-Control', 'no-store');
  return { expiresAt: expiresAt.toISOString(), user: userRecord(user) };
}

const OpenedSchema = Type.Object({ expiresAt: time, user: UserSchema });
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
  const { users, tokens, isBehindTls } = deps;

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
        const session = await users.logInBrowser(request.body, callerOf(request), userAgentOf(request));
        return openedSession(reply, session, isBehindTls);
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
        setCookie(reply, '', 0, isBehindTls);
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

/** Routes that open a browser session without a password: `/auth/session/code` and `/auth/session/token`. */
export function createBrowserSessionRoutes({
  users,
  isBehindTls,
}: Omit<SessionRoutesDeps, 'tokens'>): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'accounts');
    app.post(
      '/auth/session/code',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          operationId: 'openSessionWithCode',
          summary: 'Log in with the code that the server prints at start',
          description:
            'Takes the one-time code of the link that the server prints at start. The code is valid for an hour. Sets the same cookie as `POST /auth/session`.',
          body: bodyOf(
            { code: Type.String({ maxLength: 200 }) },
            { code: 'wmc_3Q8y0mXl6p7QbXk8Rr1xVt2bq9k7YbT5' },
          ),
          response: { 200: OpenedSchema },
        },
      },
      async (request, reply) => {
        const { code } = request.body;
        const session = await users.openWithCode(code, callerOf(request), userAgentOf(request));
        return openedSession(reply, session, isBehindTls);
      },
    );

    app.post(
      '/auth/session/token',
      {
        config: { scope: 'all', storesNoAnswer: true },
        schema: {
          operationId: 'openSessionWithToken',
          summary: 'Log in a browser with an access token',
          description:
            'Logs in users without a password. Needs a token with all scopes in `Authorization`, and sets the same cookie as `POST /auth/session`. JWT users get 403.',
          response: { 200: OpenedSchema },
        },
      },
      async (request, reply) => {
        const session = await users.openForUser(request.user.id, callerOf(request), userAgentOf(request));
        return openedSession(reply, session, isBehindTls);
      },
    );
  };
}

function userAgentOf({ headers }: { headers: { 'user-agent'?: string | undefined } }): string {
  return headers['user-agent'] ?? '';
}
