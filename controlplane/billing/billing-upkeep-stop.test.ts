import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createRulesetOutbox } from '../publisher/ruleset-outbox.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';
import { createBillingUpkeep } from './billing-upkeep.js';
import type { BillingProvider } from './provider.js';
import { createReconciliation } from './reconciliation.js';

const ROUND_MS = 30_000;
let area: BillingApi;

beforeAll(async () => {
  area = await startBillingApi();
  for (let count = 0; count < 3; count += 1) await area.subscribe(await area.api.createUser(), 'pro');
});
afterEach(() => vi.useRealTimers());
afterAll(() => area.api.close());

/** An upkeep in the middle of its question about all subscriptions, to a provider that answers when it is let. */
async function asking({ stopTimeoutMs }: { stopTimeoutMs: number }) {
  const asked: string[] = [];
  let answer: () => void = () => {};
  let wasAsked: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    wasAsked = resolve;
  });
  const provider = {
    name: 'sandbox',
    readSubscription(id: string) {
      asked.push(id);
      wasAsked();
      return new Promise((resolve) => {
        answer = () => resolve([]);
      });
    },
  } as unknown as BillingProvider;
  const { database } = area.api;
  const logger = pino({ level: 'silent' });
  const { events } = area.billing;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const upkeep = createBillingUpkeep({
    database,
    outbox: createRulesetOutbox(database),
    access: area.access,
    provider: 'sandbox',
    reconciliation: createReconciliation({ database, provider, events, logger }),
    logger,
    now: area.now,
    stopTimeoutMs,
  });
  upkeep.start();
  vi.advanceTimersByTime(ROUND_MS);
  await first;
  return { upkeep, asked, answer: () => answer() };
}

it('stopping waits for the question that was just asked, and asks no further one', async () => {
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
