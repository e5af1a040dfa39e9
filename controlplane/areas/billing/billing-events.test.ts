import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { userRepository } from '../accounts/user-repository.js';
import { PLANS } from '../plans/default-plans.js';
import { createPlanCatalogue } from '../plans/plan-catalogue.js';
import { createBillingEvents } from './billing-events.js';
import {
  anyHistory,
  at,
  eventsOf,
  readingOf,
  subscriptionIn,
  told,
  transactionIn,
} from './billing-histories.fixture.js';
import type { BillingEvents } from './billing-parts.js';
import {
  SUBSCRIPTION_STEPS,
  type SubscriptionState,
  TRANSACTION_STEPS,
  type TransactionState,
} from './billing-states.js';
import { checkoutRepository } from './checkout-repository.js';
import type { BillingEvent } from './provider.js';
import { createPlanAccess } from './subscribed-plans.js';
import { subscriptionRepository } from './subscription-repository.js';
import { transactionRepository } from './transaction-repository.js';

let test: TestDatabase;
let database: Database;
let events: BillingEvents;
let failEmit = false;
const emitted: string[] = [];

beforeAll(async () => {
  test = await openTestDatabase();
  database = test.database;
  const catalogue = createPlanCatalogue(Object.values(PLANS), 'free');
  const now = () => at(0).getTime();
  events = createBillingEvents({
    outbox: createRulesetOutbox(database),
    catalogue,
    access: createPlanAccess({ database, catalogue, provider: 'test', nowMs: now }),
    emit: async (_tx, _userId, type) => {
      if (failEmit) throw new Error('cannot be told now');
      emitted.push(type);
    },
    nowMs: now,
  });
});
afterAll(() => test.close());
beforeEach(() => {
  emitted.length = 0;
  failEmit = false;
});

async function newIds() {
  const userId = newId();
  await userRepository.insert(database, { id: userId });
  return { userId, subscriptionId: `sub_${userId}`, transactionId: `ch_${userId}` };
}

type Ids = Awaited<ReturnType<typeof newIds>>;

/** Final state, without the names that differ between accounts. */
async function known(ids: Ids) {
  const subscription = await subscriptionRepository.findById(database, ids.subscriptionId);
  const transaction = await transactionRepository.find(database, 'test', ids.transactionId);
  const names = new RegExp([ids.userId, transaction?.id ?? ids.userId].join('|'), 'g');
  return JSON.parse(JSON.stringify({ subscription, transaction }).replace(names, '…'));
}

const subscriptionEvent = (ids: Ids, state: SubscriptionState, second: number) =>
  told(`evt_${newId()}`, at(second), {
    subscription: subscriptionIn(state, { id: ids.subscriptionId, userId: ids.userId }),
  });

describe('an event', () => {
  it('counts once', async () => {
    const ids = await newIds();
    const event = subscriptionEvent(ids, 'active', 1);
    expect(await events.apply(event, event)).toEqual(['applied', 'duplicate']);
    expect(emitted).toEqual(['subscription.confirmed']);
  });

  it('counts once when it is reported twice at the same moment', async () => {
    const ids = await newIds();
    const event = subscriptionEvent(ids, 'active', 1);
    const outcomes = await Promise.all([1, 2, 3].map(() => events.apply(event)));
    expect(outcomes.flat().sort()).toEqual(['applied', 'duplicate', 'duplicate']);
  });

  it('of an unknown user is stored and changes nothing', async () => {
    const ids = { userId: 'nobody', subscriptionId: 'sub_nobody', transactionId: 'ch_nobody' };
    expect(await events.apply(subscriptionEvent(ids, 'active', 1))).toEqual(['unknown']);
    expect(await known(ids)).toEqual({});
  });

  it('that failed halfway can be applied again', async () => {
    const ids = await newIds();
    const event = subscriptionEvent(ids, 'active', 1);
    failEmit = true;
    await expect(events.apply(event)).rejects.toThrow('cannot be told now');
    expect(await known(ids)).toEqual({});
    failEmit = false;
    expect(await events.apply(event)).toEqual(['applied']);
  });
});

describe('a subscription, in every state and told of every other', () => {
  const states = Object.keys(SUBSCRIPTION_STEPS) as SubscriptionState[];
  const pairs = states.flatMap((from) => states.map((to) => [from, to] as const));

  it.each(pairs)('from %s, a newer report of %s is taken unless its step lies before', async (from, to) => {
    const ids = await newIds();
    await events.apply(subscriptionEvent(ids, from, 10));
    const isTaken = SUBSCRIPTION_STEPS[to] >= SUBSCRIPTION_STEPS[from];
    expect(await events.apply(subscriptionEvent(ids, to, 11))).toEqual([isTaken ? 'applied' : 'late']);
    expect((await known(ids)).subscription.state).toBe(isTaken ? to : from);
  });

  it.each(pairs)(
    'from %s, an older report of %s is taken only where it lies further on',
    async (from, to) => {
      const ids = await newIds();
      await events.apply(subscriptionEvent(ids, from, 10));
      const isTaken = SUBSCRIPTION_STEPS[to] > SUBSCRIPTION_STEPS[from];
      expect(await events.apply(subscriptionEvent(ids, to, 9))).toEqual([isTaken ? 'applied' : 'late']);
      expect((await known(ids)).subscription.state).toBe(isTaken ? to : from);
    },
  );
});

