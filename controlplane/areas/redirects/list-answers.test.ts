import { type FastifyBaseLogger, fastify } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { MonthlyUsage } from '../analytics/usage.js';
import { PLANS } from '../plans/default-plans.js';
import { createListAnswers } from './list-answers.js';
import type { Redirect } from './redirect.js';
import { createRecords } from './redirect-records.js';
import { newSettings } from './redirect-settings.js';

const START = new Date('2026-05-31T12:00:00.000Z');
const log: FastifyBaseLogger = fastify().log;

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: START }));
afterEach(() => vi.useRealTimers());

const redirect: Redirect = {
  id: 'one',
  userId: 'user',
  fromDomain: 'a.example',
  ...newSettings({ toDomain: 'https://new.example' }),
  verificationValue: 'value',
  verifiedAt: null,
  createdAt: START,
  updatedAt: START,
  version: 1,
  pathCount: 0,
  exampleCount: 0,
};

/** Sets up usage that grows by one hit with each read, and stays fresh for `freshForMs`. */
function setUp(freshForMs: number) {
  let recordedHits = 0;
  let isAway = false;
  const answerOf = createListAnswers(
    createRecords(async (ids) => {
      if (isAway) throw new Error('the statistics are away');
      recordedHits += 1;
      const usage: MonthlyUsage = { recordedHits, estimatedTotalHits: recordedHits };
      return { usage: new Map(ids.map((id) => [id, usage])), freshUntilMs: Date.now() + freshForMs };
    }),
  );
  return {
    setAway: (away: boolean) => {
      isAway = away;
    },
    usageIn: async (list: readonly Redirect[], plan = PLANS.free) => {
      const body = await answerOf(list, { plan, log, serialize: JSON.stringify });
      return JSON.parse(body.toString())[0].analyticsUsage;
    },
  };
}

it('an answer is given again for as long as its usage is fresh, and not a moment longer', async () => {
  const { usageIn } = setUp(1_000);
  const list = [redirect];
  expect(await usageIn(list)).toMatchObject({ recordedHits: 1 });
  vi.setSystemTime(START.getTime() + 999);
  expect(await usageIn(list)).toMatchObject({ recordedHits: 1 });
  vi.setSystemTime(START.getTime() + 1_000);
  expect(await usageIn(list)).toMatchObject({ recordedHits: 2 });
});

it('another list, another plan and another month make another answer at once', async () => {
  const { usageIn } = setUp(31 * 86_400_000);
  const list = [redirect];
  await usageIn(list);
  expect(await usageIn([redirect])).toMatchObject({ recordedHits: 2 });
  expect(await usageIn(list, PLANS.pro)).toMatchObject({ recordedHits: 3, planLimit: 1_000_000 });
  vi.setSystemTime(new Date('2026-06-01T00:00:00.000Z'));
  expect(await usageIn(list, PLANS.pro)).toMatchObject({ recordedHits: 4, month: '2026-06' });
});

it('zeros in the place of usage that is not known are not kept', async () => {
  const { usageIn, setAway } = setUp(1_000);
  const list = [redirect];
  setAway(true);
  expect(await usageIn(list)).toMatchObject({ recordedHits: 0 });
  setAway(false);
  expect(await usageIn(list)).toMatchObject({ recordedHits: 1 });
});
