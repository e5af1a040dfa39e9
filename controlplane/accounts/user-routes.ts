import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { StandingOf } from './account-standing.js';
import {
  AccountSchema,
  accountRecord,
  LoginSchema,
  SessionSchema,
  SignupSchema,
  userRecord,
} from './user-schema.js';
import type { Session, UserService } from './user-service.js';

export interface UserRoutesDeps {
  readonly users: UserService;
  readonly standingOf: StandingOf;
}

const tags = ['accounts'];

/** `/auth/signup`, `/auth/login`, `/auth/user`. */
export function createUserRoutes({ users, standingOf }: UserRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/auth/signup',
      {
        config: { public: true },
        schema: {
          tags,
          summary: 'Sign up',
          description: 'Makes a user and logs in. Installations may be closed to new users.',
          body: SignupSchema,
          response: { 201: SessionSchema },
        },
      },
      async (request, reply) => reply.code(201).send(sessionRecord(await users.signUp(request.body))),
    );

    app.post(
      '/auth/login',
      {
        config: { public: true },
        schema: {
          tags,
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
          summary: 'Who am I',
          description:
            'The user of the token, the plan with its limits, what is used of them, and whether the plan is on trial or in its days of grace.',
          response: { 200: AccountSchema },
        },
      },
      async (request) => {
        const user = await users.account(request.user.id);
        return accountRecord(user, request.user.plan, await standingOf(request.user));
      },
    );
  };
}

function sessionRecord({ user, secret, token }: Session) {
  return { token: secret, expiresAt: token.expiresAt?.toISOString() ?? '', user: userRecord(user) };
}
