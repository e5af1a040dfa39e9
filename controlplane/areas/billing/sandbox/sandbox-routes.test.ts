import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../../http/api.fixture.js';
import { type BillingApi, startBillingApi } from '../billing-api.fixture.js';

let area: BillingApi;

beforeAll(async () => {
  area = await startBillingApi({
    dashboardUrl: 'https://app.example/billing?tab=plan',
    corsOrigins: ['https://shop.example'],
  });
});
afterAll(() => area.api.close());

const newUser = () => area.api.createUser();
const history = async (user: TestUser) =>
  (await area.get(user, '/payment/history')).json.data.transactions as Record<string, unknown>[];
const eventsOf = ({ id }: TestUser) =>
  area.told.filter(({ userId }) => userId === id).map(({ type }) => type);
const subscriptionsOf = ({ id }: TestUser) =>
  area.api.database.query('SELECT id FROM subscriptions WHERE user_id = $1', [id]);
const page = (url: string) => area.api.call('GET', new URL(url).pathname);
async function openCheckout(user: TestUser, planId = 'pro'): Promise<string> {
  return (await area.post(user, '/payment/checkout', { planId })).json.data.checkoutUrl;
}

describe('the checkout page', () => {
  it('says that it is a sandbox, runs no script and cannot be framed', async () => {
    const { status, headers, body } = await page(await openCheckout(await newUser(), 'business'));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/app\.example; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toContain('This is a sandbox.');
    expect(body).toContain('99.00 USD each month');
    expect(body).toContain('14 days before the first charge');
    expect(body).toContain('<html lang="en">');
    expect(body).not.toContain('<script');
  });

  it('sends the user back to the dashboard once it is paid, and then says so', async () => {
    const user = await newUser();
    const url = await openCheckout(user);
    const { status, headers } = await area.submit(url, { outcome: 'succeed' });
    expect(status).toBe(303);
    expect(headers.location).toBe(
      `https://app.example/billing?tab=plan&checkout_id=${url.split('/').at(-1)}`,
    );
    const paid = await page(url);
    expect(paid.body).toContain('The payment succeeded.');
    expect(paid.body).not.toContain('<form');
    expect(eventsOf(user)).toEqual(['subscription.confirmed']);
  });

  it('sends the user where the checkout says, and leads back there', async () => {
    const returns = {
      planId: 'pro',
      successUrl: 'https://shop.example/{CHECKOUT_ID}/done',
      cancelUrl: 'https://app.example/plans?left={CHECKOUT_ID}',
    };
    const { checkoutId, checkoutUrl } = (await area.post(await newUser(), '/payment/checkout', returns)).json
      .data;
    const open = await page(checkoutUrl);
    expect(open.body).toContain(`href="https://app.example/plans?left=${checkoutId}"`);
    expect(open.headers['content-security-policy']).toContain("form-action 'self' https://shop.example;");
    const { headers } = await area.submit(checkoutUrl, { outcome: 'succeed' });
    expect(headers.location).toBe(`https://shop.example/${checkoutId}/done`);
    expect((await page(checkoutUrl)).body).toContain(`href="https://shop.example/${checkoutId}/done"`);
  });

  it.each(['/sandbox/checkout/unknown', '/sandbox/portal/unknown', '/sandbox/receipts/unknown'])(
    'answers an unknown address with a page for browsers and JSON for programs: %s',
    async (url) => {
      const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
      const shown = await area.api.call('GET', url, { headers });
      expect(shown).toMatchObject({
        status: 404,
        body: expect.stringContaining('<h1>This page does not exist'),
      });
      expect(shown.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(shown.body).toContain('href="https://app.example/billing?tab=plan"');
      const told = await area.api.call('GET', url, { headers: { accept: '*/*' } });
      expect(told).toMatchObject({ status: 404, json: { error: { code: 'NOT_FOUND' } } });
    },
  );

  it('says on a page why a payment cannot be taken', async () => {
    const user = await newUser();
    const urls = [await openCheckout(user), await openCheckout(user)];
    await area.submit(urls[0]!, { outcome: 'succeed' });
    const { status, body } = await area.api.call('POST', new URL(urls[1]!).pathname, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
      body: 'outcome=succeed',
    });
    expect(status).toBe(422);
    expect(body).toContain('<h1>This cannot be done</h1>');
    expect(body).toContain('You are subscribed to pro already; choose another plan.');
  });

  it('is paid once, however often the form is sent', async () => {
    const user = await newUser();
    const url = await openCheckout(user);
    await Promise.all([1, 2, 3].map(() => area.submit(url, { outcome: 'succeed' })));
    await area.submit(url, { outcome: 'succeed' });
    expect(await history(user)).toHaveLength(1);
    expect(eventsOf(user)).toEqual(['subscription.confirmed']);
  });

  it('lets a declined card be tried again', async () => {
    const user = await newUser();
    const url = await openCheckout(user);
    const declined = await area.submit(url, { outcome: 'decline' });
    const next = new URL(declined.headers.location!, url);
    expect((await area.api.call('GET', next.pathname + next.search)).body).toContain('was declined');
    expect(await area.subscription(user)).toBeNull();
    expect(await history(user)).toMatchObject([
      { status: 'failed', failedAt: expect.any(String), paidAt: null },
    ]);
    expect(eventsOf(user)).toEqual(['payment.failed']);
    await area.submit(url, { outcome: 'succeed' });
    expect(await area.subscription(user)).toMatchObject({ status: 'active' });
    expect((await history(user)).map(({ status }) => status)).toEqual(['succeeded', 'failed']);
    expect(eventsOf(user)).toEqual(['payment.failed', 'subscription.confirmed']);
  });

  it('changes the plan of the subscription there is', async () => {
    const user = await newUser();
    const { id } = await area.subscribe(user, 'pro');
    expect(await area.subscribe(user, 'business')).toMatchObject({
      id,
      status: 'active',
      plan: { id: 'business' },
    });
    expect((await history(user)).map(({ amount }) => amount)).toEqual([9900, 2900]);
    expect(eventsOf(user)).toEqual(['subscription.confirmed', 'subscription.confirmed']);
    expect(area.told.at(-1)?.data).toMatchObject({ subscription: { id, plan: { id: 'business' } } });
  });

  it('begins one subscription when two pages are paid at the same moment', async () => {
    const user = await newUser();
    const urls = [await openCheckout(user), await openCheckout(user)];
    const answers = await Promise.all(urls.map((url) => area.submit(url, { outcome: 'succeed' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
    expect(await subscriptionsOf(user)).toHaveLength(1);
    expect(await history(user)).toHaveLength(1);
    expect(eventsOf(user)).toEqual(['subscription.confirmed']);
  });

  it('changes the plan of the other subscription when two plans are paid at the same moment', async () => {
    const user = await newUser();
    const urls = [await openCheckout(user, 'pro'), await openCheckout(user, 'business')];
    await Promise.all(urls.map((url) => area.submit(url, { outcome: 'succeed' })));
    expect(await subscriptionsOf(user)).toHaveLength(1);
  });

  it('begins one trial, however many pages that offer it were opened before', async () => {
    const user = await newUser();
    const urls = [await openCheckout(user, 'business'), await openCheckout(user, 'business')];
    await area.submit(urls[0]!, { outcome: 'succeed' });
    expect(await area.subscription(user)).toMatchObject({ status: 'trialing' });
    await area.post(user, '/payment/subscription/cancel', { immediately: true });
    expect(await area.submit(urls[1]!, { outcome: 'succeed' })).toMatchObject({
      status: 422,
      json: { error: { message: expect.stringContaining('there is one trial') } },
    });
    expect(await area.subscription(user)).toBeNull();
    expect(await area.subscribe(user, 'business')).toMatchObject({ status: 'active', isTrialing: false });
  });

  it('takes no payment for a subscription that was cancelled since it was opened', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    const url = await openCheckout(user, 'business');
    await area.act(user, 'cancel');
    expect(await area.submit(url, { outcome: 'succeed' })).toMatchObject({
      status: 422,
      json: { error: { message: expect.stringContaining('/payment/subscription/reactivate') } },
    });
    expect(await history(user)).toHaveLength(1);
    expect(eventsOf(user)).toEqual(['subscription.confirmed', 'subscription.canceled']);
  });

  it.each([
    ['another outcome', { outcome: 'maybe' }],
    ['no outcome', {}],
    ['more than the outcome', { outcome: 'succeed', amount: '0' }],
  ])('refuses %s', async (_what, form) => {
    const answer = await area.submit(await openCheckout(await newUser()), form as Record<string, string>);
    expect(answer.status).toBe(422);
  });

  it('is there for who knows its address only', async () => {
    expect((await page('https://api.example/sandbox/checkout/guess')).status).toBe(404);
    expect((await page('https://api.example/sandbox/portal/guess')).status).toBe(404);
    expect((await page('https://api.example/sandbox/receipts/guess')).status).toBe(404);
  });
});

describe('the portal page', () => {
  it('leads back to where the request says, by a link that names the host', async () => {
    const user = await newUser();
    const { json } = await area.post(user, '/payment/portal', { returnUrl: 'https://shop.example/"><b>' });
    expect(json).toMatchObject({ success: true, message: expect.any(String) });
    expect(Object.keys(json.data)).toEqual(['portalUrl', 'expiresAt']);
    const { body } = await page(json.data.portalUrl);
    expect(body).toContain(
      '<a href="https://shop.example/&quot;&gt;&lt;b&gt;" rel="noreferrer">Back to shop.example</a>',
    );
  });

  it.each([
    'javascript:alert(1)',
    '/elsewhere',
    'https://user@shop.example',
    'https://foreign.example/',
    'https://shop.example.foreign.example/',
    '',
  ])('refuses to lead back to %j', async (returnUrl) => {
    const answer = await area.post(await newUser(), '/payment/portal', { returnUrl });
    expect(answer).toMatchObject({ status: 422, json: { error: { field: 'returnUrl' } } });
    if (returnUrl !== '')
      expect(answer.json.error.message).toContain('https://app.example, https://shop.example');
  });

  it('leads back to where it does by default with null', async () => {
    const user = await newUser();
    const bodies = [{}, { returnUrl: null }].map(async (body) => {
      const { json } = await area.post(user, '/payment/portal', body);
      return (await page(json.data.portalUrl)).body.replaceAll(json.data.portalUrl, 'itself');
    });
    const [byDefault, byNull] = await Promise.all(bodies);
    expect(byNull).toBe(byDefault);
  });

  it('closes after an hour', async () => {
    const { json } = await area.post(await newUser(), '/payment/portal');
    area.pass(1 / 24);
    expect((await page(json.data.portalUrl)).status).toBe(410);
    expect((await area.submit(json.data.portalUrl, { action: 'renew' })).status).toBe(410);
  });

  it('renews: the next period is paid and begins where this one ends', async () => {
    const user = await newUser();
    const before = await area.subscribe(user, 'pro');
    await area.act(user, 'renew');
    const after = await area.subscription(user);
    expect(after).toMatchObject({ status: 'active', currentPeriodStart: before.currentPeriodEnd });
    expect(after.currentPeriodEnd > before.currentPeriodEnd).toBe(true);
    expect(await history(user)).toMatchObject([
      { type: 'subscription_cycle', status: 'succeeded' },
      { type: 'payment', status: 'succeeded' },
    ]);
  });

  it('renews once for each time it is asked to, also at the same moment', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    const { json } = await area.post(user, '/payment/portal');
    await Promise.all([1, 2].map(() => area.submit(json.data.portalUrl, { action: 'renew' })));
    expect((await history(user)).map(({ type }) => type)).toEqual([
      'subscription_cycle',
      'subscription_cycle',
      'payment',
    ]);
    const { currentPeriodStart } = await area.subscription(user);
    expect(Date.parse(currentPeriodStart)).toBeGreaterThan(area.now() + 50 * 24 * 3600 * 1000);
  });

  it('lets a payment fail: access goes on for the days of grace, until it is paid', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    await area.act(user, 'fail_payment');
    expect(await area.subscription(user)).toMatchObject({ status: 'past_due', isActive: true });
    expect(eventsOf(user)).toEqual(['subscription.confirmed', 'payment.failed']);
    area.pass(6.9);
    expect(await area.subscription(user)).toMatchObject({ status: 'past_due', isActive: true });
    const account = async () => (await area.get(user, '/auth/user')).json;
    expect(await account()).toMatchObject({ plan: { id: 'pro' }, isInGracePeriod: true, isOnTrial: false });
    area.pass(0.2);
    expect(await area.subscription(user)).toBeNull();
    expect(await account()).toMatchObject({ plan: { id: 'free', name: 'Free' }, isInGracePeriod: false });
    await area.act(user, 'renew');
    expect(await area.subscription(user)).toMatchObject({ status: 'active', isActive: true });
  });

  it('shows the end of access when a subscription is cancelled within its grace period', async () => {
    const user = await newUser();
    const { currentPeriodEnd } = await area.subscribe(user, 'pro');
    await area.act(user, 'fail_payment');
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const graceEnd = day(area.now() + 7 * 24 * 3600 * 1000);
    const { json } = await area.post(user, '/payment/subscription/cancel');
    expect(json.message).toBe(
      `Your subscription will end on ${day(Date.parse(currentPeriodEnd))}. You keep access until ${graceEnd}.`,
    );
    expect((await area.subscription(user)).message).toBe(
      `Your subscription to Pro is cancelled; you keep access until ${graceEnd}.`,
    );
  });

  it('says what came of each action', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    const { portalUrl } = (await area.post(user, '/payment/portal')).json.data;
    const noticeAfter = async (action: string) => {
      const { headers } = await area.submit(portalUrl, { action });
      const { body } = await area.api.call('GET', `/sandbox/portal/${headers.location}`);
      return /role="status">([^<]*)</.exec(body)?.[1];
    };
    expect(await noticeAfter('renew')).toMatch(
      /^The payment succeeded\. .* renews next on \d{4}-\d\d-\d\d\.$/,
    );
    expect(await noticeAfter('refund')).toBe('29.00 USD were refunded.');
    expect(await noticeAfter('fail_payment')).toMatch(
      /^The payment failed\. Access to the plan Pro goes on until/,
    );
    expect(await noticeAfter('cancel')).toMatch(
      /^The subscription is cancelled\. Access to the plan Pro goes on/,
    );
    expect(await noticeAfter('cancel')).toBe('Nothing was changed: there was nothing to do that to.');
    const { body } = await area.api.call('GET', `${new URL(portalUrl).pathname}?done=<b>`);
    expect(body).not.toContain('role="status"');
  });

  it('shows the end of access before it cancels a past-due subscription', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    const { portalUrl } = (await area.post(user, '/payment/portal')).json.data;
    const label = async (url: string) => /value="cancel">([^<]*)</.exec((await page(url)).body)?.[1];
    expect(await label(portalUrl)).toBe('Cancel at the end of the period');
    await area.submit(portalUrl, { action: 'fail_payment' });
    const graceEnd = new Date(area.now() + 7 * 24 * 3600 * 1000).toISOString().slice(0, 10);
    expect(await label(portalUrl)).toBe(`Cancel, and keep access until ${graceEnd}`);
    area.pass(8);
    const later = (await area.post(user, '/payment/portal')).json.data.portalUrl;
    expect(await label(later)).toBe('Cancel now');
  });

  it('refunds the last payment, which stays one transaction', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    await area.act(user, 'refund');
    await area.act(user, 'refund');
    expect(await history(user)).toMatchObject([
      { status: 'refunded', amount: 2900, refundedAmount: 2900, refundedAt: expect.any(String) },
    ]);
  });

  it('cancels for the end of the period, and then charges no more', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    await area.act(user, 'cancel');
    expect(await area.subscription(user)).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: true });
    await area.act(user, 'renew');
    expect(await history(user)).toHaveLength(1);
    expect(eventsOf(user)).toEqual(['subscription.confirmed', 'subscription.canceled']);
  });

  it('offers only what can be done', async () => {
    const user = await newUser();
    const { json } = await area.post(user, '/payment/portal');
    const offered = async () => {
      const { body } = await page(json.data.portalUrl);
      return [...body.matchAll(/name="action" value="([a-z_]+)"/g)].map(([, action]) => action);
    };
    expect(await offered()).toEqual([]);
    await area.subscribe(user, 'pro');
    expect(await offered()).toEqual(['renew', 'fail_payment', 'refund', 'cancel']);
    await area.act(user, 'cancel');
    expect(await offered()).toEqual(['refund']);
    await area.post(user, '/payment/subscription/cancel', { immediately: true });
    expect(await offered()).toEqual(['refund']);
    expect((await page(json.data.portalUrl)).body).not.toContain('Current period ends');
  });

  it('shows payments with their receipts', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    const { json } = await area.post(user, '/payment/portal');
    const { body } = await page(json.data.portalUrl);
    const receipt = /href="([^"]+receipts[^"]+)"/.exec(body)?.[1];
    expect(receipt).toBe((await history(user))[0]?.receiptUrl);
    expect((await page(receipt!)).body).toContain('29.00 USD');
  });
});
