import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiAnswer, TestUser } from '../../http/api.fixture.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { PLANS } from '../plans/default-plans.js';
import { planRecord } from '../plans/plan-schema.js';
import { API_ADDRESS, type BillingApi, startBillingApi } from './billing-api.fixture.js';

let area: BillingApi;

beforeAll(async () => {
  area = await startBillingApi({ countEvents: async (ids) => ids.length * 7 });
});
afterAll(() => area.api.close());

const newUser = () => area.api.createUser();
const errorOf = (status: number, code: string, field?: string) => ({
  status,
  json: { error: { code, ...(field !== undefined && { field }) } },
});
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const cancel = (user: TestUser, body?: object) => area.post(user, '/payment/subscription/cancel', body);
const reactivate = (user: TestUser) => area.post(user, '/payment/subscription/reactivate');

describe('the plans', () => {
  it('are listed from the smallest to the largest, without a token', async () => {
    const { status, json } = await area.api.call('GET', '/user/plans');
    expect(status).toBe(200);
    expect(json.plans.map(({ id }: { id: string }) => id)).toEqual(['free', 'pro', 'business']);
    expect(json.plans[2]).toEqual({
      id: 'business',
      name: 'Business',
      description: expect.any(String),
      pricing: { amount: 9900, currency: 'usd', interval: 'month', trialDays: 14 },
      limits: {
        maxRedirects: -1,
        perRedirect: {
          maxAnalyticsEvents: -1,
          maxRulesPerRedirect: -1,
          analyticsRetentionDays: 730,
        },
      },
      gracePeriodDays: 14,
      features: expect.any(Object),
      isActive: true,
      tier: 2,
    });
  });
});

describe('without a subscription', () => {
  it('returns no subscription, and billing shows the default plan and its usage', async () => {
    const user = await newUser();
    await area.addRedirect(user, 'unsubscribed');
    expect(await area.get(user, '/payment/subscription')).toMatchObject({
      status: 200,
      json: { success: true, data: { subscription: null } },
    });
    const { json } = await area.get(user, '/payment/billing');
    expect(json).toEqual({
      success: true,
      message: 'You are on the plan Free.',
      data: {
        currentPlan: planRecord(PLANS.free),
        subscription: null,
        recentTransactions: [],
        usageStats: {
          redirectsUsed: 1,
          redirectsPending: 0,
          maxRedirects: 5,
          canCreateRedirect: true,
          totalAnalyticsEvents: 7,
          lastUsageUpdate: ISO,
        },
      },
    });
    expect((await area.get(user, '/payment/history')).json).toEqual({
      success: true,
      message: '0 transactions.',
      data: { transactions: [], pagination: { page: 1, limit: 20, total: 0, totalPages: 0 } },
    });
  });

  it('there is nothing to cancel or to reactivate', async () => {
    const user = await newUser();
    expect(await cancel(user)).toMatchObject(errorOf(404, 'SUBSCRIPTION_NOT_FOUND'));
    expect(await reactivate(user)).toMatchObject(errorOf(404, 'SUBSCRIPTION_NOT_FOUND'));
  });
});

