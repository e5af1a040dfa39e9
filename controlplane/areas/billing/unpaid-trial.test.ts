import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import type { Mail } from '../../mail/mail-transport.js';
import { createOwnerMails } from '../../mail/owner-mails.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { PLANS } from '../plans/default-plans.js';
import { createExcessRedirects } from '../plans/excess-redirects.js';
import { createPlanCatalogue } from '../plans/plan-catalogue.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';
import type { BillingEvent, TransactionSnapshot } from './provider.js';

const REDIRECTS = 8;
let area: BillingApi;
let excess: ReturnType<typeof createExcessRedirects>;
let sent: Mail[] = [];
let count = 0;

beforeAll(async () => {
  area = await startBillingApi();
  const { database } = area.api;
  excess = createExcessRedirects({
    database,
    outbox: createRulesetOutbox(database),
    catalogue: createPlanCatalogue(Object.values(PLANS), 'free'),
    access: area.access,
    ownerMails: createOwnerMails({ enqueue: async (_tx, mail) => void sent.push(mail) }),
    logger: pino({ level: 'silent' }),
    nowMs: area.now,
  });
});
afterAll(() => area.api.close());
beforeEach(() => {
  sent = [];
});

const servedOf = async (user: TestUser) => {
  const { redirects } = await readSnapshot(area.rulesets);
  return redirects.map(({ host }) => host).filter((host) => host.includes(user.id));
};

/** A user whose trial of the business plan has ended, with more redirects than `free` allows. */
async function afterTrial({ pays }: { pays: boolean }): Promise<TestUser> {
  const user = await area.api.createUser();
  await area.api.database.query(
    `INSERT INTO webhook_endpoints (id, user_id, url, events, secret)
     VALUES ($1, $1, 'https://h.example', '{plan.excess_redirects}', '')`,
    [user.id],
  );
  expect((await area.subscribe(user, 'business')).status).toBe('trialing');
  for (let number = 1; number <= REDIRECTS; number += 1) {
    const { status } = await area.addRedirect(user, `trial-${number}-${user.id}-${++count}`);
    expect(status).toBe(201);
  }
  if (pays) await area.act(user, 'renew');
  await area.post(user, '/payment/subscription/cancel', { immediately: true });
  return user;
}
const noticesOf = ({ id }: TestUser) =>
  area.api.database.query('SELECT 1 FROM excess_notices WHERE user_id = $1', [id]);
const eventsOf = async ({ id }: TestUser) => {
  const rows = await area.api.database.query<{ payload: string }>(
    'SELECT payload FROM webhook_events WHERE user_id = $1',
    [id],
  );
  return rows.map(({ payload }) => JSON.parse(payload));
};

it('an unpaid trial leaves what the plan allows, after a notice of 14 days, and deletes nothing', async () => {
  const user = await afterTrial({ pays: false });
  await excess.runRound();
  await excess.runRound();
  expect(sent.map(({ to, subject }) => [to, subject.replace(/ on .*/, '')])).toEqual([
    [user.email, 'Your trial is over: 3 redirects stop'],
  ]);
  expect(await eventsOf(user)).toMatchObject([
    { type: 'plan.excess_redirects', data: { redirects: 8, allowed: 5, disabledAt: expect.any(String) } },
  ]);
  area.pass(13);
  await excess.runRound();
  expect(await servedOf(user)).toHaveLength(REDIRECTS);
  area.pass(1.1);
  await excess.runRound();
  expect(await servedOf(user)).toHaveLength(5);
  expect(sent.at(-1)?.subject).toBe('3 of your redirects are switched off');
  const list = (await area.get(user, '/redirects')).json.data;
  expect(list.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual([
    ...Array(3).fill(false),
    ...Array(5).fill(true),
  ]);
});

it('redirects that were switched off come back at once with a larger plan', async () => {
  const user = await afterTrial({ pays: false });
  await excess.runRound();
  area.pass(15);
  await excess.runRound();
  expect(await servedOf(user)).toHaveLength(5);
  await area.subscribe(user, 'pro');
  expect(await servedOf(user)).toHaveLength(REDIRECTS);
  expect(await noticesOf(user)).toEqual([]);
});

it('redirects that were switched off come back at once when a payment is known, whatever the plan', async () => {
  const user = await afterTrial({ pays: false });
  await excess.runRound();
  area.pass(15);
  await excess.runRound();
  const [subscription] = await area.api.database.query<{ id: string }>(
    'SELECT id FROM subscriptions WHERE user_id = $1',
    [user.id],
  );
  const transaction: TransactionSnapshot = {
    ...{ userId: user.id, subscriptionId: subscription!.id, planId: 'business', type: 'payment' },
    ...{ providerTransactionId: `paid-${user.id}`, status: 'succeeded', amount: 9_900, currency: 'usd' },
    ...{ taxAmount: 0, refundedAmount: 0, paidAt: new Date(), refundedAt: null, failedAt: null },
    ...{ receiptUrl: null, invoiceUrl: null, createdAt: new Date() },
  };
  const event: BillingEvent = {
    ...{ provider: 'sandbox', id: `event-${user.id}`, occurredAt: new Date() },
    ...{ about: 'transaction', transaction },
  };
  expect(await area.billing.events.apply(event)).toEqual(['applied']);
  expect(await servedOf(user)).toHaveLength(REDIRECTS);
  expect(await noticesOf(user)).toEqual([]);
});

it('a notice ends at once with a larger plan', async () => {
  const user = await afterTrial({ pays: false });
  await excess.runRound();
  expect(await noticesOf(user)).toHaveLength(1);
  await area.subscribe(user, 'pro');
  expect(await noticesOf(user)).toEqual([]);
});

it('redirects that the owner switches on again are switched off again', async () => {
  const user = await afterTrial({ pays: false });
  await excess.runRound();
  area.pass(15);
  await excess.runRound();
  const [newest] = (await area.get(user, '/redirects')).json.data;
  const body = { enabled: true };
  await area.api.call('PATCH', `/redirects/${newest.id}`, { token: user.token, body });
  expect(await servedOf(user)).toHaveLength(6);
  area.pass(0.1);
  await excess.runRound();
  expect(await servedOf(user)).toHaveLength(5);
});

it('a user who has paid keeps all redirects', async () => {
  const user = await afterTrial({ pays: true });
  await excess.runRound();
  area.pass(30);
  await excess.runRound();
  expect(sent).toEqual([]);
  expect(await servedOf(user)).toHaveLength(REDIRECTS);
});
