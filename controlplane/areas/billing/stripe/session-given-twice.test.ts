import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../../../http/api.fixture.js';
import { type StripeApi, startStripeApi } from './stripe-api.fixture.js';

let area: StripeApi;
let sessionId = '';

beforeAll(async () => {
  area = await startStripeApi({
    rewrite: ({ method, path }, answer) =>
      method === 'POST' && path === '/checkout/sessions'
        ? { ...answer, ...(sessionId && { id: sessionId }) }
        : answer,
  });
});
afterAll(() => area.close());

const checkOut = (user: TestUser, planId: string) => area.post(user, '/payment/checkout', { planId });
const shown = (user: TestUser, checkoutId: string) => area.get(user, `/payment/checkout/${checkoutId}`);

it("a session that Stripe gives a user again is the user's latest checkout", async () => {
  sessionId = 'cs_of_one_user';
  const user = await area.api.createUser();
  const first = (await checkOut(user, 'pro')).json.data;
  const second = await checkOut(user, 'business');
  expect(second).toMatchObject({ status: 201 });
  const { checkoutId } = second.json.data;
  expect((await shown(user, checkoutId)).json.data).toMatchObject({ status: 'open', planId: 'business' });
  expect(await shown(user, first.checkoutId)).toMatchObject({ status: 404 });
});

it("a session that is another user's is not given to a second one", async () => {
  sessionId = 'cs_of_two_users';
  const first = await area.api.createUser();
  const { checkoutId } = (await checkOut(first, 'pro')).json.data;
  const second = await area.api.createUser();
  expect(await checkOut(second, 'pro')).toMatchObject({
    status: 503,
    json: {
      error: {
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining('checkout page of another user'),
      },
    },
  });
  expect((await shown(first, checkoutId)).json.data).toMatchObject({ status: 'open', planId: 'pro' });
  expect(await shown(second, checkoutId)).toMatchObject({ status: 403 });
});

it('a session that has ended is not opened again by the one that Stripe gives it for', async () => {
  sessionId = '';
  const user = await area.api.createUser();
  const { checkoutId, checkoutUrl } = (await checkOut(user, 'pro')).json.data;
  sessionId = new URL(checkoutUrl).pathname.slice(1);
  area.account.expire(sessionId);
  await area.deliverAll();
  expect(await checkOut(user, 'business')).toMatchObject({ status: 503 });
  expect((await shown(user, checkoutId)).json.data).toMatchObject({ status: 'expired', planId: 'pro' });
});
