import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../../http/api.fixture.js';
import { type StripeApi, send, signatureOf, startStripeApi } from './stripe-api.fixture.js';
import type { Loose } from './stripe-ledger.fixture.js';

let area: StripeApi;
let count = 0;

beforeAll(async () => {
  area = await startStripeApi();
});
afterAll(() => area.close());

const sendSigned = (event: unknown) => {
  const payload = JSON.stringify(event);
  return send(area.api, payload, signatureOf(payload, area.now()));
};
const kept = (id: string) =>
  area.api.database.query<{ outcome: string }>('SELECT outcome FROM stripe_events WHERE id = $1', [id]);

/** A user who has paid, and Stripe's events about it. */
async function paid(): Promise<{ user: TestUser; events: readonly Loose[] }> {
  const user = await area.api.createUser();
  const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
  area.account.pay(new URL(json.data.checkoutUrl).pathname.slice(1));
  return { user, events: area.account.takeEvents() };
}

/** Returns a changed copy of the first event of a type. */
function changed(
  events: readonly Loose[],
  type: string,
  change: (object: Loose, event: Loose) => void,
): Loose {
  const event = structuredClone(events.find((one: Stripe.Event) => one.type === type));
  count += 1;
  event.id = `evt_changed_${count}`;
  change(event.data.object, event);
  return event;
}

const envelope = (members: object) => ({
  id: 'evt_shape',
  type: 'customer.subscription.updated',
  created: 1_772_323_200,
  data: { object: {} },
  ...members,
});

describe('what is signed and no event', () => {
  it.each<[string, unknown, string | undefined]>([
    ['a list', [], undefined],
    ['null', null, undefined],
    ['text', 'evt_1', undefined],
    ['an object of something else', { a: 1 }, 'id'],
    ['an event without an id', envelope({ id: undefined }), 'id'],
    ['an event with a number for an id', envelope({ id: 5 }), 'id'],
    ['an event with an empty id', envelope({ id: '' }), 'id'],
    ['an event with U+0000 in its id', envelope({ id: 'evt_\0' }), 'id'],
    ['an event with an id of 256 characters', envelope({ id: 'x'.repeat(256) }), 'id'],
    ['an event without a type', envelope({ type: undefined }), 'type'],
    ['an event without data', envelope({ data: undefined }), 'data'],
    ['an event about nothing', envelope({ data: {} }), 'data.object'],
    ['an event about null', envelope({ type: 'invoice.paid', data: { object: null } }), 'data.object'],
    ['an event about a list', envelope({ data: { object: [] } }), 'data.object'],
  ])('is refused: %s', async (_what, body, field) => {
    const { status, json } = await sendSigned(body);
    expect([status, json.error.code, json.error.field]).toEqual([400, 'INVALID_REQUEST', field]);
    expect(json.error.message).toContain('not an event of Stripe');
    expect(await kept('evt_shape')).toEqual([]);
  });
});

describe('an event of a kind that is read', () => {
  const subscribed = 'customer.subscription.created';
  it.each<[string, string, (object: Loose, event: Loose) => void]>([
    ['a subscription without metadata', subscribed, (object) => delete object.metadata],
    ['a subscription without items', subscribed, (object) => delete object.items],
    ['a subscription with an empty list of items', subscribed, (object) => (object.items.data = [])],
    ['a subscription without a status', subscribed, (object) => delete object.status],
    ['a subscription whose item has no price', subscribed, (object) => delete object.items.data[0].price],
    ['a subscription of a user with U+0000', subscribed, (object) => (object.metadata.waymark_user = '\0')],
    [
      'a subscription whose item has no period',
      subscribed,
      (object) => delete object.items.data[0].current_period_end,
    ],
    [
      'a subscription until beyond all dates',
      subscribed,
      (object) => (object.items.data[0].current_period_end = 1e17),
    ],
    ['a moment that is none', subscribed, (_object, event) => delete event.created],
    ['an invoice with nothing in it', 'invoice.paid', (_object, event) => (event.data.object = {})],
    ['an invoice without amounts', 'invoice.paid', (object) => delete object.amount_paid],
    ['an invoice without its beginning', 'invoice.paid', (object) => delete object.created],
    ['an invoice without a parent', 'invoice.paid', (object) => delete object.parent],
    ['a session without an id', 'checkout.session.completed', (_object, event) => (event.data.object = {})],
  ])('is taken and ignored: %s', async (_what, type, change) => {
    const { user, events } = await paid();
    const event = changed(events, type, change);
    expect(await sendSigned(event)).toMatchObject({ status: 200, json: { received: true } });
    expect(await kept(event.id)).toEqual([{ outcome: 'ignored' }]);
    expect(await area.subscription(user)).toBeNull();
    expect(await area.transactions(user)).toEqual([]);
  });

  it('is taken and ignored: a refund without its amount, or of a charge for nothing', async () => {
    const { user, events } = await paid();
    for (const event of events) await area.deliver(event);
    const invoice = events.find(({ type }) => type === 'invoice.paid')!.data.object.id;
    area.account.refund(invoice, 100);
    const told = area.account.takeEvents();
    for (const member of ['amount_refunded', 'payment_intent']) {
      const event = changed(told, 'charge.refunded', (charge) => delete charge[member]);
      expect((await sendSigned(event)).status).toBe(200);
      expect(await kept(event.id)).toEqual([{ outcome: 'ignored' }]);
    }
    expect((await area.transactions(user))[0]).toMatchObject({ status: 'succeeded' });
  });

  it('is read without what may be left out', async () => {
    const { user, events } = await paid();
    const sparse = [
      changed(events, subscribed, (object) => {
        for (const member of ['cancel_at', 'cancel_at_period_end', 'canceled_at', 'ended_at']) {
          delete object[member];
        }
        for (const member of ['trial_start', 'trial_end']) delete object[member];
      }),
      changed(events, 'invoice.paid', (object) => {
        for (const member of ['lines', 'status_transitions', 'total_taxes', 'hosted_invoice_url']) {
          delete object[member];
        }
      }),
    ];
    for (const event of sparse) {
      expect((await sendSigned(event)).status).toBe(200);
      expect(await kept(event.id)).toEqual([{ outcome: 'applied' }]);
    }
    expect(await area.subscription(user)).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: false,
      plan: { id: 'pro' },
    });
    expect(await area.transactions(user)).toMatchObject([{ status: 'succeeded', amount: 2900 }]);
  });

  it.each([
    ['nothing', null],
    ['text', 'x'],
    ['no items', { items: null }],
    ['items of another shape', { items: { data: [{}] } }],
  ])('is read whatever it says was otherwise before: %s', async (_what, previous) => {
    const { user, events } = await paid();
    const event = changed(events, subscribed, (_object, one) => {
      one.type = 'customer.subscription.updated';
      one.data.previous_attributes = previous;
    });
    expect((await sendSigned(event)).status).toBe(200);
    expect(await area.subscription(user)).toMatchObject({ plan: { id: 'pro' } });
  });
});

it('an event of another kind is taken, whatever it is about', async () => {
  for (const type of ['charge.succeeded', 'invoice.upcoming', 'radar.early_fraud_warning.created']) {
    const event = { id: `evt_${type}`, type, data: { object: {} } };
    expect((await sendSigned(event)).status).toBe(200);
    expect(await kept(event.id)).toEqual([{ outcome: 'ignored' }]);
  }
});
