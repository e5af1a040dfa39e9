import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestUser } from '../../../http/api.fixture.js';
import { type StripeApi, send, signatureOf, startStripeApi } from './stripe-api.fixture.js';
import { createStripeClient } from './stripe-client.js';
import { createStripeWebhookRoutes } from './stripe-webhook-routes.js';

const DAY = 24 * 3600;
let area: StripeApi;

beforeAll(async () => {
  area = await startStripeApi();
});
afterAll(() => area.close());

/** A user who has paid, before any event is delivered. */
async function paid(): Promise<{ user: TestUser; id: string; events: Stripe.Event[] }> {
  const user = await area.api.createUser();
  const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
  const id = area.account.pay(new URL(json.data.checkoutUrl).pathname.slice(1));
  return { user, id, events: area.account.takeEvents() };
}

const outcomes = async (events: readonly Stripe.Event[]) =>
  (
    await area.api.database.query<{ outcome: string }>(
      'SELECT outcome FROM stripe_events WHERE id = ANY ($1) ORDER BY id',
      [events.map(({ id }) => id)],
    )
  ).map(({ outcome }) => outcome);

const refused = { status: 400, json: { error: { code: 'INVALID_REQUEST' } } };

describe('an event is refused', () => {
  it('when it was changed on the way', async () => {
    const { user, events } = await paid();
    const payload = JSON.stringify(events[0]);
    const tampered = payload.replace('"active"', '"trialing"');
    expect(tampered).not.toBe(payload);
    expect(await send(area.api, tampered, signatureOf(payload, area.now()))).toMatchObject(refused);
    expect(await area.subscription(user)).toBeNull();
    expect(await outcomes(events)).toEqual([]);
  });

  it('when somebody else has signed it', async () => {
    const { user, events } = await paid();
    const payload = JSON.stringify(events[0]);
    const guessed = signatureOf(payload, area.now(), 'whsec_guessed');
    expect(await send(area.api, payload, guessed)).toMatchObject(refused);
    expect(await area.subscription(user)).toBeNull();
  });

  it.each([
    ['five minutes and a second old', -301, 400],
    ['five minutes old', -300, 200],
  ])('by its age: %s', async (_what, seconds, status) => {
    const { events } = await paid();
    const payload = JSON.stringify(events[0]);
    const signature = signatureOf(payload, area.now() + seconds * 1000);
    expect((await send(area.api, payload, signature)).status).toBe(status);
  });

  it.each([
    ['no signature', {}],
    ['a signature that is none', { 'stripe-signature': 'nonsense' }],
    ['an empty one', { 'stripe-signature': '' }],
  ])('with %s', async (_what, signature) => {
    const headers = { 'content-type': 'application/json', ...signature };
    const answer = await area.api.call('POST', '/webhooks/stripe', { body: '{}', headers });
    expect(answer).toMatchObject(refused);
  });

  it('when it is signed and is no JSON, or there is no body', async () => {
    const noJson = await send(area.api, 'not json', signatureOf('not json', area.now()));
    expect(noJson).toMatchObject(refused);
    expect(await area.api.call('POST', '/webhooks/stripe')).toMatchObject(refused);
  });
});

it('without the secret every event is refused, and Stripe must send it again', async () => {
  const stripe = createStripeClient({ secretKey: 'sk_test_123', apiBase: undefined });
  const { inbox } = area.billing;
  const routes = createStripeWebhookRoutes({ stripe, inbox, webhookSecret: undefined, nowMs: area.now });
  const api = await startApi({ database: area.api.database, areas: () => [routes] });
  expect(await send(api, '{}', signatureOf('{}', area.now()))).toMatchObject({ status: 503 });
  await api.close();
});

