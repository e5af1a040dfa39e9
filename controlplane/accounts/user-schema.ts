import { type Static, Type } from 'typebox';
import { PlanSchema, planRecord } from '../billing/plan-schema.js';
import type { AccountStanding } from './account-standing.js';
import type { Plan } from './plans.js';
import { UsageStatsSchema, usageRecord } from './usage-schema.js';
import type { User } from './user.js';

const email = Type.String({ format: 'email', maxLength: 254, accepts: 'an e-mail address' });

export const SignupSchema = Type.Object(
  {
    email,
    password: Type.String({ minLength: 8, maxLength: 200, description: '8 to 200 characters.' }),
  },
  {
    additionalProperties: false,
    examples: [{ email: 'ada@example.com', password: 'correct horse battery' }],
  },
);

/** Looser than at sign-up: what could never have been accepted there is simply wrong here. */
export const LoginSchema = Type.Object(
  { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 200 }) },
  {
    additionalProperties: false,
    examples: [{ email: 'ada@example.com', password: 'correct horse battery' }],
  },
);

const UserSchema = Type.Object({
  id: Type.String(),
  email: Type.Union([Type.String(), Type.Null()], {
    description: '`null` for users known only by a JWT that vouches for no address.',
  }),
  isEmailVerified: Type.Boolean({
    description: 'Whether somebody vouches for the address: the issuer of the JWT that the user came with.',
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
  plan: PlanSchema,
  usage: Type.Object({
    redirects: Type.Integer({ description: '`redirectsUsed` and `redirectsPending` together.' }),
    ...UsageStatsSchema.properties,
  }),
  isEmailVerified: Type.Boolean({ description: 'The same as `user.isEmailVerified`.' }),
  isOnTrial: Type.Boolean(),
  trialEndsAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: '`null`: not on trial.',
  }),
  isInGracePeriod: Type.Boolean({
    description: 'A payment failed, and the plan applies for its days of grace.',
  }),
});

export type Signup = Static<typeof SignupSchema>;
export type Login = Static<typeof LoginSchema>;

/** A user as the API shows it. */
export function userRecord({ id, email, isEmailVerified, createdAt }: User): Static<typeof UserSchema> {
  return { id, email, isEmailVerified, createdAt: createdAt.toISOString() };
}

/** A user with the plan, the usage and the subscription, as the API shows them. */
export function accountRecord(
  user: User,
  plan: Plan,
  { usage, trialEndsAt, isInGracePeriod }: AccountStanding,
): Static<typeof AccountSchema> {
  return {
    user: userRecord(user),
    plan: planRecord(plan),
    usage: { redirects: usage.redirectsUsed + usage.redirectsPending, ...usageRecord(usage) },
    isEmailVerified: user.isEmailVerified,
    isOnTrial: trialEndsAt !== null,
    trialEndsAt: trialEndsAt?.toISOString() ?? null,
    isInGracePeriod,
  };
}