describe('checking out', () => {
  it('opens a session for 24 hours, which is paid on its page', async () => {
    const user = await newUser();
    const opened = await area.post(user, '/payment/checkout', { planId: 'pro' });
    expect(opened).toMatchObject({ status: 201, json: { success: true, message: expect.any(String) } });
    const { checkoutId, checkoutUrl, expiresAt } = opened.json.data;
    expect(checkoutUrl).toBe(`${API_ADDRESS}/sandbox/checkout/${checkoutId}`);
    expect(Date.parse(expiresAt) - area.now()).toBe(24 * 3_600_000);
    const session = () => area.get(user, `/payment/checkout/${checkoutId}`);
    const open = { id: checkoutId, checkoutId, checkoutUrl, planId: 'pro', expiresAt, createdAt: ISO };
    const price = {
      amount: 2900,
      discountAmount: 0,
      taxAmount: 0,
      totalAmount: 2900,
      currency: 'usd',
      customerName: null,
      customerEmail: user.email,
      product: { name: PLANS.pro.name, recurringInterval: 'month' },
    };
    expect((await session()).json.data).toEqual({
      ...open,
      ...price,
      status: 'open',
      subscriptionId: null,
      completedAt: null,
    });
    await area.submit(checkoutUrl, { outcome: 'succeed' });
    const { id } = await area.subscription(user);
    expect((await session()).json.data).toEqual({
      ...open,
      ...price,
      status: 'complete',
      subscriptionId: id,
      completedAt: ISO,
    });
  });

  it('expires by the clock, and then takes no payment', async () => {
    const user = await newUser();
    const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
    area.pass(1);
    const session = await area.get(user, `/payment/checkout/${json.data.checkoutId}`);
    expect(session.json.data.status).toBe('expired');
    await area.submit(json.data.checkoutUrl, { outcome: 'succeed' });
    expect(await area.subscription(user)).toBeNull();
  });

  it.each([
    ['no id', {}, 422, 'VALIDATION_ERROR'],
    ['a number', { planId: 7 }, 400, 'INVALID_PLAN_ID'],
    ['nothing', { planId: '' }, 400, 'INVALID_PLAN_ID'],
    ['null', { planId: null }, 400, 'INVALID_PLAN_ID'],
    ['spaces', { planId: '  ' }, 400, 'INVALID_PLAN_ID'],
    ['what is no id', { planId: 'Pro plan!' }, 400, 'INVALID_PLAN_ID'],
    ['what is longer than an id', { planId: 'p'.repeat(64) }, 400, 'INVALID_PLAN_ID'],
    ['what costs nothing', { planId: 'free' }, 400, 'INVALID_PLAN_ID'],
    ['an unknown plan', { planId: 'platinum' }, 404, 'PLAN_NOT_FOUND'],
    ['an unknown plan with capitals', { planId: 'nonExistentPlan' }, 404, 'PLAN_NOT_FOUND'],
    ['a plan whose id has no capitals', { planId: 'Pro' }, 404, 'PLAN_NOT_FOUND'],
    ['an unknown plan with a mark in front', { planId: `_${'p'.repeat(62)}` }, 404, 'PLAN_NOT_FOUND'],
  ])('refuses %s', async (_what, body, status, code) => {
    const answer = await area.post(await newUser(), '/payment/checkout', body);
    expect(answer).toMatchObject(errorOf(status, code, 'planId'));
  });

  it.each(['successUrl', 'cancelUrl'])('refuses a foreign %s with what is accepted', async (field) => {
    const body = { planId: 'pro', [field]: 'https://evil.example/' };
    const answer = await area.post(await newUser(), '/payment/checkout', body);
    expect(answer).toMatchObject(errorOf(400, 'INVALID_REQUEST', field));
    expect(answer.json.error.message).toContain('DASHBOARD_URL');
  });

  it('is visible only to its owner', async () => {
    const { json } = await area.post(await newUser(), '/payment/checkout', { planId: 'pro' });
    const other = await newUser();
    expect(await area.get(other, `/payment/checkout/${json.data.checkoutId}`)).toMatchObject(
      errorOf(403, 'FORBIDDEN'),
    );
    expect(await area.get(other, '/payment/checkout/none')).toMatchObject(errorOf(404, 'NOT_FOUND'));
  });

  it('refuses a second charge for the current plan', async () => {
    const user = await newUser();
    const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
    await area.subscribe(user, 'pro');
    expect(await area.post(user, '/payment/checkout', { planId: 'pro' })).toMatchObject(
      errorOf(422, 'VALIDATION_ERROR', 'planId'),
    );
    const late = await area.submit(json.data.checkoutUrl, { outcome: 'succeed' });
    expect(late).toMatchObject(errorOf(422, 'VALIDATION_ERROR'));
    expect((await area.get(user, '/payment/history')).json.data.pagination.total).toBe(1);
  });
});

