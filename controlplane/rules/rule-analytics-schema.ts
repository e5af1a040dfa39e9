import { type Static, Type } from 'typebox';

const hits = (description: string) => Type.Integer({ minimum: 0, description });

const RuleAnalyticsItemSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  type: Type.Enum(['force', 'percentage', 'ab_experiment']),
  status: Type.Enum(['active', 'inactive', 'draft']),
  hitCount: hits('Matches in real traffic, whatever the sampling rate.'),
  percentage: Type.Number({ description: 'Of `totalHits`, two decimals; 0 without any.' }),
  createdAt: Type.String({ format: 'date-time' }),
  variants: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        hits: hits('Visitors who got this variant.'),
        percentage: Type.Number({ description: 'Of the hits of all variants listed, two decimals.' }),
      }),
      { description: 'The present variants of an A/B test.' },
    ),
  ),
});

export const RuleAnalyticsSchema = Type.Object({
  analytics: Type.Array(RuleAnalyticsItemSchema, { description: 'In order of priority.' }),
  totalHits: hits('Sum of `hitCount`.'),
  totalRules: Type.Integer({ minimum: 0 }),
  activeRules: Type.Integer({ minimum: 0 }),
});

export type RuleAnalytics = Static<typeof RuleAnalyticsSchema>;
export type RuleAnalyticsItem = Static<typeof RuleAnalyticsItemSchema>;
