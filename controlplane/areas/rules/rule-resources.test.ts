import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallOptions, TestUser } from '../../http/api.fixture.js';
import { type RulesApi, startRulesApi } from './rules-api.fixture.js';

let area: RulesApi;
let user: TestUser;
let redirectId: string;

beforeAll(async () => {
  area = await startRulesApi();
  user = await area.api.createUser({ plan: 'business' });
  redirectId = (await area.createRedirect(user)).id;
});
afterAll(() => area.close());

const call = (method: string, url: string, options: CallOptions = {}) =>
  area.api.call(method, url, { token: user.token, ...options });

const RULE = {
  name: 'Half',
  type: 'percentage',
  action: { type: 'percentage_redirect', percentage: 50, url: 'https://half.example', statusCode: 307 },
  conditions: [{ attribute: 'country', operator: 'equals', value: 'DE' }],
  endDate: '2999-01-01',
  metadata: { a: 1, b: 'two' },
};

async function create() {
  const { status, json, headers } = await call('POST', `/redirects/${redirectId}/rules`, { body: RULE });
  expect(status).toBe(201);
  return { rule: json.rule, etag: headers.etag ?? '' };
}

test('a patch merges action and metadata, and null sets the default', async () => {
  const { rule } = await create();
  const body = {
    action: { percentage: 20, statusCode: null },
    metadata: { a: null, c: true },
    conditions: null,
    endDate: null,
    description: null,
  };
  const headers = { 'content-type': 'application/merge-patch+json' };
  const { status, json } = await call('PATCH', `/rules/${rule.id}`, { body: JSON.stringify(body), headers });
  expect(status).toBe(200);
  expect(json.rule).toEqual({
    ...rule,
    action: { type: 'percentage_redirect', percentage: 20, url: 'https://half.example' },
    metadata: { b: 'two', c: true },
    conditions: [],
    endDate: null,
    description: '',
    updatedAt: expect.any(String),
  });
  const { json: whole } = await call('PATCH', `/rules/${rule.id}`, { body: json.rule });
  expect(whole.rule).toEqual({ ...json.rule, updatedAt: expect.any(String) });
});

test.each<[object, string]>([
  [{ action: { percentage: 101 } }, 'action.percentage'],
  [{ action: { url: null } }, 'action.url'],
  [{ action: { nonsense: 1 } }, 'action.nonsense'],
  [{ action: null }, 'action'],
  [{ name: null }, 'name'],
  [{ name: '' }, 'name'],
  [{ metadata: { x: [] } }, 'metadata.x'],
  [{ nonsense: 1 }, 'nonsense'],
  [{ type: 'force' }, 'type'],
])('a patch with %j is refused', async (body, field) => {
  const { rule } = await create();
  const answer = await call('PATCH', `/rules/${rule.id}`, { body });
  expect(answer.status).toBe(422);
  expect(answer.json.error.field).toMatch(new RegExp(`^${field}`));
  expect((await call('GET', `/rules/${rule.id}`)).json.rule).toEqual(rule);
});

test('a patch to another type keeps only the members of the action that this type has', async () => {
  const { rule } = await create();
  const variants = [
    { name: 'a', percentage: 50, url: 'https://a.example' },
    { name: 'b', percentage: 50, url: 'https://b.example' },
  ];
  const patchTo = async (type: string, action: object) =>
    (await call('PATCH', `/rules/${rule.id}`, { body: { type, action } })).json.rule.action;
  const force = { type: 'redirect', url: 'https://force.example', statusCode: 307 };
  expect(await patchTo('force', { type: 'redirect', url: 'https://force.example' })).toEqual(force);
  const test = { type: 'ab_test', variants, statusCode: 307 };
  expect(await patchTo('ab_experiment', { type: 'ab_test', variants })).toEqual(test);
  const half = { type: 'percentage_redirect', url: 'https://half.example', percentage: 50 };
  expect(await patchTo('percentage', { ...half, statusCode: null })).toEqual(half);
});

test('a rule answers 304 while it stays the same', async () => {
  const { rule, etag } = await create();
  const known = { headers: { 'if-none-match': etag } };
  expect(await call('GET', `/rules/${rule.id}`, known)).toMatchObject({ status: 304, headers: { etag } });
  await call('PUT', `/rules/${rule.id}/status`, { body: { status: 'active' } });
  expect((await call('GET', `/rules/${rule.id}`, known)).status).toBe(200);
});

