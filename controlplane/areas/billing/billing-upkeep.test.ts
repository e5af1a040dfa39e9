import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { UNLIMITED } from '../../plan.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { PLANS } from '../plans/default-plans.js';
import { createPlanCatalogue } from '../plans/plan-catalogue.js';
import { createRecordingLimits, createRecordingState } from '../plans/recording-limits.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';
import { createBillingUpkeep } from './billing-upkeep.js';
import type { BillingEvent } from './provider.js';
import { createPlanAccess } from './subscribed-plans.js';
import { subscriptionRepository } from './subscription-repository.js';

let area: BillingApi;

beforeAll(async () => {
  area = await startBillingApi();
});
afterAll(() => area.api.close());

const hostOf = (user: TestUser) => `host-${user.id}.localhost`;
const served = async (user: TestUser) =>
  (await readSnapshot(area.rulesets)).redirects.find(({ host }) => host === hostOf(user));
async function newUser() {
  const user = await area.api.createUser();
  const { json } = await area.addRedirect(user, `host-${user.id}`);
  return { ...user, redirectId: json.id as string };
}

describe('when a period ends', () => {
  it('a cancelled subscription is over, and data planes hear of the shorter retention, once', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    await area.post(user, '/payment/subscription/cancel');
    expect(await area.billing.upkeep.runRound()).toBe(0);
    expect(await served(user)).toMatchObject({ retentionDays: 365 });
    area.pass(32);
    const before = await area.rulesets.readHead();
    expect(await area.billing.upkeep.runRound()).toBe(1);
    const delta = await area.rulesets.readDelta(before, 10);
    expect(delta?.changes).toMatchObject([{ host: hostOf(user), redirect: { retentionDays: 30 } }]);
    const [row] = await area.api.database.query('SELECT state FROM subscriptions WHERE user_id = $1', [
      user.id,
    ]);
    expect(row).toEqual({ state: 'ended' });
    const after = await area.rulesets.readHead();
    await area.billing.upkeep.runRound();
    expect(await area.rulesets.readHead()).toEqual(after);
  });

  it('data planes also learn of it when the provider reports the end first', async () => {
    const user = await newUser();
    const { id } = await area.subscribe(user, 'pro');
    await area.post(user, '/payment/subscription/cancel');
    area.pass(32);
    const before = await area.rulesets.readHead();
    await area.billing.reconciliation.reconcile(id);
    const delta = await area.rulesets.readDelta(before, 10);
    expect(delta?.changes).toMatchObject([{ host: hostOf(user), redirect: { retentionDays: 30 } }]);
    expect(await area.billing.upkeep.runRound()).toBe(0);
  });

  it('an overdue subscription that the provider only confirms is not taken again', async () => {
    const user = await newUser();
    const { id } = await area.subscribe(user, 'pro');
    await area.act(user, 'fail_payment');
    area.pass(8);
    expect(await area.billing.upkeep.runRound()).toBe(1);
    const subscription = await subscriptionRepository.findById(area.api.database, id);
    const confirmed: BillingEvent = {
      id: `confirmed ${id}`,
      provider: 'sandbox',
      occurredAt: new Date(area.now()),
      about: 'subscription',
      subscription: subscription!,
    };
    expect(await area.billing.events.apply(confirmed)).toEqual(['applied']);
    expect(await area.billing.upkeep.runRound()).toBe(0);
  });

  it('a subscription that the provider cannot report does not block others', async () => {
    const users = [await newUser(), await newUser(), await newUser()];
    for (const user of users) {
      await area.subscribe(user, 'pro');
      await area.post(user, '/payment/subscription/cancel');
    }
    area.pass(32);
    const asked: string[] = [];
    const upkeep = createBillingUpkeep({
      database: area.api.database,
      outbox: createRulesetOutbox(area.api.database),
      access: area.access,
      provider: 'sandbox',
      reconciliation: {
        ...area.billing.reconciliation,
        async reconcile(id) {
          asked.push(id);
          if (asked.length === 2) throw new Error('the provider is away');
          await area.billing.reconciliation.reconcile(id);
        },
      },
      logger: pino({ level: 'silent' }),
      nowMs: area.now,
    });
    expect(await upkeep.runRound()).toBe(3);
    expect(asked).toHaveLength(3);
    const stateOf = async (id: string) =>
      (
        await area.api.database.query<{ state: string }>('SELECT state FROM subscriptions WHERE id = $1', [
          id,
        ])
      )[0]?.state;
    expect(await Promise.all(asked.map(stateOf))).toEqual(['ended', 'canceled', 'ended']);
    await area.billing.reconciliation.reconcileAll();
    expect(await Promise.all(asked.map(stateOf))).toEqual(['ended', 'ended', 'ended']);
  });

  it('a running one is paid for again, once for each period', async () => {
    const user = await newUser();
    const { currentPeriodEnd } = await area.subscribe(user, 'pro');
    area.pass(45);
    await area.billing.reconciliation.reconcileAll();
    expect(await area.billing.reconciliation.reconcileAll()).toMatchObject({ failed: 0 });
    expect(await area.subscription(user)).toMatchObject({
      status: 'active',
      currentPeriodStart: currentPeriodEnd,
    });
    const { json } = await area.get(user, '/payment/history');
    expect(json.data.transactions).toMatchObject([{ type: 'subscription_cycle' }, { type: 'payment' }]);
  });

  it('a trial is charged for', async () => {
    const user = await newUser();
    await area.subscribe(user, 'business');
    area.pass(14);
    await area.billing.reconciliation.reconcileAll();
    expect(await area.subscription(user)).toMatchObject({ status: 'active', isTrialing: false });
    const { json } = await area.get(user, '/payment/history');
    expect(json.data.transactions).toMatchObject([{ status: 'succeeded', amount: 9900 }]);
  });

  it('a first payment that was never made is given up', async () => {
    const user = await newUser();
    const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
    await area.submit(json.data.checkoutUrl, { outcome: 'decline' });
    area.pass(1);
    await area.billing.reconciliation.reconcileAll();
    const [row] = await area.api.database.query('SELECT state FROM subscriptions WHERE user_id = $1', [
      user.id,
    ]);
    expect(row).toEqual({ state: 'incomplete_expired' });
  });
});

