import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { UNLIMITED } from '../../plan.js';
import { type BillingApi, startBillingApi } from '../billing/billing-api.fixture.js';
import { createHitRetention, createRetentionDays } from './hit-retention.js';
import { retentionChangeRepository } from './retention-change-repository.js';

let area: BillingApi;
beforeAll(async () => {
  area = await startBillingApi();
});
afterAll(() => area.api.close());

it('has stored hits kept as a longer plan says, once, and not before the store has taken it', async () => {
  const user = await area.api.createUser();
  const redirectId = (await area.addRedirect(user, 'kept')).json.id as string;
  const asked: unknown[] = [];
  let isAway = true;
  const retention = createHitRetention({
    database: area.api.database,
    access: area.access,
    extendRetention: async (redirectIds, days) => {
      if (isAway) throw new Error('the store is away');
      asked.push({ redirectIds, days });
    },
    logger: pino({ level: 'silent' }),
  });

  await retention.runRound();
  await area.subscribe(user, 'pro');
  await retention.runRound();
  isAway = false;
  await retention.runRound();
  await retention.runRound();
  expect(asked).toEqual([{ redirectIds: [redirectId], days: 365 }]);

  await area.post(user, '/payment/subscription/cancel', { immediately: true });
  await retention.runRound();
  expect(asked).toHaveLength(1);
});

it('asks the store for a thousand redirects at a time', async () => {
  const { database } = area.api;
  const user = await area.api.createUser();
  await database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
       query_forwarding, sampling_rate, verification_value)
     SELECT $1 || number, $1, number || '.example', 'https://new.example', 'new.example', 'permanent', false,
       false, 1, '' FROM generate_series(1, 1001) AS number`,
    [user.id],
  );
  await area.subscribe(user, 'pro');
  const asked: string[][] = [];
  const retention = createHitRetention({
    database,
    access: area.access,
    extendRetention: async (redirectIds) => void asked.push([...redirectIds]),
    logger: pino({ level: 'silent' }),
  });
  await retention.runRound();
  expect(asked.map(({ length }) => length)).toEqual([1_000, 1]);
  expect(new Set(asked.flat()).size).toBe(1_001);
});

describe('the statistics go back', () => {
  const keptDaysOf = (user: TestUser) =>
    createRetentionDays({ database: area.api.database, access: area.access })(user.id);

  it('as far as the plan keeps hits', async () => {
    const user = await area.api.createUser();
    expect(await keptDaysOf(user)).toBe(30);
    await area.subscribe(user, 'pro');
    expect(await keptDaysOf(user)).toBe(365);
  });

  it('as far as the longest plan did that hits were recorded under, also when it is over', async () => {
    const user = await area.api.createUser();
    await area.subscribe(user, 'business');
    await area.post(user, '/payment/subscription/cancel', { immediately: true });
    await area.subscribe(user, 'pro');
    expect(await keptDaysOf(user)).toBe(730);
    await area.post(user, '/payment/subscription/cancel');
    area.pass(32);
    await area.billing.upkeep.runRound();
    expect(await keptDaysOf(user)).toBe(730);
  });

  it('without end once a plan has kept hits for ever', async () => {
    const user = await area.api.createUser();
    for (const days of [UNLIMITED, 365])
      await retentionChangeRepository.raise(area.api.database, user.id, days);
    expect(await keptDaysOf(user)).toBeUndefined();
  });
});