describe('a transaction, in every state and told of every other', () => {
  const states = Object.keys(TRANSACTION_STEPS) as TransactionState[];
  const pairs = states.flatMap((from) => states.map((to) => [from, to] as const));

  it.each(pairs)('from %s, a newer report of %s is taken unless its step lies before', async (from, to) => {
    const { transactionId: id, ...ids } = await newIds();
    const charge = (status: typeof from, second: number) =>
      told(`evt_${newId()}`, at(second), { transaction: transactionIn(status, { id, ...ids }) });
    await events.apply(charge(from, 10));
    const isTaken = TRANSACTION_STEPS[to] >= TRANSACTION_STEPS[from];
    expect(await events.apply(charge(to, 11))).toEqual([isTaken ? 'applied' : 'late']);
    expect((await known({ transactionId: id, ...ids })).transaction.status).toBe(isTaken ? to : from);
  });
});

describe('a checkout session, in every state and told of every other', () => {
  const life = ['open', 'expired', 'complete'] as const;
  const pairs = life.flatMap((from, before) => life.map((to, after) => [from, to, after > before] as const));

  it.each(pairs)('from %s, a report of %s is taken: %s', async (from, to, isTaken) => {
    const { userId } = await newIds();
    const providerCheckoutId = `cs_${userId}`;
    await checkoutRepository.insert(database, {
      ...{ id: newId(), userId, planId: 'pro', provider: 'test', providerCheckoutId, status: from },
      ...{ url: 'https://pay.example', successUrl: null, cancelUrl: null, trialDays: 0, price: null },
      ...{ subscriptionId: null, customerName: null, customerEmail: null },
      ...{ createdAt: at(0), expiresAt: at(100), completedAt: null },
    });
    const checkout = { providerCheckoutId, status: to, subscriptionId: null };
    const head = { id: `evt_${newId()}`, provider: 'test', occurredAt: at(1) };
    expect(await events.apply({ ...head, about: 'checkout', checkout })).toEqual([
      isTaken ? 'applied' : 'late',
    ]);
  });
});

describe('what integrators are told', () => {
  it.each<[string, SubscriptionState[], string[]]>([
    ['a first payment', ['incomplete', 'active'], ['confirmed']],
    ['a trial that is paid for', ['trialing', 'active'], ['confirmed']],
    ['a cancellation, and the end', ['active', 'canceled', 'ended'], ['confirmed', 'canceled']],
    [
      'two cancellations',
      ['active', 'canceled', 'active', 'canceled'],
      ['confirmed', 'canceled', 'canceled'],
    ],
    ['an end at once', ['active', 'revoked'], ['confirmed', 'revoked']],
    ['a first payment that never came', ['incomplete', 'incomplete_expired'], []],
  ])('of %s is each thing once', async (_what, states, types) => {
    const ids = await newIds();
    await events.apply(...states.map((state, index) => subscriptionEvent(ids, state, index)));
    expect(emitted).toEqual(types.map((type) => `subscription.${type}`));
  });
});

describe('events in any order', () => {
  const inAnyOrder = (told: readonly BillingEvent[]) =>
    fc
      .array(fc.constantFrom(...told), { maxLength: 4 })
      .chain((again) => fc.shuffledSubarray([...told, ...again], { minLength: told.length + again.length }));
  // One history is reported twice: in order for one user, shuffled for another. These ids replace those of both users.
  const someIds = { userId: 'u', subscriptionId: 's', transactionId: 't' };

  it('and repeated give the same result as in order', async () => {
    const scenario = anyHistory.chain((history) =>
      inAnyOrder(eventsOf(history, someIds)).map((told) => ({ history, order: told.map(({ id }) => id) })),
    );
    await fc.assert(
      fc.asyncProperty(scenario, async ({ history, order }) => {
        const [ordered, shuffled] = [await newIds(), await newIds()];
        await events.apply(...eventsOf(history, ordered));
        const byName = new Map(
          eventsOf(history, shuffled).map((event, index) => [eventsOf(history, someIds)[index]?.id, event]),
        );
        await events.apply(...order.map((name) => byName.get(name)!));
        expect(await known(shuffled)).toEqual(await known(ordered));
      }),
      { numRuns: 40 },
    );
  });

  it('and with losses give the same result after reconciliation', async () => {
    const scenario = fc.tuple(anyHistory, fc.infiniteStream(fc.boolean()));
    await fc.assert(
      fc.asyncProperty(scenario, async ([history, arrives]) => {
        const [ordered, lossy] = [await newIds(), await newIds()];
        const all = eventsOf(history, ordered);
        await events.apply(...all, ...readingOf(all));
        const partly = eventsOf(history, lossy).filter(() => arrives.next().value);
        await events.apply(...partly.reverse(), ...readingOf(eventsOf(history, lossy)));
        expect(await known(lossy)).toEqual(await known(ordered));
      }),
      { numRuns: 40 },
    );
  });
});
