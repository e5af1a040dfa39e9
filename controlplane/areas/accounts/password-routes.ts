import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { useTag } from '../../http/openapi-tags.js';
import { bodyOf, MessageSchema } from '../../http/schema-parts.js';
import type { MailLinks } from './mail-links.js';
import type { PasswordService } from './password-service.js';
import {
  LinkTokenSchema,
  MailAnswerSchema,
  mailAnswer,
  NewPasswordSchema,
  SignupSchema,
} from './user-schema.js';

/** `/auth/password/…`. */
export function createPasswordRoutes(
  service: PasswordService,
  delivery: MailLinks['delivery'],
): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'accounts');
    app.post(
      '/auth/password/set',
      {
        config: { scope: 'all', storesNoAnswer: true },
        schema: {
          operationId: 'setFirstPassword',
          summary: 'Set the password of an account that has none',
          description:
            'The first user of an installation has no password and is signed in by the link that the server prints, or by a token. Ends all other sessions and keeps named access tokens. An account with a password gets 422, a JWT user 403.',
          body: bodyOf({ newPassword: NewPasswordSchema }, { newPassword: 'staple of my own' }),
          response: { 200: MessageSchema },
        },
      },
      async ({ user, body }) => {
        await service.setFirst(user, body.newPassword);
        return { message: 'Your password is set. All other sessions are ended.' };
      },
    );

    app.post(
      '/auth/password/change',
      {
        config: { scope: 'tokens:write', storesNoAnswer: true },
        schema: {
          operationId: 'changePassword',
          summary: 'Change your password',
          description:
            'Ends all other sessions and keeps named access tokens. Attempts are limited like those of `/auth/login`.',
          body: bodyOf(
            { currentPassword: Type.String({ maxLength: 200 }), newPassword: NewPasswordSchema },
            { currentPassword: 'correct horse battery', newPassword: 'staple of my own' },
          ),
          response: { 200: MessageSchema },
        },
      },
      async ({ user, body, callerKey }) => {
        await service.change(user, body, callerKey);
        return { message: 'Your password is changed. All other sessions are ended.' };
      },
    );

    app.post(
      '/auth/password/forgot',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          operationId: 'requestPasswordReset',
          summary: 'Ask for a mail to choose a new password',
          description:
            'The answer is the same for every address. An address gets at most five of these mails an hour.',
          body: bodyOf({ email: SignupSchema.properties.email }, { email: 'ada@example.com' }),
          response: { 202: MailAnswerSchema },
        },
      },
      async ({ body, callerKey }, reply) => {
        await service.forgot(body.email, callerKey);
        return reply
          .code(202)
          .send(mailAnswer('If an account has this address, a mail with a link is sent to it.', delivery));
      },
    );

    app.post(
      '/auth/password/reset',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          operationId: 'resetPassword',
          summary: 'Choose a new password',
          description:
            'Takes the token of the link in a mail. It is valid once, for an hour. Ends all sessions of the user.',
          body: bodyOf(
            { ...LinkTokenSchema.properties, newPassword: NewPasswordSchema },
            { token: 'wml_3Q8y0mXl6p7QbXk8Rr1xVt2bq9k7YbT5o8S1u4w6z2c', newPassword: 'staple of my own' },
          ),
          response: { 200: MessageSchema },
        },
      },
      async ({ body, callerAddress }) => {
        await service.reset(body, callerAddress);
        return { message: 'Your password is changed. Log in with it.' };
      },
    );
  };
}
