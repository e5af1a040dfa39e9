import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PLANS } from '../plans/default-plans.js';
import { createPlanCatalogue } from '../plans/plan-catalogue.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';
import { createPlanAccess, warnOfLostPlans } from './subscribed-plans.js';

let area: BillingApi;

beforeAll(async () => {
  area = await startBillingApi();
});
afterAll(() => area.api.close());

it('subscribers of a removed plan have the default plan, and the operator is warned', async () => {
  const users = [await area.api.createUser(), await area.api.createUser(), await area.api.createUser()];
  await area.subscribe(users[0]!, 'pro');
  await area.subscribe(users[1]!, 'business');
  await area.subscribe(users[2]!, 'pro');
  await area.post(users[2]!, '/payment/subscription/cancel', { immediately: true });

  const { database } = area.api;
  const catalogue = createPlanCatalogue([PLANS.free, PLANS.business], 'free');
  const access = createPlanAccess({ database, catalogue, provider: 'sandbox', nowMs: area.now });
  expect((await access.planOf(users[0]!.id)).id).toBe('free');
  expect((await access.planOf(users[1]!.id)).id).toBe('business');

  const lines: object[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  await warnOfLostPlans({ database, catalogue, logger });
  expect(lines).toMatchObject([{ plan: 'pro', subscriptions: 1, limitsOf: 'free' }]);
});
