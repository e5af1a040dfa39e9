import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { IsOperator } from '../../http/current-user.js';
import { useTag } from '../../http/openapi-tags.js';
import { bodyOf } from '../../http/schema-parts.js';
import type { StandingOf } from './account-standing.js';
import {
  AccountSchema,
  accountRecord,
  LinkTokenSchema,
  LoginSchema,
  MailAnswerSchema,
  mailAnswer,
  SessionSchema,
  SignupSchema,
  userRecord,
} from './user-schema.js';
import { callerOf, type Session, type UserService } from './user-service.js';

export interface UserRoutesDeps {
  readonly users: UserService;
  readonly standingOf: StandingOf;
  readonly isOperator: IsOperator;
  /** Sends the mails. */
  readonly delivery: 'email' | 'log';
}

/** `/auth/signup`, `/auth/email/verify` and `resend`, `/auth/login`, `/auth/user`. */
export function createUserRoutes({
  users,
  standingOf,
  isOperator,
  delivery,
}: UserRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    useTag(app, 'accounts');
    app.post(
      '/auth/signup',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          operationId: 'signUp',
          summary: 'Sign up',
          description:
            'Creates a user and logs in (201). With `AUTH_SIGNUP=verified` the answer is 202 for any address, and the link in the mail creates the account. An installation may accept no new users.',
          body: SignupSchema,
          response: { 201: SessionSchema, 202: MailAnswerSchema },
        },
      },
      async (request, reply) => {
        const session = await users.signUp(request.body, callerOf(request));
        if (session !== undefined) return reply.code(201).send(sessionRecord(session));
        return reply
          .code(202)
          .send(mailAnswer('Open the link in the mail to this address to go on.', delivery));
      },
    );

    app.post(
      '/auth/email/verify',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          operationId: 'verifyEmail',
          summary: 'Confirm an e-mail address',
          description:
            'Takes the token of the link in a mail. It is valid once, for 24 hours. Logs in, and creates the account if the link belongs to a signup.',
          body: LinkTokenSchema,
          response: { 200: SessionSchema },
        },
      },
      async (request) => sessionRecord(await users.verifyEmail(request.body.token, callerOf(request))),
    );

    app.post(
      '/auth/email/resend',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          operationId: 'resendVerificationMail',
          summary: 'Ask for the mail of your signup again',
          description:
            'Mails a new link to an address that has signed up and is not confirmed. The answer is the same for every address. An address gets at most five mails an hour, those of signups and forgotten passwords included.',
          body: bodyOf({ email: SignupSchema.properties.email }, { email: 'ada@example.com' }),
          response: { 202: MailAnswerSchema },
        },
      },
      async (request, reply) => {
        await users.resendLink(request.body.email, callerOf(request));
        const what = 'If this address has signed up and is not confirmed, a mail with a link is sent to it.';
        return reply.code(202).send(mailAnswer(what, delivery));
      },
    );

    app.post(
      '/auth/login',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          operationId: 'logIn',
          summary: 'Log in',
          description:
            'Returns an access token for 24 hours. A user has at most 500 valid logins. An account accepts 10 attempts per address in 5 minutes, and 50 from all addresses without a login in the last 30 days. Further attempts get 429 with `Retry-After`.',
          body: LoginSchema,
          response: { 200: SessionSchema },
        },
      },
      async (request) => sessionRecord(await users.logIn(request.body, callerOf(request))),
    );

    app.get(
      '/auth/user',
      {
        config: { scope: null },
        schema: {
          operationId: 'getAccount',
          summary: 'Get the current user',
          description: 'Returns the user of the token, the plan with its limits, and the usage.',
          response: { 200: AccountSchema },
        },
      },
      async (request) => {
        const user = await users.account(request.user.id);
        const [standing, operates] = await Promise.all([standingOf(request.user), isOperator(request.user)]);
        return { ...accountRecord(user, request.user.plan, standing), isOperator: operates };
      },
    );
  };
}

function sessionRecord({ user, secret, token }: Session) {
  return { token: secret, expiresAt: token.expiresAt?.toISOString() ?? '', user: userRecord(user) };
}
