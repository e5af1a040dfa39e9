import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { PLANS } from '../plans/default-plans.js';
import { createPlanCatalogue } from '../plans/plan-catalogue.js';
import { createRecordingLimits } from '../plans/recording-limits.js';
import { INTEGRATOR_EVENT_TYPES } from '../webhooks/integrator-events.js';
import { type BillingApi, startBillingApi } from './billing-api.fixture.js';

let area: BillingApi;
let user: TestUser;

beforeAll(async () => {
  area = await startBillingApi();
});
afterAll(() => area.api.close());

async function listener(): Promise<TestUser> {
  const created = await area.api.createUser();
  await area.api.database.query(
    `INSERT INTO webhook_endpoints (id, user_id, url, events, secret) VALUES ($1, $1, 'https://h.example', $2, '')`,
    [created.id, [...INTEGRATOR_EVENT_TYPES]],
  );
  return created;
}
const messages = async ({ id }: TestUser) => {
  const rows = await area.api.database.query<{ payload: string }>(
    'SELECT payload FROM webhook_events WHERE user_id = $1 ORDER BY created_at, id',
    [id],
  );
  return rows.map(({ payload }) => JSON.parse(payload));
};
const forget = ({ id }: TestUser) =>
  area.api.database.query('DELETE FROM webhook_events WHERE user_id = $1', [id]);
const call = (method: string, url: string, body?: object) =>
  area.api.call(method, url, { token: user.token, ...(body && { body }) });

describe('endpoints are told of every change', () => {
  beforeAll(async () => {
    user = await listener();
  });

  it('of a redirect', async () => {
    const { json } = await area.addRedirect(user, 'told');
    await call('PATCH', `/redirects/${json.id}`, { note: 'new' });
    await call('DELETE', `/redirects/${json.id}`);
    await call('POST', `/redirects/${json.id}/restore`);
    const told = (await messages(user)).filter(({ type }) => type.startsWith('redirect.'));
    expect(told.map(({ type }) => type)).toEqual([
      'redirect.created',
      'redirect.updated',
      'redirect.deleted',
      'redirect.created',
    ]);
    for (const { data } of told)
      expect(data.redirect).toMatchObject({ id: json.id, fromDomain: 'told.localhost' });
  });

  it('of a rule, also by copying and reordering', async () => {
    const { json: redirect } = await area.addRedirect(user, 'ruled');
    await forget(user);
    const rule = { name: 'r', type: 'force', action: { type: 'redirect', url: 'https://b.example/' } };
    const { id } = (await call('POST', `/rules/redirect/${redirect.id}`, rule)).json.rule;
    await call('PUT', `/rules/${id}`, { name: 'changed' });
    const copy = (await call('POST', `/rules/${id}/duplicate`)).json.rule.id;
    await call('PUT', `/rules/redirect/${redirect.id}/reorder`, { ruleIds: [copy, id] });
    await call('DELETE', `/rules/${copy}`);
    const told = (await messages(user)).map(({ type, data }) => `${type} ${data.rule.id}`);
    // Messages of one transaction have no order.
    expect(told.sort()).toEqual(
      [
        `rule.created ${id}`,
        `rule.updated ${id}`,
        `rule.created ${copy}`,
        `rule.updated ${copy}`,
        `rule.updated ${id}`,
        `rule.deleted ${copy}`,
      ].sort(),
    );
  });

  it('but not of one that was refused', async () => {
    await forget(user);
    expect((await area.addRedirect(user, 'told')).status).toBe(422);
    expect(await messages(user)).toEqual([]);
  });
});

describe('endpoints are told that a limit is near', () => {
  beforeAll(async () => {
    user = await listener();
  });
  const usage = async () =>
    (await messages(user))
      .filter(({ type }) => type.startsWith('usage.'))
      .map(({ type, data: { limit, used, allowed } }) => [type, limit, used, allowed]);

  it('at 80 % of the redirects, and at the limit', async () => {
    for (let number = 1; number <= 3; number += 1) await area.addRedirect(user, `near-${number}`);
    expect(await usage()).toEqual([]);
    await area.addRedirect(user, 'near-4');
    expect(await usage()).toEqual([['usage.approaching_limit', 'redirects', 4, 5]]);
    await area.addRedirect(user, 'near-5');
    expect((await usage()).at(-1)).toEqual(['usage.limit_reached', 'redirects', 5, 5]);
    expect((await area.addRedirect(user, 'near-6')).status).toBe(403);
    expect(await usage()).toHaveLength(2);
  });

  it('at 80 % of the events of a month, and at the limit, once each', async () => {
    await forget(user);
    const [{ id }] = (await area.get(user, '/get-redirects/me')).json;
    let used = 0;
    const limits = createRecordingLimits({
      outbox: createRulesetOutbox(area.api.database),
      catalogue: createPlanCatalogue(Object.values(PLANS), 'free'),
      access: area.access,
      findBusy: async ([smallest = 0]) => new Map(used >= smallest ? [[id, used]] : []),
      logger: pino({ level: 'silent' }),
      nowMs: area.now,
    });
    for (used of [7_999, 8_000, 9_000, 10_000, 10_001]) await limits.runRound();
    expect(await usage()).toEqual([
      ['usage.approaching_limit', 'analyticsEvents', 8_000, 10_000],
      ['usage.limit_reached', 'analyticsEvents', 10_000, 10_000],
    ]);
    area.pass(31);
    used = 8_001;
    await limits.runRound();
    expect((await usage()).at(-1)).toEqual(['usage.approaching_limit', 'analyticsEvents', 8_001, 10_000]);
  });
});