describe('a subscription', () => {
  it('is shown whole', async () => {
    const user = await newUser();
    const subscription = await area.subscribe(user, 'pro');
    expect(subscription).toEqual({
      id: expect.any(String),
      status: 'active',
      plan: planRecord(PLANS.pro),
      currentPeriodStart: ISO,
      currentPeriodEnd: ISO,
      cancelAtPeriodEnd: false,
      canceledAt: null,
      trialStart: null,
      trialEnd: null,
      isActive: true,
      isTrialing: false,
      daysUntilRenewal: expect.any(Number),
      message: expect.stringContaining('Pro'),
    });
    expect([28, 29, 30, 31]).toContain(subscription.daysUntilRenewal);
    const { json } = await area.get(user, '/payment/billing');
    expect(json.data.currentPlan).toEqual(planRecord(PLANS.pro));
    expect(json.data.subscription).toEqual({
      id: subscription.id,
      status: 'active',
      currentPeriodEnd: subscription.currentPeriodEnd,
      cancelAtPeriodEnd: false,
      isTrialing: false,
      trialEnd: null,
    });
    expect(json.data.recentTransactions).toEqual([
      {
        id: expect.any(String),
        userId: user.id,
        subscriptionId: subscription.id,
        planId: 'pro',
        provider: 'sandbox',
        providerTransactionId: expect.any(String),
        type: 'payment',
        status: 'succeeded',
        amount: 2900,
        currency: 'usd',
        taxAmount: 0,
        refundedAmount: 0,
        paidAt: ISO,
        refundedAt: null,
        failedAt: null,
        receiptUrl: expect.stringContaining(API_ADDRESS),
        invoiceUrl: expect.stringContaining(API_ADDRESS),
        plan: { id: 'pro', name: 'Pro', pricing: { amount: 2900, currency: 'usd', interval: 'month' } },
        createdAt: ISO,
      },
    ]);
  });

  it('begins with a trial where the plan has one, once', async () => {
    const user = await newUser();
    const trial = await area.subscribe(user, 'business');
    expect(trial).toMatchObject({ status: 'trialing', isTrialing: true, daysUntilRenewal: 14 });
    expect((await area.get(user, '/auth/user')).json).toMatchObject({
      plan: planRecord(PLANS.business),
      usage: { maxRedirects: -1, canCreateRedirect: true },
      isOnTrial: true,
      trialEndsAt: trial.trialEnd,
      isInGracePeriod: false,
    });
    expect(trial.trialEnd).toBe(trial.currentPeriodEnd);
    expect((await area.get(user, '/payment/history')).json.data.transactions).toEqual([]);
    await cancel(user, { immediately: true });
    expect(await area.subscribe(user, 'business')).toMatchObject({ status: 'active', isTrialing: false });
  });

  it('is cancelled for the end of the period by the deletion of the account, and resumed', async () => {
    const user = await area.api.createUser();
    const { subscriptionsOfLeavers: leavers } = area.billing;
    expect(await leavers.renewing(area.api.database, user.id)).toBeUndefined();
    await leavers.resume(user.id);
    await leavers.cancel(user.id);
    const { id } = await area.subscribe(user, 'pro');
    expect(await leavers.renewing(area.api.database, user.id)).toBe(id);
    for (let time = 0; time < 2; time += 1) await leavers.cancel(user.id);
    expect(await area.subscription(user)).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: true });
    expect(await leavers.renewing(area.api.database, user.id)).toBeUndefined();
    for (let time = 0; time < 2; time += 1) await leavers.resume(user.id);
    expect(await area.subscription(user)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
  });

  it('ends at once with the deletion of the account, also when that is repeated', async () => {
    const user = await area.api.createUser();
    await area.subscribe(user, 'pro');
    for (let time = 0; time < 2; time += 1) await area.billing.subscriptionsOfLeavers.end(user.id);
    expect(await area.subscription(user)).toBeNull();
    expect(area.told.filter(({ userId }) => userId === user.id).map(({ type }) => type)).toContain(
      'subscription.revoked',
    );
  });

  it('cancelled for the end of the period keeps access until then, and is gone afterwards', async () => {
    const user = await newUser();
    const { currentPeriodEnd } = await area.subscribe(user, 'pro');
    const { status, json } = await cancel(user, { reason: 'too dear' });
    expect(status).toBe(200);
    expect(json.data.subscription).toMatchObject({
      status: 'canceled',
      cancelAtPeriodEnd: true,
      canceledAt: ISO,
      isActive: true,
      currentPeriodEnd,
    });
    area.pass((Date.parse(currentPeriodEnd) - area.now() - 1) / (24 * 3_600_000));
    expect(await area.subscription(user)).toMatchObject({ status: 'canceled', isActive: true });
    area.pass(1 / (24 * 3_600_000));
    expect(await area.subscription(user)).toBeNull();
    expect((await area.get(user, '/auth/user')).json.plan.id).toBe('free');
    expect(await reactivate(user)).toMatchObject(errorOf(404, 'SUBSCRIPTION_NOT_FOUND'));
    expect(await cancel(user)).toMatchObject(errorOf(404, 'SUBSCRIPTION_NOT_FOUND'));
  });

  it('is cancelled without a reason by null for one', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    expect(await cancel(user, { reason: null })).toMatchObject({
      status: 200,
      json: { data: { subscription: { cancelAtPeriodEnd: true } } },
    });
    expect(await cancel(user, { reason: 7 })).toMatchObject(errorOf(422, 'VALIDATION_ERROR', 'reason'));
  });

  it('goes on when its cancellation is withdrawn', async () => {
    const user = await newUser();
    const before = await area.subscribe(user, 'pro');
    await cancel(user, { immediately: false });
    expect((await reactivate(user)).json.data.subscription).toEqual(before);
    expect(await reactivate(user)).toMatchObject(errorOf(400, 'SUBSCRIPTION_NOT_REACTIVATABLE'));
  });

  it('cancelled at once loses its limits at once, which cannot be undone', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    for (let count = 0; count < 6; count += 1) await area.addRedirect(user, `r${count}-${user.id}`);
    const { json } = await cancel(user, { immediately: true });
    expect(json.data.subscription).toMatchObject({
      status: 'revoked',
      isActive: false,
      daysUntilRenewal: 0,
    });
    expect(json.message).toContain('6 redirects of 5');
    expect(await area.subscription(user)).toBeNull();
    const refused = await area.addRedirect(user, `more-${user.id}`);
    expect(refused).toMatchObject(errorOf(403, 'PLAN_LIMIT_REACHED'));
    expect(refused.json.error.message).toMatch(/Free.*5.*6/);
    expect((await area.get(user, '/get-redirects/me')).json).toHaveLength(6);
    expect(await reactivate(user)).toMatchObject(errorOf(400, 'SUBSCRIPTION_NOT_REACTIVATABLE'));
    expect(await cancel(user)).toMatchObject(errorOf(404, 'SUBSCRIPTION_NOT_FOUND'));
  });

  it('moves the limits of the API and of redirects at the moment it begins', async () => {
    const user = await newUser();
    const limit = async () => (await area.get(user, '/auth/user')).headers['x-ratelimit-limit'];
    expect(await limit()).toBe('300000');
    for (let count = 0; count < 5; count += 1) await area.addRedirect(user, `f${count}-${user.id}`);
    expect((await area.addRedirect(user, `six-${user.id}`)).status).toBe(403);
    await area.subscribe(user, 'pro');
    expect(await limit()).toBe('1200000');
    expect((await area.addRedirect(user, `six-${user.id}`)).status).toBe(201);
  });

  it('tells data planes at once how long hits are kept from now on', async () => {
    const user = await newUser();
    await area.addRedirect(user, `kept-${user.id}`);
    const served = async () =>
      (await readSnapshot(area.rulesets)).redirects.find(({ host }) => host === `kept-${user.id}.localhost`);
    expect(await served()).toMatchObject({ retentionDays: 30 });
    const before = await area.rulesets.readHead();
    await area.subscribe(user, 'pro');
    expect(await served()).toMatchObject({ retentionDays: 365 });
    const delta = await area.rulesets.readDelta(before, 10);
    expect(delta?.changes).toMatchObject([{ redirect: { retentionDays: 365 } }]);
  });
});

