import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';
import { subscriptionIn } from './billing-histories.fixture.js';
import { type BillingUpkeep, createBillingUpkeep } from './billing-upkeep.js';

let area: BillingApi;
const warnings: Record<string, unknown>[] = [];

beforeAll(async () => {
  area = await startBillingApi();
});
afterAll(() => area.api.close());

function upkeepOf(provider: string): BillingUpkeep {
  return createBillingUpkeep({
    database: area.api.database,
    outbox: createRulesetOutbox(area.api.database),
    access: area.access,
    provider,
    reconciliation: area.billing.reconciliation,
    logger: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) }),
    nowMs: area.now,
  });
}

it('a subscription of another provider gives no plan, and is in nobody’s way', async () => {
  const user = await area.api.createUser();
  const subscription = subscriptionIn('active', { id: `sub_${user.id}`, userId: user.id });
  const told = { id: `evt_${user.id}`, provider: 'stripe', occurredAt: new Date(area.now()) };
  expect(await area.billing.events.apply({ ...told, about: 'subscription', subscription })).toEqual([
    'applied',
  ]);
  expect(await area.subscription(user)).toBeNull();
  expect((await area.get(user, '/payment/billing')).json.data).toMatchObject({
    currentPlan: { id: 'free' },
    subscription: null,
  });
  expect((await area.get(user, '/auth/user')).json.plan.id).toBe('free');
  expect(await area.post(user, '/payment/subscription/cancel')).toMatchObject({
    status: 404,
    json: { error: { code: 'SUBSCRIPTION_NOT_FOUND' } },
  });
  expect(await area.subscribe(user, 'business')).toMatchObject({
    status: 'trialing',
    plan: { id: 'business' },
  });
});

it('data planes learn once which subscriptions no longer count, and once which count again', async () => {
  const user = await area.api.createUser();
  await area.addRedirect(user, `switched-${user.id}`);
  await area.subscribe(user, 'pro');
  const [toStripe, back] = [upkeepOf('stripe'), upkeepOf('sandbox')];
  const told = async (upkeep: BillingUpkeep) => {
    const before = await area.rulesets.readHead();
    await upkeep.takeOver();
    return (await area.rulesets.readDelta(before, 100))?.changes.map(({ host }) => host) ?? [];
  };
  const host = `switched-${user.id}.localhost`;
  expect(await told(toStripe)).toEqual([host]);
  expect(await told(toStripe)).toEqual([]);
  expect(await told(back)).toEqual([host]);
  expect(await told(back)).toEqual([]);
});

it('the log counts subscriptions at the inactive provider', async () => {
  const [row] = await area.api.database.query<{ count: number }>(
    "SELECT count(*) AS count FROM subscriptions WHERE provider = 'sandbox'",
  );
  warnings.length = 0;
  await upkeepOf('stripe').takeOver();
  expect(warnings).toMatchObject([{ provider: 'stripe', subscriptions: row?.count }]);
});