describe('the events of a month', () => {
  it('are recorded up to the limit of the plan, and from the larger plan on again', async () => {
    const user = await newUser();
    const used = new Map<string, number>();
    const logged: string[] = [];
    const isPaused = createRecordingState({ database: area.api.database, access: area.access });
    const limits = createRecordingLimits({
      outbox: createRulesetOutbox(area.api.database),
      catalogue: createPlanCatalogue(Object.values(PLANS), 'free'),
      access: area.access,
      findBusy: async ([smallest = 0]) => new Map([...used].filter(([, hits]) => hits >= smallest)),
      logger: pino({}, { write: (line) => void logged.push(line) }),
      nowMs: area.now,
    });
    used.set(user.redirectId, 9_999);
    await limits.runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 1 });
    expect(await isPaused(user.id, user.redirectId)).toBe(false);
    used.set(user.redirectId, 10_000);
    for (let rounds = 0; rounds < 2; rounds += 1) await limits.runRound();
    expect(await isPaused(user.id, user.redirectId)).toBe(true);
    expect(logged).toEqual([expect.stringMatching(/host-.*recording stopped/)]);
    expect(await served(user)).toMatchObject({ samplingRate: 0, destination: 'https://new.example' });
    expect((await area.get(user, `/redirects/${user.redirectId}`)).json.samplingRate).toBe(1);
    await area.subscribe(user, 'pro');
    expect(await served(user)).toMatchObject({ samplingRate: 1 });
    expect(await isPaused(user.id, user.redirectId)).toBe(false);
    await limits.runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 1 });
  });

  it('are recorded again in the next month', async () => {
    const user = await newUser();
    let used = new Map([[user.redirectId, 10_000]]);
    const limits = createRecordingLimits({
      outbox: createRulesetOutbox(area.api.database),
      catalogue: createPlanCatalogue(Object.values(PLANS), 'free'),
      access: area.access,
      findBusy: async () => used,
      logger: pino({ level: 'silent' }),
      nowMs: area.now,
    });
    await limits.runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 0 });
    used = new Map();
    await limits.runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 0 });
    area.pass(31);
    await limits.runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 1 });
  });

  it('are recorded again in the next month though the statistics are away', async () => {
    const user = await newUser();
    const answers = [Promise.resolve(new Map([[user.redirectId, 10_000]]))];
    const limits = createRecordingLimits({
      outbox: createRulesetOutbox(area.api.database),
      catalogue: createPlanCatalogue(Object.values(PLANS), 'free'),
      access: area.access,
      findBusy: () => answers.pop() ?? Promise.reject(new Error('the store is away')),
      logger: pino({ level: 'silent' }),
      nowMs: area.now,
    });
    await limits.runRound();
    await limits.runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 0 });
    area.pass(31);
    await limits.runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 1 });
  });

  it('are recorded again where the same plan has come to allow more', async () => {
    const user = await newUser();
    const limitsOf = (maxAnalyticsEventsPerMonth: number) => {
      const free = { ...PLANS.free, perRedirect: { ...PLANS.free.perRedirect, maxAnalyticsEventsPerMonth } };
      const catalogue = createPlanCatalogue([free], 'free');
      return createRecordingLimits({
        outbox: createRulesetOutbox(area.api.database),
        catalogue,
        access: createPlanAccess({
          database: area.api.database,
          catalogue,
          provider: 'sandbox',
          nowMs: area.now,
        }),
        findBusy: async () => new Map([[user.redirectId, 100]]),
        logger: pino({ level: 'silent' }),
        nowMs: area.now,
      });
    };
    await limitsOf(100).runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 0 });
    await limitsOf(99).runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 0 });
    await limitsOf(101).runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 1 });
    await limitsOf(100).runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 0 });
    await limitsOf(UNLIMITED).runRound();
    expect(await served(user)).toMatchObject({ samplingRate: 1 });
  });
});

