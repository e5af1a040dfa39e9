import type Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../../http/api.fixture.js';
import { PLANS } from '../../plans/default-plans.js';
import { type StripeApi, startStripeApi } from './stripe-api.fixture.js';
import { createStripeClient } from './stripe-client.js';

const DAY = 24 * 3600;
let area: StripeApi;
let stripe: Stripe;

beforeAll(async () => {
  area = await startStripeApi({ timeoutMs: 500 });
  stripe = createStripeClient({ secretKey: 'sk_test_123', apiBase: area.edge.url });
});
afterEach(() => area.edge.answerAgain());
afterAll(() => area.close());

const newUser = () => area.api.createUser();
const checkOut = (user: TestUser, planId: string) => area.post(user, '/payment/checkout', { planId });
const idOf = (checkoutUrl: string) => new URL(checkoutUrl).pathname.slice(1);
const statusOf = async (user: TestUser, checkoutId: string) =>
  (await area.get(user, `/payment/checkout/${checkoutId}`)).json.data.status;
const refusedWith = (message: string) => ({
  status: 422,
  json: { error: { code: 'VALIDATION_ERROR', field: 'planId', message: expect.stringContaining(message) } },
});
/** As Stripe lists them. */
const openSessions = async (customer: string) =>
  (await stripe.checkout.sessions.list({ customer, status: 'open' })).data.map(({ id }) => id);
const customerOf = async ({ id }: TestUser) =>
  (
    await area.api.database.query<{ customer_id: string }>(
      'SELECT customer_id FROM billing_customers WHERE user_id = $1',
      [id],
    )
  )[0]!.customer_id;

describe('a second checkout', () => {
  it('closes the page of the first, so that only one can be paid', async () => {
    const user = await newUser();
    const first = (await checkOut(user, 'pro')).json.data;
    const second = (await checkOut(user, 'pro')).json.data;
    expect(await openSessions(await customerOf(user))).toEqual([idOf(second.checkoutUrl)]);
    expect(await statusOf(user, first.checkoutId)).toBe('expired');
    expect(await statusOf(user, second.checkoutId)).toBe('open');
  });

  it('leaves pages alone on which the customer buys something else', async () => {
    const user = await newUser();
    await checkOut(user, 'pro');
    const customer = await customerOf(user);
    const { id } = await stripe.checkout.sessions.create({
      customer,
      mode: 'setup',
      currency: 'usd',
      success_url: 'https://shop.example',
    });
    await checkOut(user, 'pro');
    expect(await openSessions(customer)).toContain(id);
  });

  it.each(['pro', 'business'])(
    'for %s after an unreported payment of the first is refused',
    async (planId) => {
      const user = await newUser();
      const first = (await checkOut(user, 'pro')).json.data;
      const id = area.account.pay(idOf(first.checkoutUrl));
      expect(await checkOut(user, planId)).toMatchObject(refusedWith('subscribed'));
      expect(await openSessions(await customerOf(user))).toEqual([]);
      expect(await area.subscription(user)).toMatchObject({ id, status: 'active', plan: { id: 'pro' } });
      await area.deliverAll();
      expect(area.told(user)).toEqual(['subscription.confirmed']);
    },
  );

  it('is not held up by a subscription that only runs out', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    await area.post(user, '/payment/subscription/cancel');
    await area.deliverAll();
    area.pass(31 * DAY);
    expect((await checkOut(user, 'pro')).status).toBe(201);
  });
});

describe('checking out beside a subscription', () => {
  it.each([
    ['that is on the plan', 'pro', 'choose another plan', async () => {}],
    ['that is cancelled', 'pro', '/payment/subscription/reactivate', cancel],
    ['that is cancelled, for another plan', 'business', '/payment/subscription/reactivate', cancel],
    ['that is owed for', 'pro', '/payment/portal', fail],
    ['that is owed for, for another plan', 'business', '/payment/portal', fail],
  ])('%s says what to do, and asks nothing of Stripe', async (_what, planId, message, happens) => {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    await happens(user, id);
    const before = area.edge.requests.length;
    expect(await checkOut(user, planId)).toMatchObject(refusedWith(message));
    expect(area.edge.requests.length).toBe(before);
  });

  async function cancel(user: TestUser) {
    await area.post(user, '/payment/subscription/cancel');
  }
  async function fail(_user: TestUser, id: string) {
    area.pass(31 * DAY);
    area.account.renew(id, false);
    await area.deliverAll();
  }
});

