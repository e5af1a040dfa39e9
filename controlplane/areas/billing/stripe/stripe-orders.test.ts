import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../../http/api.fixture.js';
import { type StripeApi, startStripeApi } from './stripe-api.fixture.js';

const DAY = 24 * 3600;
const RUNS = 10;
let area: StripeApi;

beforeAll(async () => {
  area = await startStripeApi();
});
afterAll(() => area.close());

/** Two months of a customer at Stripe, without any event received yet. */
async function live() {
  const user = await area.api.createUser();
  const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
  const id = area.account.pay(new URL(json.data.checkoutUrl).pathname.slice(1));
  area.pass(31 * DAY);
  area.account.renew(id, false);
  area.pass(DAY);
  area.account.settle(id);
  area.account.refund(area.account.latestInvoice(id), 900);
  area.pass(29 * DAY);
  area.account.renew(id, true);
  return { user, id, events: area.account.takeEvents() };
}

/** A period that was paid late, and two unpaid ones after it. */
async function liveUnpaid() {
  const user = await area.api.createUser();
  const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
  const id = area.account.pay(new URL(json.data.checkoutUrl).pathname.slice(1));
  area.pass(31 * DAY);
  area.account.renew(id, false);
  area.pass(DAY);
  area.account.settle(id);
  area.pass(29 * DAY);
  const firstFailureAt = new Date(area.now());
  area.account.renew(id, false);
  area.pass(30 * DAY);
  area.account.renew(id, false);
  return { user, firstFailureAt, events: area.account.takeEvents() };
}

async function stateOf(user: TestUser) {
  const subscription = await area.subscription(user);
  const transactions = await area.transactions(user);
  const seen = transactions.map(({ type, status, amount, refundedAmount }: Record<string, unknown>) => [
    type,
    status,
    amount,
    refundedAmount,
  ]);
  return { status: subscription.status, plan: subscription.plan.id, seen };
}

const EXPECTED = {
  status: 'active',
  plan: 'pro',
  seen: [
    ['subscription_cycle', 'succeeded', 2900, 0],
    ['subscription_cycle', 'partially_refunded', 2900, 900],
    ['payment', 'succeeded', 2900, 0],
  ],
};

it('in any order and however often, events lead to where they lead in order', async () => {
  const orders = fc.array(fc.nat(1000), { minLength: 24, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(orders, async (keys) => {
      const { user, events } = await live();
      const twice = [...events, ...events].map((event, index) => ({
        event,
        key: keys[index % keys.length]!,
      }));
      for (const { event } of twice.sort((one, other) => one.key - other.key)) await area.deliver(event);
      expect(await stateOf(user)).toEqual(EXPECTED);
    }),
    { numRuns: RUNS, seed: 20_261 },
  );
});

it('with some of them lost, asking Stripe leads there as well', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), async (arrives) => {
      const { user, id, events } = await live();
      for (const [index, event] of events.entries()) if (arrives[index]) await area.deliver(event);
      await area.billing.reconciliation.reconcile(id);
      expect(await stateOf(user)).toEqual(EXPECTED);
    }),
    { numRuns: RUNS, seed: 20_262 },
  );
});

it('in any order, the days of grace count from the first charge of an unpaid stretch', async () => {
  const orders = fc.array(fc.nat(1000), { minLength: 9, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(orders, async (keys) => {
      const { user, firstFailureAt, events } = await liveUnpaid();
      const shuffled = events.map((event, index) => ({ event, key: keys[index % keys.length]! }));
      for (const { event } of shuffled.sort((one, other) => one.key - other.key)) await area.deliver(event);
      const rows = await area.api.database.query(
        'SELECT state, past_due_since FROM subscriptions WHERE user_id = $1',
        [user.id],
      );
      expect(rows).toEqual([{ state: 'past_due', past_due_since: firstFailureAt }]);
    }),
    { numRuns: RUNS / 2, seed: 20_263 },
  );
});
