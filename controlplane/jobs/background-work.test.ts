import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPlanAccess } from '../areas/billing/subscribed-plans.js';
import { createDomainVerifier } from '../areas/domains/domain-verification.js';
import { PLANS } from '../areas/plans/default-plans.js';
import { createHitRetention } from '../areas/plans/hit-retention.js';
import { createPlanCatalogue } from '../areas/plans/plan-catalogue.js';
import { createRecordingLimits } from '../areas/plans/recording-limits.js';
import { createDomainRecheck } from '../areas/redirects/domain-recheck.js';
import { redirectRepository } from '../areas/redirects/redirect-repository.js';
import { createVerificationService } from '../areas/redirects/verification-service.js';
import { createWebhookRetention } from '../areas/webhooks/webhook-retention.js';
import { createEndedProducers } from '../publishing/ended-producers.js';
import { createRulesetOutbox } from '../publishing/ruleset-outbox.js';
import type { AnalyticsStore } from '../storage/clickhouse/analytics-store.js';
import type { Database } from '../storage/postgres/database.js';
import { type BackgroundWork, createBackgroundWork } from './background-work.js';

const logger = pino({ level: 'silent' });
const DAY_MS = 24 * 3600 * 1000;

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => vi.useRealTimers());

/** Databases that do not answer some statements, and return no rows for the others. */
function openStalled() {
  const answers: (() => void)[] = [];
  const query = () => new Promise<never[]>((resolve) => answers.push(() => resolve([])));
  const away = async () => {
    throw new Error('there is only what is asked');
  };
  const rest = { kind: 'server', ping: away, close: away } as const;
  const transaction: Database['transaction'] = (work) => work({ query });
  const database: Database = { ...rest, query, transaction, session: away, script: away };
  const statements = { query, queryLines: away, queryBlocks: away, insertRows: away, command: away };
  const store: AnalyticsStore = { ...rest, ...statements };
  return {
    database,
    store,
    asked: () => answers.length,
    /** Answers statements until the work has ended. Resolves to the number of statements by then. */
    async answerUntil(work: Promise<unknown>): Promise<number> {
      let hasEnded = false;
      void work.then(() => {
        hasEnded = true;
      });
      while (!hasEnded) {
        for (const answer of answers) answer();
        await nextTurn();
      }
      return answers.length;
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

type Databases = Pick<ReturnType<typeof openStalled>, 'database' | 'store'>;

const now = Date.now;
const catalogue = createPlanCatalogue(Object.values(PLANS), 'free');
const accessTo = (database: Database) =>
  createPlanAccess({ database, catalogue, provider: 'sandbox', nowMs: now });

type Rounds = BackgroundWork & { runRound(): Promise<unknown> };

const WORKS: Readonly<Record<string, (databases: Databases) => Rounds>> = {
  'checks of pending domains': ({ database }) => {
    const deps = { database, repository: redirectRepository };
    const outbox = createRulesetOutbox(database);
    const verifier = createDomainVerifier({ dnsServers: undefined });
    return createDomainRecheck({
      ...deps,
      verification: createVerificationService({ ...deps, outbox, verifier }),
      logger,
    });
  },
  'longer plans for stored hits': ({ database }) =>
    createHitRetention({ database, access: accessTo(database), extendRetention: async () => {}, logger }),
  'limits of recording': ({ database, store }) =>
    createRecordingLimits({
      outbox: createRulesetOutbox(database),
      catalogue,
      access: accessTo(database),
      findBusy: async () => {
        await store.query('');
        return new Map();
      },
      logger,
      nowMs: now,
    }),
  'old webhook events': ({ database }) => createWebhookRetention({ database, logger }),
  'totals of ended producers': ({ store }) => createEndedProducers({ store, logger }),
};

it.each(Object.entries(WORKS))('%s: behind a round that hangs none is made up for', async (_name, create) => {
  const alone = openStalled();
  const askedByOne = await alone.answerUntil(create(alone).runRound());

  const stalled = openStalled();
  const work = create(stalled);
  work.start();
  for (let day = 0; day < 3; day += 1) {
    vi.advanceTimersByTime(DAY_MS);
    await nextTurn();
  }
  expect(stalled.asked()).toBe(1);
  const stopped = work.stop();
  expect(await Promise.race([stopped, nextTurn().then(() => 'waits')])).toBe('waits');
  expect(await stalled.answerUntil(stopped)).toBe(askedByOne);
  vi.advanceTimersByTime(3 * DAY_MS);
  await nextTurn();
  expect(stalled.asked()).toBe(askedByOne);
});

it('a round that fails is not the last', async () => {
  let rounds = 0;
  const work = createBackgroundWork({
    intervalMs: 1_000,
    async runRound() {
      rounds += 1;
      throw new Error('the database is away');
    },
    logger,
    failure: 'it failed',
    beginsAtOnce: true,
  });
  work.start();
  expect(rounds).toBe(1);
  await vi.waitFor(() => {
    vi.advanceTimersByTime(1_000);
    expect(rounds).toBe(3);
  });
  await work.stop();
});

it('woken in a round, another one follows, and none after a stop', async () => {
  const ends: (() => void)[] = [];
  const work = createBackgroundWork({
    intervalMs: 1_000,
    runRound: () => new Promise<void>((resolve) => ends.push(resolve)),
    logger,
    failure: 'it failed',
  });
  const woken = [work.wake(), work.wake(), work.wake()];
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.waitFor(() => expect(ends).toHaveLength(2));
  ends[1]?.();
  await Promise.all(woken);
  expect(ends).toHaveLength(2);

  void work.wake();
  expect(ends).toHaveLength(3);
  void work.wake();
  const stopped = work.stop();
  ends[2]?.();
  await stopped;
  await work.wake();
  expect(ends).toHaveLength(3);
});

it('without a start there is nothing to stop', async () => {
  const runRound = async () => {};
  expect(
    await createBackgroundWork({ intervalMs: 1_000, runRound, logger, failure: 'it failed' }).stop(),
  ).toBeUndefined();
});
