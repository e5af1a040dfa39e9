import { type Static, Type } from 'typebox';
import type { Plan } from '../../plan.js';

const limit = (description: string) =>
  Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER, description });

/** The longest that a TTL of the store counts to; see the migration of its table. */
const MAX_RETENTION_DAYS = 9_999;

/** The form of a plan's id. */
export const PLAN_ID_PATTERN = '^[A-Za-z0-9_-]{1,63}$';

const members = {
  id: Type.String({ pattern: PLAN_ID_PATTERN }),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.String({ maxLength: 1000 }),
  pricing: Type.Object(
    {
      amount: Type.Integer({ minimum: 0, description: 'In the smallest unit of the currency.' }),
      currency: Type.String({ pattern: '^[a-z]{3}$', description: 'ISO 4217, in lower case.' }),
      interval: Type.Enum(['month', 'year']),
      trialDays: Type.Integer({ minimum: 0, maximum: 730, description: 'Days before the first charge.' }),
    },
    { additionalProperties: false },
  ),
  limits: Type.Object(
    {
      maxRedirects: limit('Redirects of one user.'),
      perRedirect: Type.Object(
        {
          maxAnalyticsEvents: limit('Recorded each month; 0: none are, and redirecting goes on.'),
          maxRulesPerRedirect: limit('Rules of one redirect.'),
          maxPathsPerRedirect: Type.Optional(
            limit('Paths in the table of one redirect; only in PLANS_FILE.'),
          ),
          analyticsRetentionDays: Type.Integer({
            minimum: -1,
            maximum: MAX_RETENTION_DAYS,
            not: { const: 0 },
            accepts: `days from 1 to ${MAX_RETENTION_DAYS}, or -1 for ever`,
            description: 'Days that recorded events are kept.',
          }),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false, description: '-1: no limit.' },
  ),
  gracePeriodDays: Type.Integer({
    minimum: 0,
    maximum: 365,
    description: 'Days of access after a charge has failed.',
  }),
  features: Type.Record(Type.String({ maxLength: 100 }), Type.Boolean(), {
    description: 'What a page about plans may say of it. Nothing is enforced by them.',
  }),
  isActive: Type.Boolean({ description: 'Whether it can be subscribed to.' }),
  tier: Type.Integer({ minimum: 0, description: 'The higher offers more.' }),
};

/** A plan as the API shows it. */
export const PlanSchema = Type.Object(members, { title: 'Plan' });
export type PlanRecord = Static<typeof PlanSchema>;

/** A plan as a file gives it: the same, and how often the API may be called. */
export const PlanFileEntrySchema = Type.Object(
  { ...members, requestsPerMinute: Type.Optional(Type.Integer({ minimum: 1 })) },
  { additionalProperties: false },
);
export type PlanFileEntry = Static<typeof PlanFileEntrySchema>;

export const PlansSchema = Type.Object({ plans: Type.Array(PlanSchema), message: Type.String() });

export function planRecord(plan: Plan): PlanRecord {
  const { maxAnalyticsEventsPerMonth, maxRulesPerRedirect, analyticsRetentionDays } = plan.perRedirect;
  return {
    id: plan.id,
    name: plan.name,
    description: plan.description,
    pricing: plan.pricing,
    limits: {
      maxRedirects: plan.maxRedirects,
      perRedirect: {
        maxAnalyticsEvents: maxAnalyticsEventsPerMonth,
        maxRulesPerRedirect,
        analyticsRetentionDays,
      },
    },
    gracePeriodDays: plan.gracePeriodDays,
    features: plan.features,
    isActive: plan.isActive,
    tier: plan.tier,
  };
}
