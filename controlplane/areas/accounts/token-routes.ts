import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { keepAnswer } from '../../http/idempotency.js';
import { useTag } from '../../http/openapi-tags.js';
import { IdParamSchema, MessageSchema } from '../../http/schema-parts.js';
import { CreatedTokenSchema, CreateTokenSchema, TokenListSchema, tokenRecord } from './token-schema.js';
import type { IssuedToken, TokenService } from './token-service.js';

const config = { scope: 'tokens:write' } as const;

function createdBody({ secret, token }: IssuedToken) {
  return { token: secret, ...tokenRecord(token) };
}

/** `/auth/tokens`. */
export function createTokenRoutes(tokens: TokenService): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'accounts');
    app.post(
      '/auth/tokens',
      {
        config,
        schema: {
          operationId: 'createAccessToken',
          summary: 'Create an access token',
          description: 'The answer shows the token once.',
          body: CreateTokenSchema,
          response: { 201: CreatedTokenSchema },
        },
      },
      async (request, reply) => {
        const keep = keepAnswer(request, reply, 201, createdBody);
        return reply.code(201).send(createdBody(await tokens.create(request.user, request.body, keep)));
      },
    );

    app.get(
      '/auth/tokens',
      {
        config,
        schema: {
          operationId: 'listAccessTokens',
          summary: 'List your access tokens',
          description: 'Newest first, without the tokens themselves. The list includes logins.',
          response: { 200: TokenListSchema },
        },
      },
      async (request) => ({ tokens: (await tokens.list(request.user.id)).map(tokenRecord) }),
    );

    app.delete(
      '/auth/tokens/:id',
      {
        config,
        schema: {
          operationId: 'deleteAccessToken',
          summary: 'Delete an access token',
          description: 'The token stops working at once; in other processes within a second.',
          params: IdParamSchema,
          response: { 200: MessageSchema },
        },
      },
      async (request) => {
        const { name } = await tokens.delete(request.user, request.params.id);
        return { message: `The token ${name} is deleted.` };
      },
    );
  };
}