describe('an event of long ago', () => {
  const eventsOf = (user: TestUser) =>
    area.api.database.query<{ id: string; event: string }>(
      `SELECT id, event::text AS event FROM billing_events
       WHERE event #>> '{subscription,userId}' = $1 ORDER BY received_at, id`,
      [user.id],
    );
  const age = (id: string, days: number) =>
    area.api.database.query(
      'UPDATE billing_events SET received_at = now() - make_interval(days => $2) WHERE id = $1',
      [id, days],
    );

  it('is forgotten after 90 days, and is late when it is told again', async () => {
    const user = await newUser();
    await area.subscribe(user, 'pro');
    await area.post(user, '/payment/subscription/cancel');
    const [first, second] = await eventsOf(user);
    await age(first!.id, 91);
    await age(second!.id, 89);
    await area.billing.upkeep.forgetOld();
    expect((await eventsOf(user)).map(({ id }) => id)).toEqual([second!.id]);
    const before = await area.subscription(user);
    expect(await area.billing.events.apply(toldAgain(first!.event))).toEqual(['late']);
    expect(await area.subscription(user)).toEqual(before);
  });
});

describe('a checkout session of long ago', () => {
  const open = async (user: TestUser) =>
    (await area.post(user, '/payment/checkout', { planId: 'pro' })).json.data.checkoutId as string;
  const age = (id: string, days: number) =>
    area.api.database.query(
      'UPDATE checkouts SET expires_at = now() - make_interval(days => $2) WHERE id = $1',
      [id, days],
    );
  const statusOf = async (user: TestUser, id: string) =>
    (await area.get(user, `/payment/checkout/${id}`)).status;

  it('is forgotten 90 days after its end', async () => {
    const user = await newUser();
    const [long, lately] = [await open(user), await open(user)];
    await age(long, 91);
    await age(lately, 89);
    await area.billing.upkeep.forgetOld();
    expect([await statusOf(user, long), await statusOf(user, lately)]).toEqual([404, 200]);
  });

  it('stays while its subscription runs', async () => {
    const user = await newUser();
    const { json } = await area.post(user, '/payment/checkout', { planId: 'pro' });
    const { checkoutId, checkoutUrl } = json.data;
    await area.submit(checkoutUrl, { outcome: 'succeed' });
    await age(checkoutId, 400);
    await area.billing.upkeep.forgetOld();
    expect(await statusOf(user, checkoutId)).toBe(200);
    await area.post(user, '/payment/subscription/cancel', { immediately: true });
    await area.billing.upkeep.forgetOld();
    expect(await statusOf(user, checkoutId)).toBe(404);
  });
});

/** Restores an event as it was before it was stored, with `Date` objects instead of texts. */
function toldAgain(stored: string): BillingEvent {
  return JSON.parse(stored, (_member, value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value) : value,
  );
}
