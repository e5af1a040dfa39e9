import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { createDocumentCheck } from '../../http/openapi-document.fixture.js';
import { PLANS } from '../plans/default-plans.js';
import type { RuleRecord } from './rule-schema.js';
import { type RulesApi, startRulesApi } from './rules-api.fixture.js';

let area: RulesApi;
let user: TestUser;
let other: TestUser;

beforeAll(async () => {
  area = await startRulesApi();
  user = await area.api.createUser({ plan: 'business' });
  other = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

const call = (method: string, url: string, body?: object) =>
  area.api.call(method, url, { token: user.token, ...(body && { body }) });
const change = (rule: RuleRecord, body: object) => call('PUT', `/rules/${rule.id}`, body);
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A redirect with rules of these names, in this order. */
async function redirectWith(...names: readonly string[]) {
  const { id } = await area.createRedirect(user);
  const rules: RuleRecord[] = [];
  for (const name of names) rules.push(await area.createRule(user, id, { name }));
  return { id, rules };
}

/** Names and priorities, in the order in which rules are listed. */
async function order(redirectId: string): Promise<[string, number][]> {
  return (await area.list(user, redirectId)).map(({ name, priority }) => [name, priority]);
}

describe('a new rule', () => {
  test('has a whole number for an id, which does not tell how many rules there are', async () => {
    const ids = (await redirectWith('a', 'b', 'c', 'd')).rules.map(({ id }) => id);
    expect(ids.every((id) => Number.isInteger(id) && id > 0 && id < 2 ** 31)).toBe(true);
    const steps = ids.slice(1).map((id, index) => Math.abs(id - ids[index]!));
    expect(Math.max(...steps)).toBeGreaterThan(1_000);
  });

  test('has defaults for everything but name, type and action', async () => {
    const { id: redirectId } = await area.createRedirect(user);
    const body = {
      name: ' Germans ',
      type: 'force',
      action: { type: 'redirect', url: ' https://new.example/de ' },
    };
    const answer = await call('POST', `/rules/redirect/${redirectId}`, body);
    expect(answer).toMatchObject({ status: 201, json: { message: expect.stringContaining('Germans') } });
    expect(answer.json.rule).toEqual({
      id: expect.any(Number),
      redirectId,
      name: 'Germans',
      description: '',
      type: 'force',
      conditions: [],
      conditionLogic: 'AND',
      action: { type: 'redirect', url: 'https://new.example/de' },
      priority: 1,
      status: 'draft',
      startDate: null,
      endDate: null,
      metadata: {},
      hitCount: 0,
      createdBy: user.id,
      createdAt: expect.stringMatching(TIMESTAMP),
      updatedAt: answer.json.rule.createdAt,
    });
    expect((await call('GET', `/rules/${answer.json.rule.id}`)).json).toEqual({ rule: answer.json.rule });
  });

  test('is given back as it was sent', async () => {
    const { id } = await area.createRedirect(user);
    const sent = {
      name: 'Test of prices',
      description: 'Two prices\nfor “Ümläute” 😀',
      type: 'ab_experiment',
      conditions: [
        { attribute: 'country', operator: 'in', value: ['DE', 'AT'] },
        { attribute: 'query_param', operator: 'equals', value: 'x', param: 'Ref' },
        { attribute: 'hour_of_day', operator: 'between', value: [22, 6] },
        { attribute: 'day_of_week', operator: 'in', value: [1, '2', 3] },
        { attribute: 'hour_of_day', operator: 'equals', value: 5 },
        { attribute: 'hour_of_day', operator: 'equals', value: '5' },
        { attribute: 'hour_of_day', operator: 'less_than', value: 9, timezone: 'Australia/Lord_Howe' },
        { attribute: 'city', operator: 'exists' },
      ],
      conditionLogic: 'OR',
      action: {
        type: 'ab_test',
        variants: [
          { name: 'high', percentage: 33.3, url: 'https://new.example/%7Ea?b=c#d', pathForwarding: true },
          { name: 'low', percentage: 66.7, url: 'https://new.example/', queryForwarding: false },
        ],
        sticky: 'visitor',
      },
      priority: 7,
      status: 'active',
      startDate: '2026-01-31T08:00:00.000Z',
      endDate: '2026-02-28T08:00:00.123Z',
      metadata: { ticket: 'A-1', weight: 0.1, checked: true, constructor: 'x', 'with\nbreak': '' },
    };
    expect(await area.createRule(user, id, sent)).toMatchObject(sent);
  });

  test.each([
    ['percentage', { type: 'percentage_redirect', url: 'https://new.example', percentage: 10 }],
    [
      'ab_experiment',
      {
        type: 'ab_test',
        variants: [
          { name: 'a', percentage: 50, url: 'https://a.example' },
          { name: 'b', percentage: 50, url: 'https://b.example' },
        ],
      },
    ],
  ])('of the type %s keeps its action without a member that was not sent', async (type, action) => {
    const { id } = await area.createRedirect(user);
    const rule = await area.createRule(user, id, { type, action });
    expect(rule.action).toEqual(action);
    const copied = (await call('POST', `/rules/${rule.id}/duplicate`)).json.rule;
    expect((await change(copied, { action: copied.action })).json.rule.action).toEqual(action);
  });

  test.each([
    ['a moment', '2026-01-31T08:00:00+02:00', '2026-01-31T06:00:00.000Z', '2026-01-31T06:00:00.000Z'],
    [
      'a moment without a zone',
      '2026-01-31T08:00:00',
      '2026-01-31T08:00:00.000Z',
      '2026-01-31T08:00:00.000Z',
    ],
    ['a day', '2026-01-31', '2026-01-31T00:00:00.000Z', '2026-01-31T23:59:59.999Z'],
  ])('takes %s as a date', async (_what, date, startDate, endDate) => {
    const { id } = await area.createRedirect(user);
    const rule = await area.createRule(user, id, { startDate: date, endDate: date });
    expect(rule).toMatchObject({ startDate, endDate });
  });

  test('comes last, or before the rule whose priority it is given', async () => {
    const { id } = await redirectWith('a', 'b', 'c');
    await area.createRule(user, id, { name: 'first', priority: 1 });
    await area.createRule(user, id, { name: 'far', priority: 10 });
    await area.createRule(user, id, { name: 'last' });
    expect(await order(id)).toEqual([
      ['first', 1],
      ['a', 2],
      ['b', 3],
      ['c', 4],
      ['far', 10],
      ['last', 11],
    ]);
  });

  test('is made once for the same Idempotency-Key', async () => {
    const { id } = await area.createRedirect(user);
    const body = { name: 'once', type: 'force', action: { type: 'redirect', url: 'https://new.example' } };
    const options = { token: user.token, body, headers: { 'idempotency-key': `once-${id}` } };
    const answers = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      answers.push(await area.api.call('POST', `/rules/redirect/${id}`, options));
    }
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(answers.map(({ json }) => json)).toEqual(Array(3).fill(answers[0]?.json));
    const { json: read, headers } = await area.api.call('GET', `/rules/${answers[0]?.json.rule.id}`, {
      token: user.token,
    });
    expect(read.rule).toEqual(answers[0]?.json.rule);
    expect(answers.map((answer) => answer.headers.etag)).toEqual(Array(3).fill(headers.etag));
    expect(await order(id)).toEqual([['once', 1]]);
  });
});

describe('the limit of the plan', () => {
  test.each([
    ['free', 10],
    ['pro', 100],
  ] as const)('on %s is %i rules per redirect, copies included', async (plan, limit) => {
    const owner = await area.api.createUser({ plan });
    const { id } = await area.createRedirect(owner);
    const first = await area.createRule(owner, id);
    for (let made = 1; made < limit; made += 1) await area.createRule(owner, id);
    const refusals = [
      await area.create(owner, id),
      await area.api.call('POST', `/rules/${first.id}/duplicate`, { token: owner.token }),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ status: 403, json: { error: { code: 'PLAN_LIMIT_REACHED' } } });
      expect(refusal.json.error.message).toMatch(
        new RegExp(`${PLANS[plan].name}.* ${limit} rules.* ${limit}\\.`),
      );
    }
    expect(await area.list(owner, id)).toHaveLength(limit);

    await area.api.call('DELETE', `/rules/${first.id}`, { token: owner.token });
    await area.createRule(owner, id);
    await area.createRule(owner, (await area.createRedirect(owner)).id);
  });
});

