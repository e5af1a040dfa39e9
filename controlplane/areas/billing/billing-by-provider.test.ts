import { expect, it } from 'vitest';
import { startApi } from '../../http/api.fixture.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { PLANS } from '../plans/default-plans.js';
import { createPlanCatalogue } from '../plans/plan-catalogue.js';
import { createBillingByProvider } from './billing-by-provider.js';
import { send, signatureOf } from './stripe/stripe-api.fixture.js';
import { createPlanAccess } from './subscribed-plans.js';

it('without Stripe its events are refused, with what is missing', async () => {
  const now = Date.now;
  const catalogue = createPlanCatalogue(Object.values(PLANS), 'free');
  const api = await startApi({
    areas: async ({ database, logger }) => {
      const billing = await createBillingByProvider(
        { provider: 'sandbox' },
        {
          database,
          outbox: createRulesetOutbox(database),
          catalogue,
          access: createPlanAccess({ database, catalogue, provider: 'sandbox', nowMs: now }),
          emit: async () => {},
          countEvents: async () => 0,
          dashboardUrl: undefined,
          corsOrigins: [],
          apiAddress: () => 'https://api.waymark.example',
          logger,
          nowMs: now,
        },
      );
      return billing.routes;
    },
  });
  const refused = {
    status: 400,
    json: { error: { code: 'INVALID_REQUEST', message: expect.stringContaining('No Stripe secret') } },
  };
  const event = '{"id":"evt_1","type":"invoice.paid","data":{"object":{}}}';
  expect(await send(api, event, signatureOf(event, now()))).toMatchObject(refused);
  expect(await api.call('POST', '/webhooks/stripe')).toMatchObject(refused);
  const { json } = await api.call('GET', '/openapi.json');
  expect(json.paths).toHaveProperty(['/webhooks/stripe', 'post']);
  await api.close();
});
