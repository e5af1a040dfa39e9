import { type Static, Type } from 'typebox';
import type { Plan } from './plans.js';
import type { User } from './user.js';

const email = Type.String({ format: 'email', maxLength: 254, accepts: 'an e-mail address' });

export const SignupSchema = Type.Object(
  {
    email,
    password: Type.String({ minLength: 8, maxLength: 200, description: '8 to 200 characters.' }),
  },
  { additionalProperties: false },
);

/** Looser than at sign-up: what could never have been accepted there is simply wrong here. */
export const LoginSchema = Type.Object(
  { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 200 }) },
  { additionalProperties: false },
);

const UserSchema = Type.Object({
  id: Type.String(),
  email: Type.Union([Type.String(), Type.Null()], {
    description: '`null` for users known only by a JWT that vouches for no address.',
  }),
  createdAt: Type.String({ format: 'date-time' }),
});

export const SessionSchema = Type.Object({
  token: Type.String({ description: 'An access token with all scopes.' }),
  expiresAt: Type.String({ format: 'date-time', description: '24 hours from now.' }),
  user: UserSchema,
});

export const AccountSchema = Type.Object({
  user: UserSchema,
  plan: Type.Object({
    id: Type.String(),
    name: Type.String(),
    limits: Type.Object(
      {
        maxRedirects: Type.Integer(),
        perRedirect: Type.Object({
          maxAnalyticsEvents: Type.Integer({ description: 'Each month.' }),
          maxRulesPerRedirect: Type.Integer(),
          analyticsRetentionDays: Type.Integer(),
        }),
      },
      { description: '-1: no limit.' },
    ),
  }),
  usage: Type.Object({ redirects: Type.Integer() }),
});

export type Signup = Static<typeof SignupSchema>;
export type Login = Static<typeof LoginSchema>;

/** A user as the API shows it. */
export function userRecord({ id, email, createdAt }: User): Static<typeof UserSchema> {
  return { id, email, createdAt: createdAt.toISOString() };
}

/** A plan as the API shows it. */
export function planRecord(plan: Plan): Static<typeof AccountSchema>['plan'] {
  const { id, name, maxRedirects, perRedirect } = plan;
  return {
    id,
    name,
    limits: {
      maxRedirects,
      perRedirect: {
        maxAnalyticsEvents: perRedirect.maxAnalyticsEventsPerMonth,
        maxRulesPerRedirect: perRedirect.maxRulesPerRedirect,
        analyticsRetentionDays: perRedirect.analyticsRetentionDays,
      },
    },
  };
}