test('a rule of another priority has another version', async () => {
  const { rule, etag } = await create();
  const ids = (await area.list(user, redirectId)).map(({ id }: { id: number }) => id);
  const ruleIds = [rule.id, ...ids.filter((id: number) => id !== rule.id)];
  await call('PUT', `/rules/redirect/${redirectId}/reorder`, { body: { ruleIds } });
  const headers = { 'if-match': etag };
  expect((await call('DELETE', `/rules/${rule.id}`, { headers })).status).toBe(412);
});

describe('the version of a redirect', () => {
  const versions = async (id: string) => {
    const { headers } = await call('GET', `/rules/redirect/${id}`);
    const [row] = await area.api.database.query<{ version: number }>(
      'SELECT version FROM redirects WHERE id = $1',
      [id],
    );
    expect(headers.etag).toMatch(new RegExp(`^"${row?.version}-`));
    return { list: headers.etag ?? '', redirect: `"${row?.version}-any"` };
  };

  test('guards the order of its rules, whichever answer told it', async () => {
    const { id } = await area.createRedirect(user);
    await area.createRule(user, id);
    await area.createRule(user, id);
    const stale = await versions(id);
    const ids = (await area.list(user, id)).map((rule: { id: number }) => rule.id);
    const reorder = (tag: string) =>
      call('PUT', `/rules/redirect/${id}/reorder`, {
        body: { ruleIds: [...ids].reverse() },
        headers: { 'if-match': tag },
      });
    await call('PUT', `/rules/${ids[0]}`, { body: { name: 'changed meanwhile' } });
    for (const tag of [stale.list, stale.redirect]) {
      expect(await reorder(tag)).toMatchObject({ status: 412, json: { error: { field: 'If-Match' } } });
    }
    expect((await area.list(user, id)).map((rule: { id: number }) => rule.id)).toEqual(ids);
    const reordered = await reorder((await versions(id)).list);
    expect(reordered.status).toBe(200);
    expect(reordered.headers.etag).toBe((await versions(id)).list);
  });

  test('guards new rules', async () => {
    const { id } = await area.createRedirect(user);
    const { list } = await versions(id);
    const body = { name: 'r', type: 'force', action: { type: 'redirect', url: 'https://b.example/' } };
    for (const [path, status] of [
      [`/rules/redirect/${id}`, 201],
      [`/redirects/${id}/rules`, 412],
    ] as const) {
      expect((await call('POST', path, { body, headers: { 'if-match': list } })).status).toBe(status);
    }
  });

  test('is told with 304 while no rule changes', async () => {
    const { id } = await area.createRedirect(user);
    await area.createRule(user, id);
    const { list: etag } = await versions(id);
    const again = await call('GET', `/rules/redirect/${id}`, { headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ status: 304, headers: { etag } });
  });
});

test('If-Match keeps a rule that has changed from being copied', async () => {
  const { rule, etag } = await create();
  await call('PUT', `/rules/${rule.id}`, { body: { description: 'changed' } });
  const headers = { 'if-match': etag };
  expect((await call('POST', `/rules/${rule.id}/duplicate`, { headers })).status).toBe(412);
});

test.each<[string, string, object?]>([
  ['PATCH', '', { name: 'x' }],
  ['PUT', '', { name: 'x' }],
  ['PUT', '/status', { status: 'inactive' }],
  ['DELETE', ''],
])('If-Match keeps %s %s from changing a rule that has changed', async (method, path, body) => {
  const { rule, etag } = await create();
  const changed = await call('PUT', `/rules/${rule.id}`, { body: { description: 'changed' } });
  const options = (tag: string) => ({ headers: { 'if-match': tag }, ...(body && { body }) });
  const refused = await call(method, `/rules/${rule.id}${path}`, options(etag));
  expect(refused).toMatchObject({ status: 412, json: { error: { code: 'PRECONDITION_FAILED' } } });
  expect(refused.json.error.message).toContain('version is 2');
  expect((await call('GET', `/rules/${rule.id}`)).json).toEqual(changed.json);
  const accepted = await call(method, `/rules/${rule.id}${path}`, options(changed.headers.etag ?? ''));
  expect(accepted.status).toBe(200);
});

test('rules of a restored redirect are the same again', async () => {
  const { id } = await area.createRedirect(user);
  await area.createRule(user, id);
  const before = await area.list(user, id);
  await area.api.database.query('UPDATE redirects SET deleted_at = now() WHERE id = $1', [id]);
  expect((await call('GET', `/rules/${before[0]?.id}`)).status).toBe(404);
  expect((await call('GET', `/rules/redirect/${id}`)).status).toBe(404);
  await area.api.database.query('UPDATE redirects SET deleted_at = NULL WHERE id = $1', [id]);
  expect(await area.list(user, id)).toEqual(before);
});
