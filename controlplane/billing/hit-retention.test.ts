import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';
import { createHitRetention } from './hit-retention.js';

let area: BillingApi;
beforeAll(async () => {
  area = await startBillingApi();
});
afterAll(() => area.api.close());

it('has stored hits kept as a changed plan says, once, and not before the store has taken it', async () => {
  const user = await area.api.createUser();
  const redirectId = (await area.addRedirect(user, 'kept')).json.id as string;
  const asked: unknown[] = [];
  let isAway = true;
  const retention = createHitRetention({
    database: area.api.database,
    access: area.access,
    changeRetention: async (redirectIds, days) => {
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
  expect(asked.at(-1)).toEqual({ redirectIds: [redirectId], days: 30 });
});
