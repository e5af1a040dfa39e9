import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';
import { createBillingUpkeep } from './billing-upkeep.js';
import type { BillingEvent } from './provider.js';
import { createReconciliation, type Reconciliation } from './reconciliation.js';

const ROUND_MS = 30_000;
let area: BillingApi;

beforeAll(async () => {
  area = await startBillingApi();
  for (let count = 0; count < 3; count += 1) await area.subscribe(await area.api.createUser(), 'pro');
});
afterEach(() => vi.useRealTimers());
afterAll(() => area.api.close());

/** Creates upkeep with this reconciliation. Tests start its rounds. */
function upkeepOf(reconciliation: Reconciliation, stopTimeoutMs?: number) {
  const { database } = area.api;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const upkeep = createBillingUpkeep({
    database,
    outbox: createRulesetOutbox(database),
    access: area.access,
    provider: 'sandbox',
    reconciliation,
    logger: pino({ level: 'silent' }),
    nowMs: area.now,
    ...(stopTimeoutMs !== undefined && { stopTimeoutMs }),
  });
  upkeep.start();
  vi.advanceTimersByTime(ROUND_MS);
  return upkeep;
}

/** Upkeep that waits for the answer of a provider. Tests release the answer. */
async function asking({ stopTimeoutMs }: { stopTimeoutMs: number }) {
  const asked: string[] = [];
  let answer: () => void = () => {};
  let wasAsked: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    wasAsked = resolve;
  });
  const provider = {
    name: 'sandbox',
    readSubscription(id: string): Promise<readonly BillingEvent[]> {
      asked.push(id);
      wasAsked();
      return new Promise((resolve) => {
        answer = () => resolve([]);
      });
    },
  };
  const logger = pino({ level: 'silent' });
  const { events } = area.billing;
  const reconciliation = createReconciliation({ database: area.api.database, provider, events, logger });
  const upkeep = upkeepOf(reconciliation, stopTimeoutMs);
  await first;
  return { upkeep, asked, answer: () => answer() };
}

/** Runs rounds until the condition holds. */
function nextRounds(expected: () => unknown): Promise<unknown> {
  return vi.waitFor(() => {
    vi.advanceTimersByTime(ROUND_MS);
    return expected();
  });
}

/** Lets a cancelled subscription end, and waits until a round has handled it. */
async function cancelledSubscriptionEnds(): Promise<void> {
  const user = await area.api.createUser();
  const { id } = await area.subscribe(user, 'pro');
  await area.post(user, '/payment/subscription/cancel');
  const { database } = area.api;
  await database.query("UPDATE subscriptions SET access_until = now() - interval '1 hour' WHERE id = $1", [
    id,
  ]);
  await nextRounds(async () => {
    expect(await database.query('SELECT lapsed FROM subscriptions WHERE id = $1', [id])).toEqual([
      { lapsed: true },
    ]);
  });
}

it('stopping waits for the current request and sends no further one', async () => {
  const { upkeep, asked, answer } = await asking({ stopTimeoutMs: 60_000 });
  const stopped = upkeep.stop();
  answer();
  await stopped;
  expect(asked).toHaveLength(1);
});

it('stopping does not wait for an answer that never comes', async () => {
  const { upkeep, asked } = await asking({ stopTimeoutMs: 20 });
  await upkeep.stop();
  expect(asked).toHaveLength(1);
});

it('a failed check of all subscriptions is repeated in the next round, and not after', async () => {
  let asked = 0;
  const upkeep = upkeepOf({
    ...area.billing.reconciliation,
    async reconcileAll() {
      asked += 1;
      if (asked === 1) throw new Error('the database is away');
      return { checked: 0, failed: 0 };
    },
  });
  await nextRounds(() => expect(asked).toBe(2));
  await cancelledSubscriptionEnds();
  vi.advanceTimersByTime(ROUND_MS);
  await upkeep.stop();
  expect(asked).toBe(2);
});

it('access ends while the check of all subscriptions is still running', async () => {
  let answer: () => void = () => {};
  const upkeep = upkeepOf({
    ...area.billing.reconciliation,
    reconcileAll: () =>
      new Promise((resolve) => {
        answer = () => resolve({ checked: 0, failed: 0 });
      }),
  });
  await cancelledSubscriptionEnds();
  answer();
  await upkeep.stop();
});
