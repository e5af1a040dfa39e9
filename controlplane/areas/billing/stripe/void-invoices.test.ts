import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../../http/api.fixture.js';
import { type StripeApi, startStripeApi } from './stripe-api.fixture.js';

const DAY = 24 * 3600;
let area: StripeApi;

beforeAll(async () => {
  area = await startStripeApi();
});
afterAll(() => area.close());

/** A subscriber whose next charge failed; the failure is known here. */
async function owing() {
  const user = await area.api.createUser();
  const id = await area.subscribe(user, 'pro');
  area.pass(31 * DAY);
  area.account.renew(id, false);
  await area.deliverAll();
  return { user, id, invoice: area.account.latestInvoice(id) };
}

async function failAgain(id: string): Promise<string> {
  area.pass(30 * DAY);
  area.account.renew(id, false);
  await area.deliverAll();
  return area.account.latestInvoice(id);
}

async function callOff(invoice: string): Promise<void> {
  area.account.voidInvoice(invoice);
  await area.deliverAll();
}

const announcedFailures = (user: TestUser) =>
  area.told(user).filter((type) => type === 'payment.failed').length;

it('a voided invoice is no debt: the subscription continues and no failure is announced', async () => {
  const { user, invoice } = await owing();
  expect(announcedFailures(user)).toBe(1);
  area.pass(8 * DAY);
  expect(await area.subscription(user)).toBeNull();
  await callOff(invoice);
  expect(await area.subscription(user)).toMatchObject({ status: 'active', isActive: true });
  expect(announcedFailures(user)).toBe(1);
  expect((await area.transactions(user))[0]).toMatchObject({
    status: 'failed',
    failedAt: expect.any(String),
    paidAt: null,
  });
});

it('an invoice that is voided before an attempt is not announced as a failed payment', async () => {
  const { user, id } = await owing();
  const told = announcedFailures(user);
  area.pass(30 * DAY);
  area.account.renew(id, false);
  // The event about the failure is lost.
  area.account.takeEvents();
  await callOff(area.account.latestInvoice(id));
  expect(announcedFailures(user)).toBe(told);
});

it('days of grace begin anew with the next failure, not with the one that was called off', async () => {
  const { user, id, invoice } = await owing();
  await callOff(invoice);
  await failAgain(id);
  expect(await area.subscription(user)).toMatchObject({ status: 'past_due', isActive: true });
  area.pass(8 * DAY);
  expect(await area.subscription(user)).toBeNull();
});

it('when the first of two failed invoices is voided, the grace period of the second stays', async () => {
  const { user, id, invoice } = await owing();
  await failAgain(id);
  expect(await area.subscription(user)).toBeNull();
  await callOff(invoice);
  expect(await area.subscription(user)).toMatchObject({ status: 'past_due', isActive: true });
});

it('in any order of events, a voided invoice leaves nothing past due', async () => {
  const orders = fc.array(fc.nat(1000), { minLength: 11, maxLength: 11 });
  await fc.assert(
    fc.asyncProperty(orders, async (keys) => {
      const { user, id, invoice } = await owing();
      area.pass(30 * DAY);
      const secondDueAt = new Date(area.now());
      area.account.renew(id, false);
      area.account.voidInvoice(invoice);
      const shuffled = area.account
        .takeEvents()
        .map((event, index) => ({ event, key: keys[index % keys.length]! }));
      for (const { event } of shuffled.sort((one, other) => one.key - other.key)) await area.deliver(event);
      const rows = await area.api.database.query(
        'SELECT state, past_due_since FROM subscriptions WHERE user_id = $1',
        [user.id],
      );
      expect(rows).toEqual([{ state: 'past_due', past_due_since: secondDueAt }]);
    }),
    { numRuns: 6, seed: 20_264 },
  );
});