describe('every route', () => {
  const routes: [string, string, 'billing:read' | 'billing:write'][] = [
    ['GET', '/payment/subscription', 'billing:read'],
    ['POST', '/payment/subscription/cancel', 'billing:write'],
    ['POST', '/payment/subscription/reactivate', 'billing:write'],
    ['POST', '/payment/portal', 'billing:write'],
    ['GET', '/payment/history', 'billing:read'],
    ['GET', '/payment/billing', 'billing:read'],
    ['POST', '/payment/checkout', 'billing:write'],
    ['GET', '/payment/checkout/x', 'billing:read'],
  ];

  it.each(routes)('%s %s needs a token with the scope %s', async (method, url, scope) => {
    const { id } = await newUser();
    const scopes = ['billing:read', 'billing:write'].filter((other) => other !== scope);
    const token = await area.api.createToken(id, { scopes: scopes as ['billing:read'] });
    expect(await area.api.call(method, url)).toMatchObject(errorOf(401, 'MISSING_TOKEN'));
    expect(await area.api.call(method, url, { token })).toMatchObject(errorOf(403, 'INSUFFICIENT_SCOPE'));
  });

  it.each(['page=0', 'limit=101', 'limit=0', 'page=x'])('of the history refuses %s', async (query) => {
    const answer = await area.get(await newUser(), `/payment/history?${query}`);
    expect(answer).toMatchObject(errorOf(400, 'INVALID_REQUEST'));
  });
});

