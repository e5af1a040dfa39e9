import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../../http/api.fixture.js';
import { type StripeApi, startStripeApi } from './stripe-api.fixture.js';

const DAY = 24 * 3600;
let area: StripeApi;

beforeAll(async () => {
  area = await startStripeApi();
});
afterAll(() => area.close());

/** Two subscriptions, as if the earlier page had been paid while it was being closed. */
async function subscribedTwice(between: (first: string) => void = () => {}) {
  const user = await area.api.createUser();
  const pages: string[] = [];
  for (const planId of ['pro', 'pro']) {
    const { json } = await area.post(user, '/payment/checkout', { planId });
    pages.push(new URL(json.data.checkoutUrl).pathname.slice(1));
  }
  const first = area.account.pay(pages[0]!);
  between(first);
  area.pass(1);
  const second = area.account.pay(pages[1]!);
  return { user, first, second };
}

const refunds = () => area.edge.requests.filter(({ path }) => path === '/refunds');
const stateOf = async (id: string) =>
  (await area.api.database.query<{ state: string }>('SELECT state FROM subscriptions WHERE id = $1', [id]))[0]
    ?.state;
const charges = async (user: TestUser) =>
  (await area.transactions(user)).map(
    ({ subscriptionId, status }: { subscriptionId: string; status: string }) => [subscriptionId, status],
  );

describe('a user who has subscribed twice', () => {
  it('keeps the earlier subscription, and has the payment of the later one back, once', async () => {
    const { user, first, second } = await subscribedTwice();
    const before = refunds().length;
    const events = area.account.takeEvents();
    for (const event of [...events, ...events]) expect((await area.deliver(event)).status).toBe(200);
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ id: first, status: 'active' });
    expect(await stateOf(second)).toBe('revoked');
    expect(await charges(user)).toEqual([
      [second, 'refunded'],
      [first, 'succeeded'],
    ]);
    await area.billing.reconciliation.reconcileAll();
    expect(refunds().slice(before)).toMatchObject([
      {
        params: { reason: 'duplicate' },
        headers: { 'idempotency-key': expect.stringMatching(/^waymark-dup/) },
      },
    ]);
  });

  describe('whose event arrived while Stripe was unavailable', () => {
    async function notifyInVain() {
      const one = await subscribedTwice();
      const events = area.account.takeEvents();
      const last = events.findLastIndex(({ type }) => type === 'customer.subscription.created');
      for (const [index, event] of events.entries()) {
        if (index === last) area.edge.failNext(500, 500, 500);
        expect((await area.deliver(event)).status).toBe(index === last ? 503 : 200);
      }
      expect(await stateOf(one.second)).toBe('active');
      return { ...one, events };
    }

    it('is handled when the event is repeated', async () => {
      const { user, first, second, events } = await notifyInVain();
      for (const event of events) expect((await area.deliver(event)).status).toBe(200);
      expect(await stateOf(second)).toBe('revoked');
      expect(await area.subscription(user)).toMatchObject({ id: first });
    });

    it('is found by the daily check', async () => {
      const { user, first, second } = await notifyInVain();
      expect(await area.billing.reconciliation.reconcileAll()).toMatchObject({ failed: 0 });
      expect(await stateOf(second)).toBe('revoked');
      expect(await area.subscription(user)).toMatchObject({ id: first });
      expect(await charges(user)).toContainEqual([second, 'refunded']);
    });
  });

  it('gets no second refund after a manual refund', async () => {
    const { second } = await subscribedTwice();
    area.account.refund(area.account.latestInvoice(second), 2900);
    await area.deliverAll();
    expect(await stateOf(second)).toBe('revoked');
  });

  it('keeps both subscriptions for an operator to decide if more than the first payment was made', async () => {
    const { first, second } = await subscribedTwice();
    area.account.renew(second, true);
    const before = refunds().length;
    await area.deliverAll();
    expect([await stateOf(first), await stateOf(second)]).toEqual(['active', 'active']);
    expect(refunds().length).toBe(before);
  });

  it('keeps both for an operator to decide if the earlier subscription is unpaid and the later one paid', async () => {
    const { second, user } = await subscribedTwice((first) => {
      area.pass(31 * DAY);
      area.account.renew(first, false);
    });
    const before = refunds().length;
    await area.deliverAll();
    expect(await stateOf(second)).toBe('active');
    expect(refunds().length).toBe(before);
    expect(await area.subscription(user)).toMatchObject({ isActive: true });
  });
});
