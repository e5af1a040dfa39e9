import { type Static, Type } from 'typebox';
import { bodyOf, nullable, recordOf, time } from '../../http/schema-parts.js';
import type { Plan } from '../../plan.js';
import { PlanSchema, planRecord } from '../plans/public.js';
import { type AccountStanding, UsageStatsSchema } from './account-standing.js';
import type { User } from './user.js';

const email = Type.String({ format: 'email', maxLength: 254, accepts: 'an e-mail address' });

/** A new password. Spaces around it count. */
export const NewPasswordSchema = Type.String({
  minLength: 8,
  maxLength: 200,
  description: '8 to 200 characters. Spaces at both ends count.',
});

export const SignupSchema = bodyOf(
  { email, password: NewPasswordSchema },
  { email: 'ada@example.com', password: 'correct horse battery' },
);

/** Accepts values that a sign-up refuses. They match no account and get the answer for a wrong password. */
export const LoginSchema = bodyOf(
  { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 200 }) },
  { email: 'ada@example.com', password: 'correct horse battery' },
);

export const UserSchema = Type.Object(
  {
    id: Type.String(),
    email: nullable(Type.String(), '`null` for JWT users without a confirmed address.'),
    isEmailVerified: Type.Boolean({
      description: 'Whether the address is confirmed, by a link in a mail or by the issuer of a JWT.',
    }),
    createdAt: time,
  },
  { title: 'User' },
);

export const SessionSchema = Type.Object(
  {
    token: Type.String({ description: 'An access token with all scopes.' }),
    expiresAt: Type.String({
      format: 'date-time',
      description: 'Expiry of the token, 24 hours after the login.',
    }),
    user: UserSchema,
  },
  { title: 'Session' },
);

/** Answer before a mail is sent. It does not depend on whether the address is known. */
export const MailAnswerSchema = Type.Object(
  {
    message: Type.String(),
    delivery: Type.Enum(['email', 'log'], {
      description: '`log`: without an SMTP server, the operator finds the link in the log.',
    }),
  },
  { title: 'MailAnswer' },
);

export const LinkTokenSchema = bodyOf(
  { token: Type.String({ maxLength: 200, description: 'Parameter `token` of the link in the mail.' }) },
  { token: 'wml_3Q8y0mXl6p7QbXk8Rr1xVt2bq9k7YbT5o8S1u4w6z2c' },
);

export const AccountSchema = Type.Object(
  {
    user: UserSchema,
    eraseAt: nullable(time, 'Time when the account will be erased after its deletion. `null` means never.'),
    plan: PlanSchema,
    usage: Type.Object({
      redirects: Type.Integer({ description: 'Sum of `redirectsUsed` and `redirectsPending`.' }),
      ...UsageStatsSchema.properties,
    }),
    isEmailVerified: Type.Boolean({ description: 'Same as `user.isEmailVerified`.' }),
    hasPassword: Type.Boolean({ description: 'Whether the user can log in with a password.' }),
    isOperator: Type.Boolean({ description: 'Whether the user operates this installation.' }),
    isOnTrial: Type.Boolean(),
    trialEndsAt: nullable(time, 'Null if not on trial.'),
    isInGracePeriod: Type.Boolean({
      description: 'Whether a payment failed and the plan still applies for its grace period.',
    }),
  },
  { title: 'Account' },
);

export type Signup = Static<typeof SignupSchema>;
export type Login = Static<typeof LoginSchema>;

/** A user as the API shows it. */
export function userRecord(user: User): Static<typeof UserSchema> {
  return recordOf(UserSchema, user);
}

/** @param what the sentence about the mail that an eligible address gets */
export function mailAnswer(what: string, delivery: 'email' | 'log'): Static<typeof MailAnswerSchema> {
  const where =
    delivery === 'email'
      ? ''
      : ' This installation has no SMTP server: its operator finds the mail in the log.';
  return { message: `${what}${where}`, delivery };
}

/** A user with the plan, the usage and the subscription, as the API shows them. */
export function accountRecord(
  user: User,
  plan: Plan,
  { usage, trialEndsAt, isInGracePeriod }: AccountStanding,
): Omit<Static<typeof AccountSchema>, 'isOperator'> {
  return {
    user: userRecord(user),
    eraseAt: user.eraseAt?.toISOString() ?? null,
    plan: planRecord(plan),
    usage: { redirects: usage.redirectsUsed + usage.redirectsPending, ...usage },
    isEmailVerified: user.isEmailVerified,
    hasPassword: user.hasPassword,
    isOnTrial: trialEndsAt !== null,
    trialEndsAt: trialEndsAt?.toISOString() ?? null,
    isInGracePeriod,
  };
}
