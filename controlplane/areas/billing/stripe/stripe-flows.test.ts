import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARD_URL, type StripeApi, startStripeApi } from './stripe-api.fixture.js';
import { inTurns } from './stripe-reconciliation.js';

const DAY = 24 * 3600;
let area: StripeApi;

beforeAll(async () => {
  area = await startStripeApi();
});
afterAll(() => area.close());

const newUser = () => area.api.createUser();
const lastRequest = (path: string) =>
  area.edge.requests.filter((one) => one.path === path && one.method === 'POST').at(-1);
const cancel = (user: { id: string; email: string; token: string }, body?: object) =>
  area.post(user, '/payment/subscription/cancel', body);

describe('checking out', () => {
  it('opens a session at Stripe for the plan, and the webhook confirms the subscription', async () => {
    const user = await newUser();
    const opened = await area.post(user, '/payment/checkout', { planId: 'pro' });
    expect(opened.status).toBe(201);
    const { checkoutId, checkoutUrl, expiresAt } = opened.json.data;
    expect(Date.parse(expiresAt) - area.now()).toBe(DAY * 1000);
    expect(lastRequest('/customers')?.params).toEqual({
      email: user.email,
      'metadata[waymark_user]': user.id,
    });
    const { params, headers } = lastRequest('/checkout/sessions')!;
    expect(params).toEqual({
      mode: 'subscription',
      customer: expect.stringMatching(/^cus_/),
      client_reference_id: checkoutId,
      'line_items[0][price]': 'price_pro',
      'line_items[0][quantity]': '1',
      'metadata[waymark_user]': user.id,
      'metadata[waymark_plan]': 'pro',
      'subscription_data[metadata][waymark_user]': user.id,
      'subscription_data[metadata][waymark_plan]': 'pro',
      success_url: `${DASHBOARD_URL}?checkout_id=${checkoutId}`,
      cancel_url: DASHBOARD_URL,
    });
    expect(headers).toMatchObject({
      'stripe-version': '2026-10-28.endive',
      'idempotency-key': `waymark-checkout-${checkoutId}`,
    });
    expect(headers).not.toHaveProperty('x-stripe-client-telemetry');

    expect(await area.subscription(user)).toBeNull();
    const id = area.account.pay(new URL(checkoutUrl).pathname.slice(1));
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({
      id,
      status: 'active',
      plan: { id: 'pro' },
      cancelAtPeriodEnd: false,
      isActive: true,
      isTrialing: false,
      daysUntilRenewal: 31,
    });
    expect((await area.get(user, `/payment/checkout/${checkoutId}`)).json.data).toMatchObject({
      status: 'complete',
      subscriptionId: id,
    });
    expect(area.told(user)).toEqual(['subscription.confirmed']);
    expect(await area.transactions(user)).toMatchObject([
      {
        userId: user.id,
        subscriptionId: id,
        planId: 'pro',
        provider: 'stripe',
        type: 'payment',
        status: 'succeeded',
        amount: 2900,
        currency: 'usd',
        taxAmount: 0,
        paidAt: new Date(area.now()).toISOString(),
      },
    ]);
  });

  it('begins with a trial where the plan has one, and charges nothing until its end', async () => {
    const user = await newUser();
    await area.subscribe(user, 'business');
    expect(lastRequest('/checkout/sessions')?.params).toMatchObject({
      'subscription_data[trial_period_days]': '14',
    });
    expect(await area.subscription(user)).toMatchObject({
      status: 'trialing',
      isTrialing: true,
      trialEnd: new Date(area.now() + 14 * DAY * 1000).toISOString(),
    });
    expect(await area.transactions(user)).toEqual([]);
  });

  it('shows a session that nobody paid for as expired', async () => {
    const user = await newUser();
    const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
    area.account.expire(new URL(json.data.checkoutUrl).pathname.slice(1));
    await area.deliverAll();
    const session = await area.get(user, `/payment/checkout/${json.data.checkoutId}`);
    expect(session.json.data.status).toBe('expired');
  });

  it('changes the plan of a subscription on a page of the portal', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    area.pass(60);
    const { json } = await area.post(user, '/payment/checkout', { planId: 'business' });
    const page = await area.followChange(json.data.checkoutUrl);
    expect(lastRequest('/billing_portal/sessions')?.params).toMatchObject({
      'flow_data[type]': 'subscription_update_confirm',
      'flow_data[subscription_update_confirm][subscription]': id,
      'flow_data[subscription_update_confirm][items][0][price]': 'price_business',
    });
    area.account.confirmChange(page);
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ id, plan: { id: 'business' } });
    const session = await area.get(user, `/payment/checkout/${json.data.checkoutId}`);
    expect(session.json.data).toMatchObject({ status: 'complete', subscriptionId: id });
    expect(area.told(user)).toEqual(['subscription.confirmed', 'subscription.confirmed']);
    area.pass(31 * DAY);
    area.account.renew(id, true);
    await area.deliverAll();
    expect((await area.transactions(user))[0]).toMatchObject({ planId: 'business', amount: 9900 });
  });
});