describe('the examples of the documentation', () => {
  interface Media {
    readonly example?: object;
    readonly examples?: Readonly<Record<string, { readonly value: object }>>;
  }
  async function examplesOf(path: string, method = 'post'): Promise<object[]> {
    const { json } = await area.api.call('GET', '/openapi.json');
    const media: Media = json.paths[path][method].requestBody.content['application/json'];
    const several = Object.values(media.examples ?? {}).map(({ value }) => value);
    return media.example === undefined ? several : [media.example, ...several];
  }
  /** Sends each example unchanged. Resolves to the last answer. */
  async function execute(user: TestUser, path: string, at = path, method = 'post'): Promise<ApiAnswer> {
    let last: ApiAnswer | undefined;
    for (const body of await examplesOf(path, method)) {
      last = await area.api.call(method.toUpperCase(), at, { token: user.token, body });
      expect([200, 201], `${path}: ${last.body}`).toContain(last.status);
    }
    if (last === undefined) throw new Error(`${path} has no example`);
    return last;
  }

  it('work when they are executed', async () => {
    const user = await newUser();
    for (const path of ['/auth/signup', '/auth/login', '/auth/tokens']) await execute(user, path);
    const { id } = (await execute(user, '/add-redirect')).json;
    await execute(user, '/update/{id}', `/update/${id}`, 'put');
    const rules = '/rules/redirect/{redirectId}';
    const { rule } = (await execute(user, rules, `/rules/redirect/${id}`)).json;
    await execute(user, '/rules/{ruleId}', `/rules/${rule.id}`, 'put');
    await execute(user, '/rules/{ruleId}/status', `/rules/${rule.id}/status`, 'put');
    const { checkoutUrl } = (await execute(user, '/payment/checkout')).json.data;
    await area.submit(checkoutUrl, { outcome: 'succeed' });
    await execute(user, '/payment/portal');
    await execute(user, '/payment/subscription/cancel');
  });

  it('are there for every body', async () => {
    const { json } = await area.api.call('GET', '/openapi.json');
    for (const [path, methods] of Object.entries<Record<string, { requestBody?: object }>>(json.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        if (requestBody !== undefined) expect(await examplesOf(path, method), path).not.toEqual([]);
      }
    }
  });
});
