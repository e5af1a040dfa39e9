import { pino } from 'pino';
import type Stripe from 'stripe';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PLANS } from '../../plans/default-plans.js';
import { createPlanCatalogue } from '../../plans/plan-catalogue.js';
import { setUpStripe } from './setup.js';
import { createStripeAccount } from './stripe-account.fixture.js';
import { createStripeClient } from './stripe-client.js';
import { type StripeEdge, startStripeEdge } from './stripe-edge.fixture.js';
import { WEBHOOK_EVENTS } from './stripe-event-shape.js';
import { createStripePortal } from './stripe-portal.js';
import { createStripePrices } from './stripe-prices.js';

const URL_OF_API = 'https://api.waymark.example';
let edge: StripeEdge;
let stripe: Stripe;

beforeEach(async () => {
  const { answer } = createStripeAccount({ nowMs: Date.now, plans: [] });
  edge = await startStripeEdge({ answer, nowMs: Date.now });
  stripe = createStripeClient({ secretKey: 'sk_test_123', apiBase: edge.url });
});
afterEach(() => edge.close());

async function setUp(plans = Object.values(PLANS), publicApiUrl: string | undefined = URL_OF_API) {
  const lines: string[] = [];
  const catalogue = createPlanCatalogue(plans, 'free');
  await setUpStripe(stripe, { catalogue, publicApiUrl, dashboardUrl: undefined }, (line) => lines.push(line));
  return lines;
}
const pricesOf = () => createStripePrices({ stripe, logger: pino({ level: 'silent' }) });
const changes = () => edge.requests.filter(({ method }) => method === 'POST');

it('makes what billing needs in an empty account, and shows the secret of the webhook', async () => {
  const lines = await setUp();
  expect(lines).toEqual([
    'product waymark_pro: created',
    expect.stringMatching(/^price price_\w+ \(waymark_pro\): created$/),
    'product waymark_business: created',
    expect.stringMatching(/^price price_\w+ \(waymark_business\): created$/),
    expect.stringMatching(/^portal bpc_\w+: created$/),
    expect.stringMatching(/^webhook we_\w+: created for https:\/\/api\.waymark\.example\/webhooks\/stripe$/),
    expect.stringMatching(/^STRIPE_WEBHOOK_SECRET=whsec_shown_once /),
  ]);
  const endpoint = changes().find(({ path }) => path === '/webhook_endpoints')!;
  expect(endpoint.params.api_version).toBe('2026-10-28.endive');
  const events = Object.entries(endpoint.params).filter(([name]) => name.startsWith('enabled_events'));
  expect(events.map(([, event]) => event)).toEqual([...WEBHOOK_EVENTS]);
  await expect(pricesOf().priceOf(PLANS.pro)).resolves.toMatch(/^price_/);
  expect(await createStripePortal(stripe).configuration()).toEqual({
    configuration: expect.stringMatching(/^bpc_/),
  });
});

it('finds everything as it should be the second time, and shows no secret', async () => {
  await setUp();
  const before = changes().length;
  const lines = await setUp();
  expect(lines.every((line) => line.endsWith(': as it should be'))).toBe(true);
  expect(
    changes()
      .slice(before)
      .map(({ path }) => path),
  ).toEqual([expect.stringMatching(/^\/billing_portal\/configurations\/bpc_/)]);
});

it('takes a plan without a description, and finds it as it should be the second time', async () => {
  const plans = [PLANS.free, { ...PLANS.pro, description: '' }];
  await setUp(plans);
  const product = changes().find(({ path }) => path === '/products');
  expect(product?.params).not.toHaveProperty('description');
  expect((await setUp(plans))[0]).toBe('product waymark_pro: as it should be');
});

it('puts a new price in the place of one that costs something else', async () => {
  await setUp();
  const dearer = { ...PLANS.pro, pricing: { ...PLANS.pro.pricing, amount: 3900 } };
  await expect(pricesOf().priceOf(dearer)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  const lines = await setUp([PLANS.free, dearer, PLANS.business]);
  expect(lines[1]).toMatch(/^price price_\w+ \(waymark_pro\): created in the place of price_\w+$/);
  await expect(pricesOf().priceOf(dearer)).resolves.toMatch(/^price_/);
});

it('mends a product and an endpoint that were changed', async () => {
  await setUp();
  const [endpoint] = (await stripe.webhookEndpoints.list()).data;
  await stripe.webhookEndpoints.update(endpoint!.id, { enabled_events: ['invoice.paid'] });
  await stripe.products.update('waymark_pro', { name: 'something else' });
  const lines = await setUp();
  expect(lines).toContain('product waymark_pro: updated');
  expect(lines).toContain(`webhook ${endpoint!.id}: updated`);
});

it('leaves the webhook alone where Stripe could not reach it', async () => {
  const lines: string[] = [];
  const catalogue = createPlanCatalogue(Object.values(PLANS), 'free');
  const options = { catalogue, publicApiUrl: undefined, dashboardUrl: undefined };
  await setUpStripe(stripe, options, (line) => lines.push(line));
  expect(lines.at(-1)).toMatch(/^webhook: left alone; set PUBLIC_API_URL/);
  expect(changes().map(({ path }) => path)).not.toContain('/webhook_endpoints');
});
