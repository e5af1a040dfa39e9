import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { PLANS } from '../../plans/default-plans.js';
import { type StripeApi, type StripeApiOptions, startStripeApi } from './stripe-api.fixture.js';

const DAY = 24 * 3600;
let area: StripeApi;
let lines: string[];

async function start(options: StripeApiOptions) {
  lines = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  area = await startStripeApi({ ...options, logger });
}
afterEach(() => area.close());

const checkOut = async (planId: string) => {
  const user = await area.api.createUser();
  return { user, ...(await area.post(user, '/payment/checkout', { planId })) };
};
const sold = () =>
  area.edge.requests
    .filter(({ method, path }) => method === 'POST' && path === '/checkout/sessions')
    .map(({ params }) =>
      Object.fromEntries(
        Object.entries(params)
          .filter(([name]) => name.startsWith('line_items[0]'))
          .map(([name, value]) => [name.replace('line_items[0]', ''), value]),
      ),
    );
const OF_PRO = {
  '[price_data][currency]': 'usd',
  '[price_data][unit_amount]': '2900',
  '[price_data][recurring][interval]': 'month',
  '[price_data][product_data][name]': PLANS.pro.name,
  '[price_data][product_data][description]': PLANS.pro.description,
  '[price_data][product_data][metadata][waymark_plan]': 'pro',
  '[quantity]': '1',
};

it('a plan without a price at Stripe is sold for what it costs, which is said once', async () => {
  await start({ pricedPlans: [] });
  for (const _ of [1, 2]) expect(await checkOut('pro')).toMatchObject({ status: 201 });
  expect(sold()).toEqual([OF_PRO, OF_PRO]);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    plan: 'pro',
    fault: 'there is no active price with the lookup key waymark_pro',
    msg: expect.stringContaining('npm run stripe:setup'),
  });
});

it('a plan with a different price at Stripe is sold for the price of the catalogue', async () => {
  const cheaper = { ...PLANS.pro, pricing: { ...PLANS.pro.pricing, amount: 1900 } };
  await start({ pricedPlans: [cheaper] });
  expect(await checkOut('pro')).toMatchObject({ status: 201 });
  expect(sold()).toEqual([OF_PRO]);
  expect(JSON.parse(lines[0]!).fault).toMatch(/^the price \w+ is not what the plan pro costs$/);
});

it('every Stripe event of a sale without a price names the plan', async () => {
  await start({ pricedPlans: [] });
  const user = await area.api.createUser();
  const id = await area.subscribe(user, 'pro');
  expect(area.told(user)).toEqual(['subscription.confirmed']);
  area.pass(31 * DAY);
  area.account.renew(id, true);
  await area.deliverAll();
  expect(await area.subscription(user)).toMatchObject({ id, status: 'active', plan: { id: 'pro' } });
  const paid = { plan: { id: 'pro' }, amount: 2900, status: 'succeeded' };
  expect(await area.transactions(user)).toMatchObject([paid, paid]);
  const asked = area.edge.requests.filter(({ path }) => path.startsWith('/prices/'));
  expect(asked).toHaveLength(1);

  await area.billing.reconciliation.reconcileAll();
  expect(await area.subscription(user)).toMatchObject({ id, plan: { id: 'pro' } });
});

it('a subscription changes to a plan with a price, and away from one without', async () => {
  await start({ pricedPlans: [PLANS.business] });
  const user = await area.api.createUser();
  await area.subscribe(user, 'pro');
  area.pass(60);
  const { json } = await area.post(user, '/payment/checkout', { planId: 'business' });
  area.account.confirmChange(await area.followChange(json.data.checkoutUrl));
  await area.deliverAll();
  expect(await area.subscription(user)).toMatchObject({ plan: { id: 'business' } });

  expect(await area.post(user, '/payment/checkout', { planId: 'pro' })).toMatchObject({
    status: 503,
    json: {
      error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('npm run stripe:setup') },
    },
  });
});
