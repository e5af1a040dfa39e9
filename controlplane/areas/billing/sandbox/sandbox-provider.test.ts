import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../storage/postgres/database.js';
import { PLANS } from '../../plans/default-plans.js';
import { createPlanCatalogue } from '../../plans/plan-catalogue.js';
import { type BillingApi, startBillingApi } from '../billing-api.fixture.js';
import { sandboxAddresses } from './sandbox-addresses.js';
import { createSandboxProvider } from './sandbox-provider.js';

let area: BillingApi;

beforeAll(async () => {
  area = await startBillingApi();
});
afterAll(() => area.api.close());

/** The sandbox on a database that changes right after the first read. */
function sandboxBeside(happens: () => Promise<void>) {
  const { database } = area.api;
  let isFirst = true;
  const query: Database['query'] = async (text, values) => {
    const rows = await database.query<never>(text, values);
    if (isFirst) {
      isFirst = false;
      await happens();
    }
    return rows;
  };
  return createSandboxProvider({
    database: { ...database, query },
    catalogue: createPlanCatalogue(Object.values(PLANS), 'free'),
    addresses: sandboxAddresses(() => 'https://api.waymark.example'),
    events: area.billing.events,
    nowMs: area.now,
  });
}

it('cancelling beside a renewal leaves the period that was just paid for', async () => {
  const user = await area.api.createUser();
  const { id } = await area.subscribe(user, 'pro');
  let renewed: { currentPeriodEnd: string } | undefined;
  const provider = sandboxBeside(async () => {
    await area.act(user, 'renew');
    renewed = await area.subscription(user);
    area.pass(0.01);
  });
  await area.billing.events.apply(...(await provider.cancelAtPeriodEnd(id, undefined)));
  expect(await area.subscription(user)).toMatchObject({
    status: 'canceled',
    currentPeriodEnd: renewed!.currentPeriodEnd,
  });
});

it('the clock charges for no period beside a cancellation for its beginning', async () => {
  const user = await area.api.createUser();
  const { id } = await area.subscribe(user, 'pro');
  const cancelled = sandboxBeside(async () => {
    await area.post(user, '/payment/subscription/cancel');
    area.pass(32);
  });
  await area.billing.events.apply(...(await cancelled.readSubscription(id)));
  const { json } = await area.get(user, '/payment/history');
  expect(json.data.transactions).toMatchObject([{ type: 'payment' }]);
  expect(await area.subscription(user)).toBeNull();
});