describe('cancelling', () => {
  it('for the end of the period keeps access until then, and can be withdrawn', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    const canceled = await cancel(user, { reason: 'too dear' });
    expect(canceled.json.data.subscription).toMatchObject({
      status: 'canceled',
      cancelAtPeriodEnd: true,
      canceledAt: new Date(area.now()).toISOString(),
      isActive: true,
    });
    expect(lastRequest(`/subscriptions/${id}`)?.params).toEqual({
      cancel_at_period_end: 'true',
      'cancellation_details[comment]': 'too dear',
    });
    const reactivated = await area.post(user, '/payment/subscription/reactivate');
    expect(reactivated).toMatchObject({
      status: 200,
      json: { data: { subscription: { status: 'active', cancelAtPeriodEnd: false, canceledAt: null } } },
    });
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
    expect(area.told(user)).toEqual(['subscription.confirmed', 'subscription.canceled']);
  });

  it('comes to its end with the period', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    await cancel(user);
    area.pass(31 * DAY);
    area.account.end(id);
    await area.deliverAll();
    expect(await area.subscription(user)).toBeNull();
    expect(area.told(user)).not.toContain('subscription.revoked');
  });

  it('at once takes access at once, and cannot be undone', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    const revoked = await cancel(user, { immediately: true });
    expect(revoked.json.data.subscription).toMatchObject({ status: 'revoked', isActive: false });
    expect(await area.subscription(user)).toBeNull();
    expect(await area.post(user, '/payment/subscription/reactivate')).toMatchObject({
      status: 400,
      json: { error: { code: 'SUBSCRIPTION_NOT_REACTIVATABLE' } },
    });
    await area.deliverAll();
    expect(area.told(user)).toEqual(['subscription.confirmed', 'subscription.revoked']);
  });

  it('a subscription that Stripe has already ended shows its current state', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    area.account.end(id);
    area.account.takeEvents();
    const revoked = await cancel(user, { immediately: true });
    expect(revoked).toMatchObject({ status: 200, json: { data: { subscription: { status: 'revoked' } } } });
  });
});

describe('a subscription that Stripe ended without an event', () => {
  it('cannot be cancelled for the end of the period', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    area.account.end(id);
    area.account.takeEvents();
    expect(await cancel(user)).toMatchObject({
      status: 404,
      json: { error: { code: 'SUBSCRIPTION_NOT_FOUND' } },
    });
    expect(await area.subscription(user)).toBeNull();
  });

  it('cannot be reactivated', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    await cancel(user);
    area.account.end(id);
    area.account.takeEvents();
    expect(await area.post(user, '/payment/subscription/reactivate')).toMatchObject({
      status: 400,
      json: { error: { code: 'SUBSCRIPTION_NOT_REACTIVATABLE' } },
    });
    expect(await area.subscription(user)).toBeNull();
  });
});

describe('payments', () => {
  it('that fail leave access for the days of grace, and a later payment mends it', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    area.pass(31 * DAY);
    area.account.renew(id, false);
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ status: 'past_due', isActive: true });
    expect((await area.transactions(user))[0]).toMatchObject({
      type: 'subscription_cycle',
      status: 'failed',
      failedAt: new Date(area.now()).toISOString(),
      paidAt: null,
    });
    expect(area.told(user)).toContain('payment.failed');
    area.pass(8 * DAY);
    expect(await area.subscription(user)).toBeNull();
    area.account.settle(id);
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ status: 'active', isActive: true });
    const transactions = await area.transactions(user);
    expect(transactions).toHaveLength(2);
    expect(transactions[0]).toMatchObject({ status: 'succeeded', failedAt: null });
  });

  it('that go on failing have the days of grace of the first one, not those of each period', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    area.pass(31 * DAY);
    area.account.renew(id, false);
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ status: 'past_due', isActive: true });
    area.pass(30 * DAY);
    area.account.renew(id, false);
    await area.deliverAll();
    expect(await area.subscription(user)).toBeNull();
    area.account.settle(id);
    area.pass(30 * DAY);
    area.account.renew(id, false);
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ status: 'past_due', isActive: true });
  });

  it('have the days of grace of the first failure also when that is told last', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    area.pass(31 * DAY);
    area.account.renew(id, false);
    const late = area.account.takeEvents();
    area.pass(30 * DAY);
    area.account.renew(id, false);
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ status: 'past_due', isActive: true });
    for (const event of late) await area.deliver(event);
    expect(await area.subscription(user)).toBeNull();
    expect((await area.get(user, '/auth/user')).json.plan.id).toBe('free');
  });

  it('that Stripe has given up on leave no access, within the days of grace as well', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    area.pass(31 * DAY);
    area.account.renew(id, false);
    area.account.giveUp(id);
    await area.deliverAll();
    expect(await area.subscription(user)).toBeNull();
    area.pass(DAY);
    area.account.settle(id);
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ status: 'active', isActive: true });
  });

  it('can be given back, in part and then wholly', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    area.pass(60);
    area.account.refund(area.account.latestInvoice(id), 1000);
    await area.deliverAll();
    const refundedAt = new Date(area.now()).toISOString();
    expect(await area.transactions(user)).toMatchObject([
      { status: 'partially_refunded', amount: 2900, refundedAmount: 1000, refundedAt },
    ]);
    area.account.refund(area.account.latestInvoice(id), 1900);
    await area.deliverAll();
    expect(await area.transactions(user)).toMatchObject([{ status: 'refunded', refundedAmount: 2900 }]);
  });
});