describe('an event counts once', () => {
  it('however often it is sent', async () => {
    const { user, events } = await paid();
    for (const event of [...events, ...events]) expect((await area.deliver(event)).status).toBe(200);
    expect(await area.transactions(user)).toHaveLength(1);
    expect(area.told(user)).toEqual(['subscription.confirmed']);
  });

  it('when it is sent twice at the same time', async () => {
    const { user, events } = await paid();
    await Promise.all([...events, ...events].map((event) => area.deliver(event)));
    expect(await area.transactions(user)).toHaveLength(1);
    expect(area.told(user)).toEqual(['subscription.confirmed']);
  });

  it('and is ignored if its kind or object is foreign', async () => {
    const { user, events } = await paid();
    await area.deliverAll();
    const [subscribed] = events as [Stripe.Event, ...Stripe.Event[]];
    const foreign = structuredClone(subscribed) as Stripe.CustomerSubscriptionUpdatedEvent;
    foreign.data.object.metadata = {};
    const others = [
      { ...subscribed, id: 'evt_unknown_kind', type: 'radar.early_fraud_warning.created' },
      { ...foreign, id: 'evt_foreign' },
    ] as Stripe.Event[];
    for (const event of others) expect((await area.deliver(event)).status).toBe(200);
    expect(await outcomes(others)).toEqual(['ignored', 'ignored']);
    expect(await area.subscription(user)).toBeNull();
  });
});

describe('late events', () => {
  it('in reverse order lead to the same state as in order', async () => {
    const { user, id, events } = await paid();
    area.pass(31 * DAY);
    area.account.renew(id, false);
    area.pass(DAY);
    area.account.settle(id);
    area.pass(60);
    area.account.refund(area.account.latestInvoice(id), 2900);
    const all = [...events, ...area.account.takeEvents()].reverse();
    for (const event of all) expect((await area.deliver(event)).status).toBe(200);
    expect(await area.subscription(user)).toMatchObject({ id, status: 'active', isActive: true });
    expect((await area.transactions(user)).map(({ status }: { status: string }) => status)).toEqual([
      'refunded',
      'succeeded',
    ]);
  });

  it('never bring back what has ended', async () => {
    const { user, id, events } = await paid();
    area.pass(60);
    area.account.end(id);
    for (const event of [...area.account.takeEvents(), ...events]) await area.deliver(event);
    expect(await area.subscription(user)).toBeNull();
    expect(area.told(user)).toEqual(['subscription.revoked']);
  });
});

describe('an event that cannot be applied', () => {
  /** A refund needs a request to Stripe, which fails. */
  async function failed() {
    const { user, id } = await paid().then(async (one) => {
      for (const event of one.events) await area.deliver(event);
      return one;
    });
    area.account.refund(area.account.latestInvoice(id), 2900);
    const events = area.account.takeEvents();
    area.edge.failNext(500, 500, 500);
    expect(await area.deliver(events[0]!)).toMatchObject({ status: 503 });
    expect(await outcomes(events)).toEqual(['failed']);
    return { user, events };
  }
  const statusOf = async (user: TestUser) => (await area.transactions(user))[0].status;

  it('is applied when Stripe sends it again', async () => {
    const { user, events } = await failed();
    expect((await area.deliver(events[0]!)).status).toBe(200);
    expect(await statusOf(user)).toBe('refunded');
    expect(await outcomes(events)).toEqual(['applied']);
  });

  it('is applied by a replay of what was not finished', async () => {
    const { user, events } = await failed();
    const replayed = await area.billing.inbox.replay([]);
    expect(replayed).toEqual([{ id: events[0]!.id, type: 'charge.refunded', outcome: 'applied' }]);
    expect(await statusOf(user)).toBe('refunded');
    expect(await area.billing.inbox.replay([])).toEqual([]);
  });

  it('is replayed by name any number of times, and never undoes what came later', async () => {
    const { user, id, events } = await paid();
    for (const event of events) await area.deliver(event);
    area.pass(31 * DAY);
    area.account.renew(id, false);
    await area.deliverAll();
    const replayed = await area.billing.inbox.replay(events.map((event) => event.id));
    expect(replayed.map(({ outcome }) => outcome)).toEqual(events.map(() => 'applied'));
    expect(await area.subscription(user)).toMatchObject({ status: 'past_due' });
  });
});
