import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { createRuleHitsReader } from '../analytics/rule-hits.js';
import { type RuleAnalyticsApi, startRuleAnalyticsApi } from './rule-analytics.fixture.js';
import { createRuleAnalyticsRoutes } from './rule-analytics-routes.js';

let area: RuleAnalyticsApi;
let user: TestUser;

beforeAll(async () => {
  area = await startRuleAnalyticsApi(({ rules }, store) => [
    createRuleAnalyticsRoutes(rules, createRuleHitsReader(store)),
  ]);
  user = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

const ask = (redirectId: string, token = user.token) =>
  area.api.call('GET', `/rules/redirect/${redirectId}/analytics`, { token });

const EXPERIMENT = {
  name: 'landing pages',
  type: 'ab_experiment',
  action: {
    type: 'ab_test',
    variants: [
      { name: 'red', percentage: 50, url: 'https://red.example/' },
      { name: 'blue', percentage: 50, url: 'https://blue.example/' },
    ],
  },
};

test('rules are shown by priority with their hits of real traffic', async () => {
  const { id } = await area.createRedirect(user);
  const forced = await area.createRule(user, id, { name: 'forced' });
  const draft = await area.createRule(user, id, { name: 'a draft', status: 'draft' });
  const experiment = await area.createRule(user, id, { ...EXPERIMENT, priority: 1 });
  const by = (rule: { id: number }, variant = '', is_bot: 0 | 1 = 0) => ({
    redirect_id: id,
    rule_id: rule.id,
    variant,
    is_bot,
  });
  await area.record([by(forced), by(forced), by(experiment, 'blue')]);
  await area.record([by(forced), by(experiment, 'blue', 1), by(experiment, 'red'), { redirect_id: id }]);
  await area.record([{ redirect_id: 'another', rule_id: forced.id }]);

  const answer = await ask(id);
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({
    analytics: [
      {
        id: experiment.id,
        name: 'landing pages',
        type: 'ab_experiment',
        status: 'active',
        hitCount: 3,
        percentage: 50,
        humanHits: 2,
        createdAt: experiment.createdAt,
        variants: [
          { name: 'red', hits: 1, percentage: 33.33, humanHits: 1, humanPercentage: 50 },
          { name: 'blue', hits: 2, percentage: 66.67, humanHits: 1, humanPercentage: 50 },
        ],
      },
      {
        id: forced.id,
        name: 'forced',
        type: 'force',
        status: 'active',
        hitCount: 3,
        percentage: 50,
        humanHits: 3,
        createdAt: forced.createdAt,
      },
      {
        id: draft.id,
        name: 'a draft',
        type: 'force',
        status: 'draft',
        hitCount: 0,
        percentage: 0,
        humanHits: 0,
        createdAt: draft.createdAt,
      },
    ],
    totalHits: 6,
    totalRules: 3,
    activeRules: 2,
  });
});

test('a redirect without rules has zeros', async () => {
  const { id } = await area.createRedirect(user);
  expect((await ask(id)).json).toEqual({ analytics: [], totalHits: 0, totalRules: 0, activeRules: 0 });
});

test('while the store is away the answer is 503 and says nothing of the inside', async () => {
  const { id } = await area.createRedirect(user);
  area.cutStore(true);
  try {
    const answer = await ask(id);
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'SERVICE_UNAVAILABLE' } } });
    expect(answer.body).not.toContain('ECONNREFUSED');
  } finally {
    area.cutStore(false);
  }
});

test('only the owner may ask, with a token for analytics', async () => {
  const { id } = await area.createRedirect(user);
  const other = await area.api.createUser();
  const analyst = await area.api.createToken(user.id, { scopes: ['analytics:read'] });
  const reader = await area.api.createToken(user.id, { scopes: ['redirects:read'] });
  expect((await ask(id, analyst)).status).toBe(200);
  const refused = (code: string) => ({ json: { error: { code } } });
  expect(await ask(id, reader)).toMatchObject(refused('INSUFFICIENT_SCOPE'));
  expect(await ask(id, other.token)).toMatchObject(refused('FORBIDDEN'));
  expect(await ask('nobodys')).toMatchObject(refused('NOT_FOUND'));
});
