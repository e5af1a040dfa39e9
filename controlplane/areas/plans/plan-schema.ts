import { type Static, Type } from 'typebox';
import { recordOf } from '../../http/schema-parts.js';
import type { Plan } from '../../plan.js';

const limit = (description: string) =>
  Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER, description });

/** Maximum TTL of the store; see the migration of its table. */
const MAX_RETENTION_DAYS = 9_999;

/** The form of a plan's id. */
export const PLAN_ID_PATTERN = '^[A-Za-z0-9_-]{1,63}$';

const members = {
  id: Type.String({ pattern: PLAN_ID_PATTERN }),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.String({ maxLength: 1000 }),
  pricing: Type.Object(
    {
      amount: Type.Integer({ minimum: 0, description: 'Amount in the smallest currency unit.' }),
      currency: Type.String({ pattern: '^[a-z]{3}$', description: 'ISO 4217 code in lower case.' }),
      interval: Type.Enum(['month', 'year']),
      trialDays: Type.Integer({ minimum: 0, maximum: 730, description: 'Days before the first charge.' }),
    },
    { additionalProperties: false },
  ),
  limits: Type.Object(
    {
      maxRedirects: limit('Maximum redirects of a user.'),
      perRedirect: Type.Object(
        {
          maxAnalyticsEvents: limit(
            'Monthly limit of recorded events. At 0 nothing is recorded, and redirecting continues.',
          ),
          maxRulesPerRedirect: limit('Maximum rules of a redirect.'),
          maxPathsPerRedirect: Type.Optional(
            limit('Maximum entries in the path table of a redirect. Set only in `PLANS_FILE`.'),
          ),
          analyticsRetentionDays: Type.Integer({
            minimum: -1,
            maximum: MAX_RETENTION_DAYS,
            not: { const: 0 },
            accepts: `days from 1 to ${MAX_RETENTION_DAYS}, or -1 for ever`,
            description: 'Retention of recorded events in days.',
          }),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false, description: '-1 means unlimited.' },
  ),
  gracePeriodDays: Type.Integer({
    minimum: 0,
    maximum: 365,
    description: 'Days of access after a failed charge.',
  }),
  features: Type.Record(Type.String({ maxLength: 100 }), Type.Boolean(), {
    description: 'Features for a pricing page. They enforce nothing.',
  }),
  isActive: Type.Boolean({ description: 'Whether users can subscribe to it.' }),
  tier: Type.Integer({ minimum: 0, description: 'Rank of the plan. A higher tier offers more.' }),
};

/** A plan as the API shows it. */
export const PlanSchema = Type.Object(members, { title: 'Plan' });
export type PlanRecord = Static<typeof PlanSchema>;

/** A plan in a file: as the API shows it, with the rate limit. */
export const PlanFileEntrySchema = Type.Object(
  { ...members, requestsPerMinute: Type.Optional(Type.Integer({ minimum: 1 })) },
  { additionalProperties: false },
);
export type PlanFileEntry = Static<typeof PlanFileEntrySchema>;

export const PlansSchema = Type.Object({ plans: Type.Array(PlanSchema), message: Type.String() });

export function planRecord(plan: Plan): PlanRecord {
  const { maxAnalyticsEventsPerMonth, maxRulesPerRedirect, analyticsRetentionDays } = plan.perRedirect;
  const perRedirect = {
    maxAnalyticsEvents: maxAnalyticsEventsPerMonth,
    maxRulesPerRedirect,
    analyticsRetentionDays,
  };
  return recordOf(PlanSchema, { ...plan, limits: { maxRedirects: plan.maxRedirects, perRedirect } });
}
