import { expect, test } from 'vitest';
import type { Rule } from './rule.js';
import { ruleAnalytics } from './rule-analytics-routes.js';

function ruleOf(rule: Partial<Rule>): Rule {
  return {
    id: 1,
    redirectId: 'rd_1',
    name: 'a rule',
    description: '',
    type: 'force',
    conditions: [],
    conditionLogic: 'AND',
    action: { type: 'redirect', url: 'https://rule.example/' },
    priority: 1,
    status: 'active',
    startDate: null,
    endDate: null,
    metadata: {},
    createdBy: 'ann',
    createdAt: new Date('2026-03-01T10:00:00Z'),
    updatedAt: new Date('2026-03-02T10:00:00Z'),
    version: 1,
    ...rule,
  };
}

/** @param variants with all hits and those of people */
const hits = (
  total: number,
  humanHits = total,
  variants: readonly (readonly [name: string, hits: number, humanHits: number])[] = [['', total, humanHits]],
) => ({
  hits: total,
  humanHits,
  variants: new Map(variants.map(([name, all, human]) => [name, { hits: all, humanHits: human }])),
});
const experiment = (...names: string[]) =>
  ruleOf({
    type: 'ab_experiment',
    action: {
      type: 'ab_test',
      sticky: 'cookie',
      variants: names.map((name) => ({ name, percentage: 100 / names.length, url: 'https://a.example/' })),
    },
  });

test('each rule has its share of all hits', () => {
  const rules = [
    ruleOf({ id: 7, name: 'first' }),
    ruleOf({ id: 3, name: 'second', type: 'percentage', status: 'inactive' }),
    ruleOf({ id: 9, name: 'third', status: 'draft' }),
  ];
  const counted = new Map([
    [3, hits(1)],
    [7, hits(2, 1)],
    // Hits of a deleted rule.
    [8, hits(100)],
  ]);
  const createdAt = '2026-03-01T10:00:00.000Z';
  expect(ruleAnalytics(rules, counted)).toEqual({
    analytics: [
      {
        id: 7,
        name: 'first',
        type: 'force',
        status: 'active',
        hitCount: 2,
        percentage: 66.67,
        humanHits: 1,
        createdAt,
      },
      {
        id: 3,
        name: 'second',
        type: 'percentage',
        status: 'inactive',
        hitCount: 1,
        percentage: 33.33,
        humanHits: 1,
        createdAt,
      },
      {
        id: 9,
        name: 'third',
        type: 'force',
        status: 'draft',
        hitCount: 0,
        percentage: 0,
        humanHits: 0,
        createdAt,
      },
    ],
    totalHits: 3,
    totalRules: 3,
    activeRules: 1,
  });
});

test('without hits all is zero', () => {
  expect(ruleAnalytics([ruleOf({})], new Map())).toMatchObject({
    analytics: [{ hitCount: 0, percentage: 0, humanHits: 0 }],
    totalHits: 0,
  });
});

test('without rules there is nothing', () => {
  expect(ruleAnalytics([], new Map([[1, hits(5)]]))).toEqual({
    analytics: [],
    totalHits: 0,
    totalRules: 0,
    activeRules: 0,
  });
});

test.each<[string, Rule, ReturnType<typeof hits> | undefined, unknown]>([
  [
    'shows its present variants in their order, those without hits too',
    experiment('red', 'blue', 'green'),
    hits(3, 3, [
      ['blue', 2, 2],
      ['red', 1, 1],
    ]),
    [
      { name: 'red', hits: 1, percentage: 33.33, humanHits: 1, humanPercentage: 33.33 },
      { name: 'blue', hits: 2, percentage: 66.67, humanHits: 2, humanPercentage: 66.67 },
      { name: 'green', hits: 0, percentage: 0, humanHits: 0, humanPercentage: 0 },
    ],
  ],
  [
    'tells people from the bots that were sent to one of its variants',
    experiment('A', 'B'),
    hits(30, 20, [
      ['A', 21, 11],
      ['B', 9, 9],
    ]),
    [
      { name: 'A', hits: 21, percentage: 70, humanHits: 11, humanPercentage: 55 },
      { name: 'B', hits: 9, percentage: 30, humanHits: 9, humanPercentage: 45 },
    ],
  ],
  [
    'has no share of people as long as only bots came',
    experiment('A', 'B'),
    hits(2, 0, [['A', 2, 0]]),
    [
      { name: 'A', hits: 2, percentage: 100, humanHits: 0, humanPercentage: 0 },
      { name: 'B', hits: 0, percentage: 0, humanHits: 0, humanPercentage: 0 },
    ],
  ],
  [
    'gives shares of what it shows when a variant is no more',
    experiment('red', 'blue'),
    hits(14, 12, [
      ['red', 1, 1],
      ['blue', 3, 1],
      ['gone', 10, 10],
    ]),
    [
      { name: 'red', hits: 1, percentage: 25, humanHits: 1, humanPercentage: 50 },
      { name: 'blue', hits: 3, percentage: 75, humanHits: 1, humanPercentage: 50 },
    ],
  ],
  [
    'shows zeros before the first hit',
    experiment('red', 'blue'),
    undefined,
    [
      { name: 'red', hits: 0, percentage: 0, humanHits: 0, humanPercentage: 0 },
      { name: 'blue', hits: 0, percentage: 0, humanHits: 0, humanPercentage: 0 },
    ],
  ],
  ['that is none shows no variants', ruleOf({}), hits(5), undefined],
])('an A/B test %s', (_what, rule, counted, variants) => {
  const { analytics } = ruleAnalytics([rule], new Map(counted && [[rule.id, counted]]));
  expect(analytics[0]!.hitCount).toBe(counted?.hits ?? 0);
  expect(analytics[0]!.humanHits).toBe(counted?.humanHits ?? 0);
  expect(analytics[0]!.variants).toEqual(variants);
});
