import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiAnswer, TestUser } from '../../http/api.fixture.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';

const OVER_RULES = '11 rules of 10 on ';
const STAYS = 'All of it stays; nothing can be added.';

let area: BillingApi;
let user: TestUser;

beforeAll(async () => {
  area = await startBillingApi();
});
afterAll(() => area.api.close());
beforeEach(async () => {
  user = await area.api.createUser();
});

const addRedirects = async (count: number) => {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { status, json } = await area.addRedirect(user, `r${number}-${user.id}`);
    expect(status).toBe(201);
    ids.push(json.id);
  }
  return ids;
};
const addRule = (redirectId: string) =>
  area.post(user, `/rules/redirect/${redirectId}`, {
    name: 'a rule',
    type: 'force',
    action: { type: 'redirect', url: 'https://rule.example/' },
  });
const rulesOf = async (redirectId: string) =>
  (await area.get(user, `/rules/redirect/${redirectId}`)).json.rules;
const call = (method: string, url: string, body?: object) =>
  area.api.call(method, url, { token: user.token, ...(body && { body }) });
const cancelNow = () => area.post(user, '/payment/subscription/cancel', { immediately: true });
/** The plan in each response that contains it. */
const messages = async () => {
  const [subscription, billing] = await Promise.all([
    area.get(user, '/payment/subscription'),
    area.get(user, '/payment/billing'),
  ]);
  return [subscription.json.message, billing.json.message];
};
const expectRefused = (answer: ApiAnswer, message: string) =>
  expect(answer).toMatchObject({ status: 403, json: { error: { code: 'PLAN_LIMIT_REACHED', message } } });

describe('after a change to a smaller plan', () => {
  it('redirects stay, none can be added until there is room, and every related answer says so', async () => {
    await area.subscribe(user, 'pro');
    const [first, second] = await addRedirects(6);
    expect(await messages()).toEqual([expect.stringContaining('renews'), 'You are on the plan Pro.']);
    await cancelNow();

    const over = `You have more than the plan Free allows: 6 redirects of 5. ${STAYS}`;
    expect(await messages()).toEqual([
      `You have no subscription; the plan Free applies. ${over}`,
      `You are on the plan Free. ${over}`,
    ]);
    expectRefused(
      await area.addRedirect(user, `more-${user.id}`),
      'The plan Free allows 5 redirects and you have 6. Delete 2 or choose a larger plan.',
    );
    expect((await area.get(user, '/get-redirects/me')).json).toHaveLength(6);
    const changed = await call('PUT', `/update/${first}`, { toDomain: 'https://other.example' });
    expect(changed.status).toBe(200);

    await call('DELETE', `/delete-redirect/${first}`);
    expectRefused(
      await area.addRedirect(user, `more-${user.id}`),
      'The plan Free allows 5 redirects and you have 5. Delete one or choose a larger plan.',
    );
    await call('DELETE', `/delete-redirect/${second}`);
    expect((await area.addRedirect(user, `more-${user.id}`)).status).toBe(201);
    expect((await messages())[1]).toBe('You are on the plan Free.');
  });

  it('rules stay and can be changed, none can be added, and the redirect is named', async () => {
    await area.subscribe(user, 'pro');
    const [redirectId = ''] = await addRedirects(1);
    for (let number = 0; number < 11; number += 1) await addRule(redirectId);
    const { json } = await cancelNow();

    const over = `${OVER_RULES}r0-${user.id.toLowerCase()}.localhost. ${STAYS}`;
    for (const message of [json.message, ...(await messages())]) expect(message).toContain(over);
    const [rule] = await rulesOf(redirectId);
    const refused = [await addRule(redirectId), await area.post(user, `/rules/${rule.id}/duplicate`)];
    for (const answer of refused) {
      expectRefused(
        answer,
        'The plan Free allows 10 rules per redirect and this one has 11. Delete 2 or choose a larger plan.',
      );
    }
    expect(await rulesOf(redirectId)).toHaveLength(11);
    expect((await call('PUT', `/rules/${rule.id}/status`, { status: 'active' })).status).toBe(200);
  });

  it('the message of a running subscription says so too', async () => {
    await area.subscribe(user, 'business');
    await area.api.database.query(
      `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
         query_forwarding, sampling_rate, verification_value)
       SELECT $1 || number, $1, number || '.example', 'https://new.example', 'new.example', 'permanent', false,
         false, 1, '' FROM generate_series(1, 101) AS number`,
      [user.id],
    );
    await area.subscribe(user, 'pro');
    const subscription = await area.subscription(user);
    expect(subscription.plan.id).toBe('pro');
    expect(subscription.message).toMatch(/^You are .* Pro.* 101 redirects of 100\. All of it stays/);
  });

  it('only the first ten redirects with too many rules are named', async () => {
    await area.subscribe(user, 'business');
    const ids = await addRedirects(12);
    await area.api.database.query(
      `INSERT INTO rules (redirect_id, name, type, conditions, condition_logic, action, priority, status, created_by)
       SELECT id, 'a rule', 'force', '[]', 'AND', '{"type":"redirect","url":"https://rule.example/"}', number, 'draft', $2
       FROM unnest($1::text[]) AS id, generate_series(1, 11) AS number`,
      [ids, user.id],
    );
    await cancelNow();
    const [, message] = await messages();
    expect(message.split(OVER_RULES)).toHaveLength(11);
    expect(message).toContain('12 redirects of 5');
    expect(message).toContain('and more on 2 other redirects');
  });
});

it('the plan also limits pending redirects', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}-${user.id}`.toLowerCase());
  for (const name of names.slice(0, 2)) await area.addRedirect(user, name);
  for (const name of names.slice(2)) {
    const body = {
      fromDomain: `${name.replaceAll(/[^a-z0-9]/g, '')}.example.com`,
      toDomain: 'https://new.example',
    };
    expect((await area.post(user, '/add-redirect', body)).json).toMatchObject({ status: 'pending' });
  }
  const usage = { redirectsUsed: 2, redirectsPending: 3, maxRedirects: 5, canCreateRedirect: false };
  expect((await area.get(user, '/payment/billing')).json.data.usageStats).toMatchObject(usage);
  expect((await area.get(user, '/auth/user')).json.usage).toMatchObject({ redirects: 5, ...usage });
  expectRefused(
    await area.addRedirect(user, `f-${user.id}`),
    'The plan Free allows 5 redirects and you have 5. Delete one or choose a larger plan.',
  );
});
