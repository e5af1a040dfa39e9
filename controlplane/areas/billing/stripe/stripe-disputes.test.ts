import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StripeApi, startStripeApi } from './stripe-api.fixture.js';

let area: StripeApi;

beforeAll(async () => {
  area = await startStripeApi();
});
afterAll(() => area.close());

async function subscriber() {
  const user = await area.api.createUser();
  const id = await area.subscribe(user, 'pro');
  return { user, id, invoice: area.account.latestInvoice(id) };
}
const disputesOf = (user: { id: string }) =>
  area.api.database.query(
    'SELECT status, amount, currency, reason FROM payment_disputes WHERE user_id = $1',
    [user.id],
  );
const disputed = { amount: 2900, currency: 'usd', reason: 'fraudulent' };

describe('a disputed payment', () => {
  it('is recorded and announced, and the subscription goes on', async () => {
    const { user, invoice } = await subscriber();
    area.account.dispute(invoice, 'created', 'needs_response');
    area.account.dispute(invoice, 'updated', 'under_review');
    await area.deliverAll();
    expect(await disputesOf(user)).toEqual([{ status: 'open', ...disputed }]);
    expect(area.told(user)).toEqual(['subscription.confirmed', 'payment.disputed']);
    expect(await area.subscription(user)).toMatchObject({ isActive: true });
  });

  it('ends the subscription at once when it is lost', async () => {
    const { user, invoice } = await subscriber();
    area.account.dispute(invoice, 'created', 'needs_response');
    area.pass(60);
    area.account.dispute(invoice, 'closed', 'lost');
    await area.deliverAll();
    expect(await disputesOf(user)).toEqual([{ status: 'lost', ...disputed }]);
    expect(await area.subscription(user)).toBeNull();
    expect((await area.get(user, '/auth/user')).json.plan.id).toBe('free');
    expect(area.told(user)).toEqual([
      'subscription.confirmed',
      'payment.disputed',
      'payment.dispute_closed',
      'subscription.revoked',
    ]);
  });

  it('changes nothing when it is won', async () => {
    const { user, invoice } = await subscriber();
    area.account.dispute(invoice, 'created', 'needs_response');
    area.pass(60);
    area.account.dispute(invoice, 'closed', 'won');
    await area.deliverAll();
    expect(await disputesOf(user)).toEqual([{ status: 'won', ...disputed }]);
    expect(await area.subscription(user)).toMatchObject({ isActive: true });
  });

  it('counts once, and a late report takes nothing back', async () => {
    const { user, invoice } = await subscriber();
    area.account.dispute(invoice, 'created', 'needs_response');
    area.pass(60);
    area.account.dispute(invoice, 'closed', 'lost');
    const [opened, closed] = area.account.takeEvents();
    for (const event of [closed!, opened!, closed!]) await area.deliver(event);
    expect(await disputesOf(user)).toEqual([{ status: 'lost', ...disputed }]);
    expect(area.told(user).filter((type) => type.startsWith('payment.'))).toEqual(['payment.dispute_closed']);
  });

  it('of an earlier subscription leaves the present one alone', async () => {
    const { user, id, invoice } = await subscriber();
    area.account.end(id);
    await area.deliverAll();
    const present = await area.subscribe(user, 'pro');
    area.account.dispute(invoice, 'closed', 'lost');
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ id: present, isActive: true });
  });
});
