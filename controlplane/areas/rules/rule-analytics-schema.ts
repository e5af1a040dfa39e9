import { type Static, Type } from 'typebox';

const hits = (description: string) => Type.Integer({ minimum: 0, description });

const RuleAnalyticsItemSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    type: Type.Enum(['force', 'percentage', 'ab_experiment']),
    status: Type.Enum(['active', 'inactive', 'draft']),
    hitCount: hits('Matches in real traffic, independent of the sampling rate.'),
    percentage: Type.Number({ description: 'Percentage of `totalHits`, with two decimals.' }),
    humanHits: hits(
      'Matches by people: no bots, HEAD requests, prefetches or link previews. Matches from before this member existed count in `hitCount` only.',
    ),
    createdAt: Type.String({ format: 'date-time' }),
    variants: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          hits: hits('All matches that led to this variant, including bots.'),
          percentage: Type.Number({
            description: 'Percentage of the hits of all listed variants, with two decimals.',
          }),
          humanHits: hits('Hits by people, like `humanHits` of the rule. Use these to judge an experiment.'),
          humanPercentage: Type.Number({
            description: 'Percentage of the human hits of all listed variants, with two decimals.',
          }),
        }),
        { description: 'Current variants of an A/B test.' },
      ),
    ),
  },
  { title: 'RuleAnalyticsItem' },
);

export const RuleAnalyticsSchema = Type.Object(
  {
    analytics: Type.Array(RuleAnalyticsItemSchema, { description: 'Sorted by priority.' }),
    totalHits: hits('Sum of all `hitCount`.'),
    totalRules: Type.Integer({ minimum: 0 }),
    activeRules: Type.Integer({ minimum: 0 }),
  },
  { title: 'RuleAnalytics' },
);

export type RuleAnalytics = Static<typeof RuleAnalyticsSchema>;
export type RuleAnalyticsItem = Static<typeof RuleAnalyticsItemSchema>;
