import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { useTag } from '../../http/openapi-tags.js';
import { OpenedSchema, type SendSession } from './session-routes.js';
import { callerOf, type UserService } from './user-service.js';

/** Routes that open a browser session without a password: `/auth/session/code` and `/auth/session/token`. */
export function createBrowserSessionRoutes(
  users: UserService,
  sendSession: SendSession,
): FastifyPluginAsyncTypebox {
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
          body: Type.Object(
            { code: Type.String({ maxLength: 200 }) },
            {
              additionalProperties: false,
              examples: [{ code: 'wmc_3Q8y0mXl6p7QbXk8Rr1xVt2bq9k7YbT5' }],
            },
          ),
          response: { 200: OpenedSchema },
        },
      },
      async (request, reply) =>
        sendSession(
          request,
          reply,
          await users.openWithCode(request.body.code, callerOf(request), userAgentOf(request)),
        ),
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
      async (request, reply) =>
        sendSession(
          request,
          reply,
          await users.openForUser(request.user.id, callerOf(request), userAgentOf(request)),
        ),
    );
  };
}

function userAgentOf({ headers }: { headers: { 'user-agent'?: string | undefined } }): string {
  return headers['user-agent'] ?? '';
}
