import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { useTag } from '../../http/openapi-tags.js';
import { bodyOf, MessageSchema } from '../../http/schema-parts.js';
import type { DeletionService } from './deletion-service.js';

/** `DELETE /auth/user` and `/auth/user/restore`. */
export function createDeletionRoutes(deletion: DeletionService): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'accounts');
    app.delete(
      '/auth/user',
      {
        config: { scope: 'tokens:write', optionalBody: true, worksWhileClosing: true },
        schema: {
          operationId: 'deleteAccount',
          summary: 'Delete your account',
          description:
            'Visitors of your redirects get 410 at once, and your subscription is cancelled for the end of its period. After seven days the account is erased with its redirects, rules, statistics and subscription. Until then it can be read and restored. If there are more than 100,000 redirects, some may get 410 after the answer. Users with a password must send it.',
          body: bodyOf(
            { password: Type.Optional(Type.String({ maxLength: 200 })) },
            { password: 'correct horse battery' },
          ),
          response: {
            202: Type.Object({ ...MessageSchema.properties, eraseAt: Type.String({ format: 'date-time' }) }),
          },
        },
      },
      async ({ user, body, callerKey }, reply) => {
        const eraseAt = (await deletion.request(user, body.password, callerKey)).toISOString();
        const message = `Your account is erased on ${eraseAt}. POST /auth/user/restore takes that back until then.`;
        return reply.code(202).send({ message, eraseAt });
      },
    );

    app.post(
      '/auth/user/restore',
      {
        config: { scope: 'tokens:write', worksWhileClosing: true },
        schema: {
          operationId: 'restoreAccount',
          summary: 'Restore your account',
          description:
            'Takes the deletion back, and the cancellation of the subscription unless its period has ended meanwhile.',
          response: { 200: MessageSchema },
        },
      },
      async ({ user }) => {
        await deletion.restore(user);
        return { message: 'Your account stays, and your redirects are served again.' };
      },
    );
  };
}
