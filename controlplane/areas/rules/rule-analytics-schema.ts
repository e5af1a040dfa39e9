import { type Static, Type } from 'typebox';

const hits = (description: string) => Type.Integer({ minimum: 0, description });

const RuleAnalyticsItemSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    type: Type.Enum(['force', 'percentage', 'ab_experiment']),
    status: Type.Enum(['active', 'inactive', 'draft']),
    hitCount: hits('Matches in real traffic, whatever the sampling rate.'),
    percentage: Type.Number({ description: 'Of `totalHits`, two decimals; 0 without any.' }),
    humanHits: hits(
      'Those of `hitCount` that were visits of people: no bots, HEAD requests, prefetches or link previews. Exact, whatever the sampling rate. Matches counted before this member existed are in `hitCount` only.',
    ),
    createdAt: Type.String({ format: 'date-time' }),
    variants: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          hits: hits('Every match that led to this variant, bots included.'),
          percentage: Type.Number({ description: 'Of the hits of all variants listed, two decimals.' }),
          humanHits: hits(
            'Those of `hits` that were visits of people, as `humanHits` of the rule. Judge an experiment by these.',
          ),
          humanPercentage: Type.Number({
            description: 'Of the human hits of all variants listed, two decimals; 0 without any.',
          }),
        }),
        { description: 'The present variants of an A/B test.' },
      ),
    ),
  },
  { title: 'RuleAnalyticsItem' },
);

export const RuleAnalyticsSchema = Type.Object(
  {
    analytics: Type.Array(RuleAnalyticsItemSchema, { description: 'In order of priority.' }),
    totalHits: hits('Sum of `hitCount`.'),
    totalRules: Type.Integer({ minimum: 0 }),
    activeRules: Type.Integer({ minimum: 0 }),
  },
  { title: 'RuleAnalytics' },
);

export type RuleAnalytics = Static<typeof RuleAnalyticsSchema>;
export type RuleAnalyticsItem = Static<typeof RuleAnalyticsItemSchema>;
