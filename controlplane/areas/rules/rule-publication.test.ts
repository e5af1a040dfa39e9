import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { RulesetChange, RulesetFeed } from '../../../shared/ruleset/ruleset-feed.js';
import type { TestUser } from '../../http/api.fixture.js';
import { PLANS } from '../plans/default-plans.js';
import { type RulesApi, startRulesApi } from './rules-api.fixture.js';

let area: RulesApi;
let user: TestUser;
let feed: RulesetFeed;
let changes: RulesetChange[];

beforeAll(async () => {
  area = await startRulesApi();
  user = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

beforeEach(async () => {
  changes = [];
  let snapshots = 0;
  feed = area.publisher.createFeed();
  feed.start({
    onSnapshot() {
      snapshots += 1;
    },
    onDelta: (delta) => changes.push(...delta.changes),
    onHead() {},
    onProblem() {},
  });
  await vi.waitFor(() => expect(snapshots).toBe(1));
  return () => feed.stop();
});

const call = (method: string, url: string, body?: object) =>
  area.api.call(method, url, { token: user.token, ...(body && { body }) });
const toUrl = (url: string) => ({ type: 'redirect', url });

/** Resolves to the destinations of the rules that a data plane received last, in order. */
async function receivedRules(host: string, expected: readonly string[] | undefined) {
  await vi.waitFor(() => {
    const last = changes.findLast((change) => change.host === host);
    expect(last?.redirect?.rules?.map(({ action }) => ('url' in action ? action.url : ''))).toEqual(expected);
  });
}

/** Resolves when all committed changes have arrived, to the number of changes about `host` since the last call. */
async function settled(host: string): Promise<number> {
  const marker = await area.createRedirect(user);
  await vi.waitFor(() => expect(changes.map((change) => change.host)).toContain(marker.host));
  const count = changes.filter((change) => change.host === host).length;
  changes.length = 0;
  return count;
}

test('data planes get each change of active rules, whole and in order', async () => {
  const { id, host } = await area.createRedirect(user);
  await receivedRules(host, undefined);

  const one = await area.createRule(user, id, { action: toUrl('https://one.example') });
  await receivedRules(host, ['https://one.example']);

  const two = await area.createRule(user, id, { action: toUrl('https://two.example') });
  await receivedRules(host, ['https://one.example', 'https://two.example']);

  await call('PUT', `/rules/${two.id}`, { priority: 1 });
  await receivedRules(host, ['https://two.example', 'https://one.example']);

  await call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds: [one.id, two.id] });
  await receivedRules(host, ['https://one.example', 'https://two.example']);

  await call('PUT', `/rules/${one.id}`, { action: toUrl('https://changed.example') });
  await receivedRules(host, ['https://changed.example', 'https://two.example']);

  await call('PUT', `/rules/${one.id}/status`, { status: 'inactive' });
  await receivedRules(host, ['https://two.example']);

  await call('PUT', `/rules/${one.id}/status`, { status: 'active' });
  await receivedRules(host, ['https://changed.example', 'https://two.example']);

  await call('DELETE', `/rules/${one.id}`);
  await receivedRules(host, ['https://two.example']);

  await call('PUT', `/rules/${two.id}/status`, { status: 'draft' });
  await receivedRules(host, undefined);
});

test('data planes get what decides, with the dates in milliseconds', async () => {
  const { id, host } = await area.createRedirect(user);
  const conditions = [{ attribute: 'country', operator: 'in', value: ['DE', 'AT'] }];
  const action = { type: 'percentage_redirect', url: 'https://new.example', percentage: 12.5 };
  const rule = await area.createRule(user, id, {
    type: 'percentage',
    conditions,
    conditionLogic: 'OR',
    action,
    startDate: '2026-01-01',
    endDate: '2026-01-01',
  });
  expect((await area.served(host))?.rules).toEqual([
    {
      id: rule.id,
      conditions,
      conditionLogic: 'OR',
      action: { ...action, sticky: 'none' },
      startMs: Date.UTC(2026, 0, 1),
      endMs: Date.UTC(2026, 0, 2) - 1,
    },
  ]);
});

test('data planes get an A/B test with all that it leaves to defaults', async () => {
  const { id, host } = await area.createRedirect(user);
  const own = { name: 'a', percentage: 50, url: 'https://a.example', pathForwarding: false };
  const other = { name: 'b', percentage: 50, url: 'https://b.example' };
  const action = { type: 'ab_test', variants: [own, other], pathForwarding: true };
  const rule = await area.createRule(user, id, { type: 'ab_experiment', action });
  expect(rule.action, 'as it is shown').toEqual(action);
  await vi.waitFor(() => {
    const [published] = changes.findLast((change) => change.host === host)?.redirect?.rules ?? [];
    expect(published?.action).toEqual({
      type: 'ab_test',
      variants: [own, { ...other, pathForwarding: true }],
      sticky: 'cookie',
    });
  });
});

test('data planes hear nothing of drafts', async () => {
  const { id, host } = await area.createRedirect(user);
  await settled(host);
  const draft = await area.createRule(user, id, { status: 'draft' });
  await call('PUT', `/rules/${draft.id}`, { name: 'b', action: toUrl('https://b.example'), priority: 5 });
  await call('POST', `/rules/${draft.id}/duplicate`);
  await call('PUT', `/rules/redirect/${id}/reorder`, {
    ruleIds: (await area.list(user, id)).map((rule) => rule.id).reverse(),
  });
  await call('DELETE', `/rules/${draft.id}`);
  expect(await settled(host)).toBe(0);
});

test('data planes hear nothing of a change that is refused', async () => {
  const { id, host } = await area.createRedirect(user);
  const rule = await area.createRule(user, id);
  await settled(host);
  expect((await call('PUT', `/rules/${rule.id}`, { type: 'percentage' })).status).toBe(422);
  expect((await call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds: [] })).status).toBe(422);
  expect(await settled(host)).toBe(0);
});

test('data planes hear nothing of rules of a redirect that is not verified', async () => {
  const { id, host } = await area.createRedirect(user, { fromDomain: 'pending.example' });
  const rule = await area.createRule(user, id);
  await call('PUT', `/rules/${rule.id}`, { name: 'b' });
  expect(await settled(host)).toBe(0);
  expect(await area.served(host)).toBeUndefined();
});

test('a redirect that is deleted is served no more, with its rules', async () => {
  const { id, host } = await area.createRedirect(user);
  await area.createRule(user, id);
  await area.redirects.delete({ ...user, scopes: [], plan: PLANS.business }, id);
  await vi.waitFor(() => expect(changes.findLast((change) => change.host === host)?.redirect).toBeNull());
});