describe('changing a rule', () => {
  test.each<[string, object]>([
    ['name', { name: 'another' }],
    ['description', { description: 'said' }],
    ['conditions', { conditions: [{ attribute: 'country', operator: 'equals', value: 'DE' }] }],
    ['conditionLogic', { conditionLogic: 'OR' }],
    ['action', { action: { type: 'redirect', url: 'https://another.example' } }],
    ['status', { status: 'inactive' }],
    ['priority', { priority: 9 }],
    ['startDate', { startDate: '2026-01-01T00:00:00.000Z' }],
    ['endDate', { endDate: '2026-01-01T00:00:00.000Z' }],
    ['metadata', { metadata: { a: 1 } }],
  ])('changes %s and nothing else', async (_what, body) => {
    const { rules } = await redirectWith('a');
    const answer = await change(rules[0]!, body);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json.rule).toEqual({
      ...rules[0],
      ...body,
      updatedAt: expect.stringMatching(TIMESTAMP),
    });
    expect(answer.json.rule.updatedAt > rules[0]!.updatedAt).toBe(true);
  });

  test('takes the record back as it was given', async () => {
    const { id, rules } = await redirectWith('a', 'b');
    area.hits.set(rules[1]!.id, { hits: 5 });
    const [, record] = await area.list(user, id);
    expect((await change(record!, { ...record, hitCount: 99, redirectId: 'x' })).json.rule).toEqual({
      ...record,
      updatedAt: expect.any(String),
    });
  });

  test('clears dates by null', async () => {
    const { id } = await area.createRedirect(user);
    const rule = await area.createRule(user, id, { startDate: '2026-01-01', endDate: '2026-02-01' });
    expect((await change(rule, { endDate: null })).json.rule).toMatchObject({
      startDate: rule.startDate,
      endDate: null,
    });
    expect((await change(rule, { startDate: null })).json.rule).toMatchObject({
      startDate: null,
      endDate: null,
    });
  });

  test('replaces an action and metadata as a whole', async () => {
    const { id } = await area.createRedirect(user);
    const rule = await area.createRule(user, id, {
      type: 'percentage',
      action: {
        type: 'percentage_redirect',
        url: 'https://a.example',
        percentage: 1,
        sticky: 'cookie',
        pathForwarding: true,
      },
      metadata: { a: 1 },
    });
    const action = { type: 'percentage_redirect', url: 'https://a.example', percentage: 2 };
    const answer = await change(rule, { action, metadata: { b: 2 } });
    expect(answer.json.rule.action).toEqual(action);
    expect(answer.json.rule.metadata).toEqual({ b: 2 });
  });

  test.each(['active', 'inactive', 'draft'])('sets the status to %s and nothing else', async (status) => {
    const { rules } = await redirectWith('a');
    const answer = await call('PUT', `/rules/${rules[0]!.id}/status`, { status });
    expect(answer.json.rule).toEqual({ ...rules[0], status, updatedAt: expect.any(String) });
  });

  test('sets the status alone, whatever else is sent beside it', async () => {
    const { rules } = await redirectWith('a', 'b');
    const others = { name: 'x', priority: 9, conditions: 'none', action: null, colour: 'red' };
    const answer = await call('PUT', `/rules/${rules[1]!.id}/status`, { ...others, status: 'inactive' });
    expect(answer.json.rule).toEqual({ ...rules[1], status: 'inactive', updatedAt: expect.any(String) });
  });

  test('clears a description by null', async () => {
    const { id } = await area.createRedirect(user);
    const rule = await area.createRule(user, id, { description: 'said' });
    expect((await change(rule, { description: null })).json.rule.description).toBe('');
    expect((await area.createRule(user, id, { description: null })).description).toBe('');
  });

  test('moves it to a priority that is taken, as in a list', async () => {
    const { id, rules } = await redirectWith('a', 'b', 'c', 'd');
    expect((await change(rules[3]!, { priority: 2 })).json.rule.priority).toBe(2);
    expect(await order(id)).toEqual([
      ['a', 1],
      ['d', 2],
      ['b', 3],
      ['c', 4],
    ]);
  });
});

