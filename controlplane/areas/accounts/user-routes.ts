import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { IsOperator } from '../../http/current-user.js';
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
import type { Session, UserService } from './user-service.js';

export interface UserRoutesDeps {
  readonly users: UserService;
  readonly standingOf: StandingOf;
  readonly isOperator: IsOperator;
  /** Destination of mails. */
  readonly delivery: 'email' | 'log';
}

const tags = ['accounts'];

/** `/auth/signup`, `/auth/email/verify`, `/auth/login`, `/auth/user`. */
export function createUserRoutes({
  users,
  standingOf,
  isOperator,
  delivery,
}: UserRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/auth/signup',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          tags,
          operationId: 'signUp',
          summary: 'Sign up',
          description:
            'Creates a user and logs in (201). Where addresses must be proved first (`AUTH_SIGNUP=verified`), the answer is 202 for any address, and the account begins with the link in the mail. Installations may be closed to new users.',
          body: SignupSchema,
          response: { 201: SessionSchema, 202: MailAnswerSchema },
        },
      },
      async ({ body, callerKey }, reply) => {
        const session = await users.signUp(body, callerKey);
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
          tags,
          summary: 'Confirm an e-mail address',
          description:
            'Takes the token of the link in a mail, once and within 24 hours. Creates the account where it begins with this link, and logs in.',
          body: LinkTokenSchema,
          response: { 200: SessionSchema },
        },
      },
      async ({ body }) => sessionRecord(await users.verifyEmail(body.token)),
    );

    app.post(
      '/auth/login',
      {
        config: { public: true, storesNoAnswer: true },
        schema: {
          tags,
          operationId: 'logIn',
          summary: 'Log in',
          description:
            'Returns an access token for 24 hours; the 500 newest of a user are valid. Of one account, 10 attempts from an address and 50 from all addresses that it was not logged in to from in the last 30 days are answered in 5 minutes; further ones get 429 with `Retry-After`.',
          body: LoginSchema,
          response: { 200: SessionSchema },
        },
      },
      async ({ body, callerKey }) => sessionRecord(await users.logIn(body, callerKey)),
    );

    app.get(
      '/auth/user',
      {
        config: { scope: null },
        schema: {
          tags,
          operationId: 'getAccount',
          summary: 'Who am I',
          description:
            'The user of the token, the plan with its limits, what is used of them, and whether the plan is on trial or in its days of grace.',
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