describe('the price of a checkout', () => {
  it('is what Stripe asks for, and follows what was paid', async () => {
    const user = await newUser();
    const { checkoutId, checkoutUrl } = (await checkOut(user, 'pro')).json.data;
    const shown = async () => (await area.get(user, `/payment/checkout/${checkoutId}`)).json.data;
    const price = { amount: 2900, discountAmount: 0, taxAmount: 0, totalAmount: 2900, currency: 'usd' };
    const product = { name: PLANS.pro.name, recurringInterval: 'month' };
    expect(await shown()).toMatchObject({ ...price, customerName: null, product });
    area.account.pay(idOf(checkoutUrl), {
      amount_total: 2480,
      total_details: { amount_discount: 900, amount_shipping: 0, amount_tax: 480 },
      customer_details: { name: 'Ada Lovelace', email: 'ada@example.com' },
    });
    await area.deliverAll();
    expect(await shown()).toMatchObject({
      status: 'complete',
      ...price,
      discountAmount: 900,
      taxAmount: 480,
      totalAmount: 2480,
      customerName: 'Ada Lovelace',
      customerEmail: 'ada@example.com',
      product,
    });
  });

  it('is nothing yet where a trial begins', async () => {
    const user = await newUser();
    const { checkoutId } = (await checkOut(user, 'business')).json.data;
    const { json } = await area.get(user, `/payment/checkout/${checkoutId}`);
    expect(json.data).toMatchObject({ amount: 0, totalAmount: 0, product: { name: PLANS.business.name } });
  });
});

describe('the return address of a checkout', () => {
  const returns = {
    successUrl: 'https://dashboard.example/done?id={CHECKOUT_ID}',
    cancelUrl: 'https://dashboard.example/plans',
  };

  it('is passed on to Stripe with the id filled in', async () => {
    const user = await newUser();
    const { json } = await area.post(user, '/payment/checkout', { planId: 'pro', ...returns });
    const { params } = area.edge.requests.findLast(
      ({ path, method }) => method === 'POST' && path === '/checkout/sessions',
    )!;
    expect(params).toMatchObject({
      success_url: `https://dashboard.example/done?id=${json.data.checkoutId}`,
      cancel_url: 'https://dashboard.example/plans',
    });
  });

  it('holds for a change of plan as well', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    const { json } = await area.post(user, '/payment/checkout', { planId: 'business', ...returns });
    await area.followChange(json.data.checkoutUrl);
    const { params } = area.edge.requests.findLast(({ path }) => path === '/billing_portal/sessions')!;
    expect(params).toMatchObject({
      return_url: 'https://dashboard.example/plans',
      'flow_data[after_completion][redirect][return_url]': `https://dashboard.example/done?id=${json.data.checkoutId}`,
    });
  });
});