describe('the order', () => {
  test('is that of the ids given, and the numbers are 1…n', async () => {
    const { id, rules } = await redirectWith('a', 'b', 'c');
    await change(rules[1]!, { priority: 50 });
    const ruleIds = [rules[1]!.id, rules[2]!.id, rules[0]!.id];
    const answer = await call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds });
    expect(answer).toMatchObject({ status: 200, json: { message: expect.any(String) } });
    expect(answer.json.rules.map((rule: RuleRecord) => [rule.id, rule.priority])).toEqual(
      ruleIds.map((ruleId, index) => [ruleId, index + 1]),
    );
    expect(answer.json.rules).toEqual(await area.list(user, id));
  });

  test('of no rules is that of no ids', async () => {
    const { id } = await area.createRedirect(user);
    const answer = await call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds: [] });
    expect(answer).toMatchObject({ status: 200, json: { rules: [] } });
  });

  test('does not take rules of another redirect', async () => {
    const { id, rules } = await redirectWith('a');
    const { rules: foreign } = await redirectWith('b');
    const ruleIds = [rules[0]!.id, foreign[0]!.id];
    expect(await call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds })).toMatchObject({
      status: 422,
      json: { error: { field: 'ruleIds' } },
    });
  });
});

describe('a copy', () => {
  test('is a draft of the same content, and comes last', async () => {
    const { id, rules } = await redirectWith('a', 'b');
    const [original] = rules;
    area.hits.set(original!.id, { hits: 5 });
    const answer = await call('POST', `/rules/${original!.id}/duplicate`);
    expect(answer).toMatchObject({ status: 201, json: { message: expect.any(String) } });
    expect(answer.json.rule).toEqual({
      ...original,
      id: expect.any(Number),
      name: 'a (copy)',
      status: 'draft',
      priority: 3,
      hitCount: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await order(id)).toEqual([
      ['a', 1],
      ['b', 2],
      ['a (copy)', 3],
    ]);
    expect((await area.list(user, id))[0]).toEqual({ ...original, hitCount: 5 });
  });

  test('of a rule with a long name has a name that may be sent back', async () => {
    const { rules } = await redirectWith('😀'.repeat(200));
    const { json } = await call('POST', `/rules/${rules[0]!.id}/duplicate`);
    expect(json.rule.name).toBe(`${'😀'.repeat(193)} (copy)`);
    expect(await change(json.rule, { name: json.rule.name })).toMatchObject({ status: 200 });
  });
});

describe('deleting', () => {
  test('closes the gap in 1…n', async () => {
    const { id, rules } = await redirectWith('a', 'b', 'c');
    const answer = await call('DELETE', `/rules/${rules[1]!.id}`);
    expect(answer).toMatchObject({ status: 200, json: { message: expect.stringContaining('b') } });
    expect(await order(id)).toEqual([
      ['a', 1],
      ['c', 2],
    ]);
    expect((await call('GET', `/rules/${rules[1]!.id}`)).status).toBe(404);
    expect((await call('DELETE', `/rules/${rules[1]!.id}`)).status).toBe(404);
  });

  test('a redirect deletes its rules', async () => {
    const { id, rules } = await redirectWith('a');
    const { rules: kept } = await redirectWith('b');
    await area.redirects.delete({ ...user, scopes: [], plan: PLANS.business }, id);
    expect((await call('GET', `/rules/${rules[0]!.id}`)).status).toBe(404);
    expect((await call('GET', `/rules/redirect/${id}`)).status).toBe(404);
    expect((await call('GET', `/rules/${kept[0]!.id}`)).status).toBe(200);
  });
});

describe('the count of matches', () => {
  test('is shown wherever rules are', async () => {
    const { id, rules } = await redirectWith('a', 'b');
    const [a, b] = rules;
    area.hits.set(b!.id, { hits: 42 });
    const ruleIds = [a!.id, b!.id];
    const { json: reordered } = await call('PUT', `/rules/redirect/${id}/reorder`, { ruleIds });
    const counts = (list: RuleRecord[]) => list.map(({ hitCount }) => hitCount);
    expect(counts(reordered.rules)).toEqual([0, 42]);
    expect(counts(await area.list(user, id))).toEqual([0, 42]);
    expect((await call('GET', `/rules/${b!.id}`)).json.rule.hitCount).toBe(42);
    expect((await change(b!, { name: 'c' })).json.rule.hitCount).toBe(42);
    expect((await call('PUT', `/rules/${b!.id}/status`, { status: 'draft' })).json.rule.hitCount).toBe(42);
  });

  test('is zero while the statistics are away', async () => {
    const { id, rules } = await redirectWith('a');
    area.hits.set(rules[0]!.id, { hits: 42 });
    area.failHits(true);
    const whileAway = await area.list(user, id);
    const changed = await change(rules[0]!, { name: 'b' });
    area.failHits(false);
    expect(whileAway[0]?.hitCount).toBe(0);
    expect(changed).toMatchObject({ status: 200, json: { rule: { hitCount: 0 } } });
    expect((await area.list(user, id))[0]?.hitCount).toBe(42);
  });
});

test('the OpenAPI document tells actions apart by their type', async () => {
  const { json } = await call('GET', '/openapi.json');
  expect(createDocumentCheck()(json)).toEqual([]);
  const { schemas } = json.components;
  const { $ref } = json.paths['/rules/{ruleId}'].put.requestBody.content['application/json'].schema;
  const component = (ref: string) => schemas[ref.replace('#/components/schemas/', '')];
  const { discriminator, oneOf } = component(component($ref).properties.action.$ref);
  expect(discriminator.propertyName).toBe('type');
  expect(oneOf.map(({ $ref: ref }: { $ref: string }) => ref)).toEqual(Object.values(discriminator.mapping));
  for (const [type, ref] of Object.entries<string>(discriminator.mapping)) {
    expect(component(ref)).toMatchObject({ required: expect.arrayContaining(['type']) });
    expect(component(ref).properties.type).toMatchObject({ const: type });
  }
  expect(Object.keys(discriminator.mapping)).toEqual(['redirect', 'percentage_redirect', 'ab_test']);
});

describe('every route', () => {
  const body = { name: 'x', type: 'force', action: { type: 'redirect', url: 'https://x.example' } };
  const ofRedirect: [string, string, 'read' | 'write', object?][] = [
    ['GET', '/rules/redirect/:id', 'read'],
    ['POST', '/rules/redirect/:id', 'write', body],
    ['PUT', '/rules/redirect/:id/reorder', 'write', { ruleIds: [] }],
    ['POST', '/redirects/:id/rules', 'write', body],
  ];
  const ofRule: [string, string, 'read' | 'write', object?][] = [
    ['GET', '/rules/:id', 'read'],
    ['PUT', '/rules/:id', 'write', { name: 'taken over' }],
    ['PATCH', '/rules/:id', 'write', { name: 'taken over' }],
    ['PUT', '/rules/:id/status', 'write', { status: 'inactive' }],
    ['POST', '/rules/:id/duplicate', 'write'],
    ['DELETE', '/rules/:id', 'write'],
  ];

  test.each([...ofRedirect, ...ofRule])(
    '%s %s answers 403 for what is somebody else’s and 404 for what is not there',
    async (method, template, _access, sent) => {
      const { id, rules } = await redirectWith('a');
      const before = await area.list(user, id);
      const options = { token: other.token, ...(sent && { body: sent }) };
      const path = (ofId: string | number) => template.replace(':id', String(ofId));
      const own = template.includes('/redirect') ? id : rules[0]!.id;
      expect(await area.api.call(method, path(own), options)).toMatchObject({
        status: 403,
        json: { error: { code: 'FORBIDDEN' } },
      });
      for (const missing of ['doesnotexist', '0', '-1', '1e3', '999999999', '9'.repeat(40), '1.5', '%20']) {
        expect(await area.api.call(method, path(missing), options)).toMatchObject({
          status: 404,
          json: { error: { code: 'NOT_FOUND' } },
        });
      }
      expect(await area.list(user, id)).toEqual(before);
    },
  );

  test.each([...ofRedirect, ...ofRule])(
    '%s %s needs a token with the scope redirects:%s',
    async (method, template, access, sent) => {
      const scopes = [access === 'read' ? 'redirects:write' : 'redirects:read', 'analytics:read'] as const;
      const token = await area.api.createToken(user.id, { scopes });
      const options = sent === undefined ? {} : { body: sent };
      const path = template.replace(':id', '1');
      expect(await area.api.call(method, path, options)).toMatchObject({
        status: 401,
        json: { error: { code: 'MISSING_TOKEN' } },
      });
      expect(await area.api.call(method, path, { ...options, token })).toMatchObject({
        status: 403,
        json: { error: { code: 'INSUFFICIENT_SCOPE' } },
      });
    },
  );
});