describe('the portal', () => {
  it('leads back to where the request says, and is to be opened within minutes', async () => {
    const user = await newUser();
    const returnUrl = 'https://dashboard.example/elsewhere';
    const { status, json } = await area.post(user, '/payment/portal', { returnUrl });
    expect(status).toBe(200);
    expect(json.data.portalUrl).toMatch(/^https:\/\/billing\.stripe\.example\/bps_/);
    expect(Date.parse(json.data.expiresAt) - area.now()).toBe(300_000);
    expect(lastRequest('/billing_portal/sessions')?.params).toMatchObject({ return_url: returnUrl });
  });
});

describe('what was lost on the way', () => {
  it('is found when Stripe is asked about a subscription', async () => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    area.pass(31 * DAY);
    area.account.renew(id, true);
    area.account.refund(area.account.latestInvoice(id), 500);
    area.account.takeEvents();
    await area.billing.reconciliation.reconcile(id);
    expect(await area.transactions(user)).toMatchObject([
      { type: 'subscription_cycle', status: 'partially_refunded', refundedAmount: 500 },
      { type: 'payment', status: 'succeeded' },
    ]);
    const { currentPeriodStart } = await area.subscription(user);
    expect(currentPeriodStart).toBe(new Date(area.now()).toISOString());
  });

  it('is found through the checkout session when no event arrived', async () => {
    const user = await newUser();
    const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
    const id = area.account.pay(new URL(json.data.checkoutUrl).pathname.slice(1));
    area.account.takeEvents();
    expect(await area.billing.reconciliation.reconcileAll()).toMatchObject({ failed: 0 });
    expect(await area.subscription(user)).toMatchObject({ id, status: 'active' });
    expect(await area.transactions(user)).toMatchObject([{ status: 'succeeded', amount: 2900 }]);
    const session = await area.get(user, `/payment/checkout/${json.data.checkoutId}`);
    expect(session.json.data).toMatchObject({ status: 'complete', subscriptionId: id });
  });

  it('is looked for by the next control plane where one was stopped in the middle of the night', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    const before = area.edge.requests.length;
    expect(await area.billing.nightly.reconcileAll(AbortSignal.abort())).toEqual({ checked: 0, failed: 0 });
    expect(area.edge.requests.length).toBe(before);
    const turns = await area.api.database.query('SELECT provider FROM reconciliation_turns');
    expect(turns).toEqual([]);
  });

  it('is looked for again where the question failed in the middle of the night', async () => {
    const { database } = area.api;
    const reconciliation = {
      ...area.billing.reconciliation,
      reconcileAll: () => Promise.reject(new Error('the database is away')),
    };
    const turns = inTurns(reconciliation, { database, provider: 'failing' });
    await expect(turns.reconcileAll()).rejects.toThrow('the database is away');
    expect(await database.query("SELECT 1 FROM reconciliation_turns WHERE provider = 'failing'")).toEqual([]);
  });

  it('is looked for every night by one of several control planes', async () => {
    const asked = () => area.edge.requests.length;
    const first = await area.billing.nightly.reconcileAll();
    expect(first).toMatchObject({ failed: 0 });
    expect(first.checked).toBeGreaterThan(0);
    const before = asked();
    expect(await area.billing.nightly.reconcileAll()).toEqual({ checked: 0, failed: 0 });
    expect(asked()).toBe(before);
  });
});

describe('Stripe failing', () => {
  it('once is made up for by another attempt with the same key', async () => {
    const user = await newUser();
    area.edge.failNext(500);
    expect((await area.post(user, '/payment/checkout', { planId: 'pro' })).status).toBe(201);
    const attempts = area.edge.requests.filter(({ params }) => params['metadata[waymark_user]'] === user.id);
    const keys = attempts.slice(0, 2).map(({ path, headers }) => [path, headers['idempotency-key']]);
    expect(keys[0]).toEqual(['/customers', expect.stringContaining(`waymark-customer-${user.id}-`)]);
    expect(keys[0]?.[1]).not.toContain(user.email);
    expect(keys[1]).toEqual(keys[0]);
  });

  it.each([
    ['answers with failures', 500],
    ['hangs up', 0],
  ])('for good when it %s is said to be unavailable, and changes nothing', async (_what, status) => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    area.edge.failNext(status, status, status);
    expect(await cancel(user)).toMatchObject({
      status: 503,
      json: { error: { code: 'SERVICE_UNAVAILABLE' } },
    });
    expect(await area.subscription(user)).toMatchObject({ status: 'active' });
  });

  it('to take a request of ours is no fault of the caller', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    area.edge.failNext(400);
    expect(await cancel(user)).toMatchObject({ status: 500, json: { error: { code: 'INTERNAL_ERROR' } } });
  });
});
