import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import type { Plan } from '../../plan.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { PLANS } from '../plans/default-plans.js';
import { createPlanCatalogue } from '../plans/plan-catalogue.js';
import { createRecordingLimits, createRecordingState } from '../plans/recording-limits.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';

const FREE_OF_RECORDS: Plan = {
  ...PLANS.free,
  perRedirect: { ...PLANS.free.perRedirect, maxAnalyticsEventsPerMonth: 0 },
};
const plans = [FREE_OF_RECORDS, PLANS.pro, PLANS.business];
let area: BillingApi;

beforeAll(async () => {
  area = await startBillingApi({ plans });
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
const usageOf = async (user: TestUser & { redirectId: string }) =>
  (await area.get(user, `/redirects/${user.redirectId}`)).json.analyticsUsage;

it('with no events a month nothing is recorded from the first hit on, and redirecting goes on', async () => {
  const user = await newUser();
  expect(await served(user)).toMatchObject({ samplingRate: 0, destination: 'https://new.example' });
  const isPaused = createRecordingState({ database: area.api.database, access: area.access });
  expect(await isPaused(user.id, user.redirectId)).toBe(true);
  expect(await usageOf(user)).toMatchObject({
    planLimit: 0,
    usagePercentage: 100,
    limitStatus: 'limit_reached',
    canRecordMore: false,
  });
});

it.each(['pro', 'business'])('with the plan %s recording begins, and ends with it', async (planId) => {
  const user = await newUser();
  const before = await area.rulesets.readHead();
  await area.subscribe(user, planId);
  expect(await served(user)).toMatchObject({ samplingRate: 1 });
  expect(await usageOf(user)).toMatchObject({ usagePercentage: 0, canRecordMore: true });
  const begun = await area.rulesets.readHead();
  expect((await area.rulesets.readDelta(before, 10))?.changes).toMatchObject([
    { host: hostOf(user), redirect: { samplingRate: 1 } },
  ]);
  await area.post(user, '/payment/subscription/cancel', { immediately: true });
  expect((await area.rulesets.readDelta(begun, 10))?.changes).toMatchObject([
    { host: hostOf(user), redirect: { samplingRate: 0 } },
  ]);
});

it('a redirect that still records under its former plan is stopped', async () => {
  const user = await newUser();
  const limits = createRecordingLimits({
    outbox: createRulesetOutbox(area.api.database),
    catalogue: createPlanCatalogue(plans, 'free'),
    access: area.access,
    findBusy: async ([smallest]) => new Map(smallest === 1 ? [[user.redirectId, 1]] : []),
    logger: pino({ level: 'silent' }),
    nowMs: area.now,
  });
  const before = await area.rulesets.readHead();
  await limits.runRound();
  expect((await area.rulesets.readDelta(before, 10))?.changes).toMatchObject([
    { host: hostOf(user), redirect: { samplingRate: 0 } },
  ]);
});