describe('the page of a change', () => {
  async function change() {
    const user = await newUser();
    const id = await area.subscribe(user, 'pro');
    const { json } = await checkOut(user, 'business');
    return { user, id, ...json.data };
  }

  it('is there for as long as the checkout, anew each time', async () => {
    const { checkoutUrl, expiresAt } = await change();
    expect(Date.parse(expiresAt) - area.now()).toBe(DAY * 1000);
    area.pass(DAY - 60);
    const first = await area.followChange(checkoutUrl);
    expect(first).toMatch(/^bps_/);
    expect(await area.followChange(checkoutUrl)).not.toBe(first);
    area.pass(60);
    const late = await area.api.call('GET', new URL(checkoutUrl).pathname);
    expect(late.headers.location).toMatch(/^https:\/\/dashboard\.example\/billing\?checkout_id=/);
  });

  it('leads back where there is nothing to change any more', async () => {
    const { user, checkoutUrl } = await change();
    await area.post(user, '/payment/subscription/cancel');
    const { status, headers } = await area.api.call('GET', new URL(checkoutUrl).pathname);
    expect([status, headers['cache-control']]).toEqual([303, 'no-store']);
    expect(headers.location).toMatch(/^https:\/\/dashboard\.example\/billing\?checkout_id=/);
  });

  it('is complete by the change to its plan, not by other news of the subscription', async () => {
    const { user, id, checkoutId, checkoutUrl } = await change();
    area.account.confirmChange(await area.followChange(checkoutUrl));
    const changed = area.account.takeEvents();
    area.pass(31 * DAY - 60);
    area.account.renew(id, true);
    await area.deliverAll();
    expect(await area.subscription(user)).toMatchObject({ plan: { id: 'business' } });
    expect(await statusOf(user, checkoutId)).not.toBe('complete');
    for (const event of changed) await area.deliver(event);
    expect(await statusOf(user, checkoutId)).toBe('complete');
  });

  it('is not complete by a change from before it was opened', async () => {
    const { id, user, checkoutId, checkoutUrl } = await change();
    area.account.confirmChange(await area.followChange(checkoutUrl));
    const [changed] = area.account.takeEvents();
    await area.deliver(changed!);
    expect(await statusOf(user, checkoutId)).toBe('complete');
    area.pass(120);
    const back = (await checkOut(user, 'pro')).json.data;
    area.account.confirmChange(await area.followChange(back.checkoutUrl));
    await area.deliverAll();
    area.pass(120);
    const again = (await checkOut(user, 'business')).json.data;
    await area.deliver({ ...changed!, id: `${changed!.id}_told_late` });
    expect(await statusOf(user, again.checkoutId)).toBe('open');
    expect(await area.subscription(user)).toMatchObject({ id, plan: { id: 'pro' } });
  });

  it('is only the newest one if it was requested repeatedly', async () => {
    const { user, checkoutId, checkoutUrl } = await change();
    const second = (await checkOut(user, 'business')).json.data;
    expect(await statusOf(user, checkoutId)).toBe('expired');
    area.account.confirmChange(await area.followChange(second.checkoutUrl));
    await area.deliverAll();
    expect(await statusOf(user, second.checkoutId)).toBe('complete');
    expect(await statusOf(user, checkoutId)).toBe('expired');
    expect((await area.api.call('GET', new URL(checkoutUrl).pathname)).status).toBe(303);
  });

  it('is a page of its own for browsers where there is none', async () => {
    const { status, body } = await area.api.call('GET', '/stripe/changes/guess', {
      headers: { accept: 'text/html' },
    });
    expect(status).toBe(404);
    expect(body).toContain('<h1>This page does not exist</h1>');
    expect(body).not.toContain('This is a sandbox');
  });

  it('needs the secret address', async () => {
    const user = await newUser();
    const { checkoutId } = (await checkOut(user, 'pro')).json.data;
    expect((await area.api.call('GET', '/stripe/changes/guess')).status).toBe(404);
    expect((await area.api.call('GET', `/stripe/changes/${checkoutId}`)).status).toBe(404);
  });
});

describe('a checkout that Stripe does not answer', () => {
  it('gets 503, and its open page cannot be paid after the next checkout', async () => {
    const user = await newUser();
    area.edge.keepSilent('/checkout/sessions');
    expect(await checkOut(user, 'pro')).toMatchObject({
      status: 503,
      json: { error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('retry') } },
    });
    const attempts = area.edge.requests.filter(({ params }) => params['metadata[waymark_user]'] === user.id);
    const keys = attempts.slice(1).map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    const made = await area.api.database.query('SELECT id FROM checkouts WHERE user_id = $1', [user.id]);
    expect(made).toEqual([]);
    expect((await area.get(user, '/payment/billing')).json.data).toMatchObject({
      subscription: null,
      recentTransactions: [],
    });

    area.edge.answerAgain();
    const { json } = await checkOut(user, 'pro');
    expect(await openSessions(await customerOf(user))).toEqual([idOf(json.data.checkoutUrl)]);
  });
});
