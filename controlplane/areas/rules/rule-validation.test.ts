import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import type { RuleRecord } from './rule-schema.js';
import { type RulesApi, startRulesApi } from './rules-api.fixture.js';

let area: RulesApi;
let user: TestUser;
let redirectId: string;
let force: RuleRecord;
let split: RuleRecord;

beforeAll(async () => {
  area = await startRulesApi();
  user = await area.api.createUser({ plan: 'business' });
  redirectId = (await area.createRedirect(user)).id;
  force = await area.createRule(user, redirectId);
  split = await area.createRule(user, redirectId, { type: 'ab_experiment', action: abTest() });
});
afterAll(() => area.close());

const url = 'https://new.example/';
const variant = (name: unknown, percentage: unknown, more = {}) => ({ name, percentage, url, ...more });
const abTest = (variants: unknown = [variant('a', 50), variant('b', 50)], more = {}) => ({
  type: 'ab_test',
  variants,
  ...more,
});
const ofAbTest = (variants: unknown, more = {}) => ({
  type: 'ab_experiment',
  action: abTest(variants, more),
});
const ofPercentage = (percentage: unknown, more = {}) => ({
  type: 'percentage',
  action: { type: 'percentage_redirect', url, percentage, ...more },
});
const ofForce = (more: object) => ({ action: { type: 'redirect', url, ...more } });
const ofConditions = (...conditions: unknown[]) => ({ conditions });
const country = (value: unknown, more = {}) => ({ attribute: 'country', operator: 'equals', value, ...more });
const equalParts = (count: number) =>
  Array.from({ length: count }, (_, index) => variant(`v${index}`, 100 / count));
const members = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, value]));
/** Conditions whose JSON is close to this many bytes. */
const conditionsOf = (bytes: number) =>
  Array.from({ length: Math.floor(bytes / 2_050) }, () => ({
    attribute: 'user_agent',
    operator: 'contains',
    value: 'x'.repeat(1_991),
  }));

describe('a new rule', () => {
  test.each<[string, object]>([
    ['a name of 200 characters', { name: '😀'.repeat(200) }],
    ['a description of 2,000 characters', { description: 'x'.repeat(2_000) }],
    ['an empty description', { description: '' }],
    ['null for a description', { description: null }],
    ['no conditions', { conditions: [] }],
    ['1,000 conditions', ofConditions(...Array.from({ length: 1_000 }, () => country('DE')))],
    ['a value that is ignored', ofConditions({ attribute: 'city', operator: 'exists', value: null })],
    ['a URL on the redirect’s own host', ofForce({ url: 'https://host-1.localhost/elsewhere' })],
    ['switches of its own', ofForce({ pathForwarding: true, queryForwarding: false })],
    ['a status of its own', ofForce({ statusCode: 308 })],
    ['a status for a share', ofPercentage(50, { statusCode: 301 })],
    [
      'statuses for all and for one',
      ofAbTest([variant('a', 50, { statusCode: 307 }), variant('b', 50)], { statusCode: 302 }),
    ],
    ['a share of a millionth', ofPercentage(0.000001)],
    ['a share of all', ofPercentage(100)],
    ['every way to remember a share', ofPercentage(50, { sticky: 'cookie' })],
    ['a share that is not remembered', ofPercentage(50, { sticky: 'none' })],
    [
      'a split with switches for all',
      ofAbTest(equalParts(2), { pathForwarding: true, queryForwarding: false }),
    ],
    ['a split that the visitor decides', ofAbTest(equalParts(2), { sticky: 'visitor' })],
    ['two variants', ofAbTest(equalParts(2))],
    ['thirds', ofAbTest(equalParts(3))],
    ['ten variants', ofAbTest(equalParts(10))],
    ['a sum off by less than the tolerance', ofAbTest([variant('a', 50), variant('b', 49.9999995)])],
    ['names that differ in case', ofAbTest([variant('a', 50), variant('A', 50)])],
    ['a variant name of 100 characters', ofAbTest([variant('a'.repeat(100), 50), variant('b', 50)])],
    [
      'a variant with switches of its own',
      ofAbTest([variant('a', 50, { pathForwarding: true }), variant('b', 50)]),
    ],
    ['no dates', { startDate: null, endDate: null }],
    ['dates of one moment', { startDate: '2026-01-01T00:00:00Z', endDate: '2026-01-01T01:00:00+01:00' }],
    ['dates of one day', { startDate: '2026-01-01', endDate: '2026-01-01' }],
    ['50 members of metadata', { metadata: members(50) }],
    [
      'metadata of every kind',
      { metadata: { a: '', b: 'x'.repeat(1_000), c: -1.5e300, d: true, ['k'.repeat(100)]: 0 } },
    ],
    [
      'metadata with names of built-in members',
      { metadata: { toString: 'x', constructor: 'y', valueOf: 1 } },
    ],
    ['the lowest priority number', { priority: 0 }],
    ['the highest priority number', { priority: 1_000_000 }],
    ['close to 256 KiB', { conditions: conditionsOf(255 * 1024) }],
  ])('may have %s', async (_what, body) => {
    const answer = await area.create(user, redirectId, body);
    expect(answer, answer.body).toMatchObject({ status: 201 });
    await area.api.call('DELETE', `/rules/${answer.json.rule.id}`, { token: user.token });
  });

  test.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name'],
    ['null for a name', { name: null }, 'name'],
    ['a name of blanks', { name: '  \t ' }, 'name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
    ['a number for a name', { name: 5 }, 'name'],
    ['U+0000 in its name', { name: 'a\0b' }, 'name'],
    ['half a surrogate pair in its name', { name: 'a\ud83d' }, 'name'],
    ['a description of 2,001 characters', { description: 'x'.repeat(2_001) }, 'description'],
    ['a number for a description', { description: 1 }, 'description'],
    ['no type', { type: undefined }, 'type'],
    ['an unknown type', { type: 'redirect' }, 'type'],
    ['an unknown logic', { conditionLogic: 'XOR' }, 'conditionLogic'],
    ['a logic in lower case', { conditionLogic: 'and' }, 'conditionLogic'],
    ['an unknown status', { status: 'paused' }, 'status'],
    ['null for a status', { status: null }, 'status'],
    ['a priority below 0', { priority: -1 }, 'priority'],
    ['a priority that is too high', { priority: 1_000_001 }, 'priority'],
    ['half a priority', { priority: 1.5 }, 'priority'],
    ['a priority as text', { priority: '1' }, 'priority'],
    ['an unknown member', { colour: 'red' }, 'colour'],
    ['an id', { id: 5 }, 'id'],

    ['an unknown status code', ofForce({ statusCode: 303 }), 'action.statusCode'],
    ['a status code as text', ofForce({ statusCode: '301' }), 'action.statusCode'],
    ['null for a status code', ofPercentage(50, { statusCode: null }), 'action.statusCode'],
    ['a status that redirects nobody', ofAbTest(equalParts(2), { statusCode: 200 }), 'action.statusCode'],
    [
      'an unknown status code of a variant',
      ofAbTest([variant('a', 50, { statusCode: 300 }), variant('b', 50)]),
      'action.variants.0.statusCode',
    ],
    ['no action', { action: undefined }, 'action'],
    ['null for an action', { action: null }, 'action'],
    ['a URL for an action', { action: url }, 'action'],
    ['a list for an action', { action: [] }, 'action'],
    ['an action without a type', { action: { url } }, 'action.type'],
    ['an action of an unknown type', { action: { type: 'block', url } }, 'action.type'],
    ['an action whose type is that of a rule', { action: { type: 'force', url } }, 'action.type'],
    ['an action whose type is a built-in member', { action: { type: 'constructor', url } }, 'action.type'],
    ['an action whose type is no text', { action: { type: { a: 1 }, url } }, 'action.type'],
    ['an action of another type than its own', { type: 'percentage' }, 'action.type'],
    ['an action without a URL', { action: { type: 'redirect' } }, 'action.url'],
    ['a number for a URL', ofForce({ url: 5 }), 'action.url'],
    ['a relative URL', ofForce({ url: '/path' }), 'action.url'],
    ['a URL of another scheme', ofForce({ url: 'javascript:alert(1)' }), 'action.url'],
    ['a URL with user information', ofForce({ url: 'https://a:b@new.example' }), 'action.url'],
    ['a URL with a line break', ofForce({ url: 'https://new.example/\r\nSet-Cookie: a=b' }), 'action.url'],
    ['a URL that is too long', ofForce({ url: `https://new.example/${'x'.repeat(2_048)}` }), 'action.url'],
    ['an action with an unknown member', ofForce({ variants: [] }), 'action.variants'],
    ['a forced action that is remembered', ofForce({ sticky: 'cookie' }), 'action.sticky'],
    ['a switch as text', ofForce({ pathForwarding: 'yes' }), 'action.pathForwarding'],
    ['null for a switch', ofForce({ queryForwarding: null }), 'action.queryForwarding'],

    ['no share', ofPercentage(undefined), 'action.percentage'],
    ['a share of nothing', ofPercentage(0), 'action.percentage'],
    ['a negative share', ofPercentage(-1), 'action.percentage'],
    ['a share of more than all', ofPercentage(100.1), 'action.percentage'],
    ['a share as text', ofPercentage('50'), 'action.percentage'],
    ['an unknown way to remember', ofPercentage(50, { sticky: 'session' }), 'action.sticky'],

    ['no variants', { type: 'ab_experiment', action: { type: 'ab_test' } }, 'action.variants'],
    ['no list of variants', ofAbTest({ a: 50, b: 50 }), 'action.variants'],
    ['one variant', ofAbTest([variant('a', 100)]), 'action.variants'],
    ['eleven variants', ofAbTest(equalParts(11)), 'action.variants'],
    ['a sum below 100', ofAbTest([variant('a', 50), variant('b', 49.99)]), 'action.variants'],
    ['a sum above 100', ofAbTest([variant('a', 50), variant('b', 50.01)]), 'action.variants'],
    [
      'a sum off by more than the tolerance',
      ofAbTest([variant('a', 50), variant('b', 50.000002)]),
      'action.variants',
    ],
    [
      'a share of nothing for a variant',
      ofAbTest([variant('a', 100), variant('b', 0)]),
      'action.variants.1.percentage',
    ],
    [
      'a negative share for a variant',
      ofAbTest([variant('a', -10), variant('b', 110)]),
      'action.variants.0.percentage',
    ],
    [
      'no share for a variant',
      ofAbTest([variant('a', 50), variant('b', undefined)]),
      'action.variants.1.percentage',
    ],
    [
      'a share as text for a variant',
      ofAbTest([variant('a', 50), variant('b', '50')]),
      'action.variants.1.percentage',
    ],
    ['no name for a variant', ofAbTest([variant('a', 50), variant(undefined, 50)]), 'action.variants.1.name'],
    ['an empty name for a variant', ofAbTest([variant(' ', 50), variant('b', 50)]), 'action.variants.0.name'],
    [
      'a variant name that is too long',
      ofAbTest([variant('a'.repeat(101), 50), variant('b', 50)]),
      'action.variants.0.name',
    ],
    ['a variant name twice', ofAbTest([variant('a', 50), variant(' a ', 50)]), 'action.variants.1.name'],
    [
      'no URL for a variant',
      ofAbTest([variant('a', 50, { url: undefined }), variant('b', 50)]),
      'action.variants.0.url',
    ],
    [
      'a relative URL for a variant',
      ofAbTest([variant('a', 50), variant('b', 50, { url: 'b' })]),
      'action.variants.1.url',
    ],
    [
      'an unknown member of a variant',
      ofAbTest([variant('a', 50), variant('b', 50, { weight: 1 })]),
      'action.variants.1.weight',
    ],
    ['null for a variant', ofAbTest([variant('a', 100), null]), 'action.variants.1'],

    ['no list of conditions', { conditions: country('DE') }, 'conditions'],
    ['null for conditions', { conditions: null }, 'conditions'],
    ['1,001 conditions', ofConditions(...Array.from({ length: 1_001 }, () => country('DE'))), 'conditions'],
    ['null for a condition', ofConditions(country('DE'), null), 'conditions.1'],
    [
      'a condition without an attribute',
      ofConditions({ operator: 'equals', value: 'DE' }),
      'conditions.0.attribute',
    ],
    [
      'a condition without an operator',
      ofConditions({ attribute: 'country', value: 'DE' }),
      'conditions.0.operator',
    ],
    ['a condition without a value', ofConditions(country(undefined)), 'conditions.0.value'],
    [
      'a condition on an unknown attribute',
      ofConditions(country('DE', { attribute: 'planet' })),
      'conditions.0.attribute',
    ],
    [
      'a condition with an unknown operator',
      ofConditions(country('DE', { operator: 'is' })),
      'conditions.0.operator',
    ],
    [
      'an operator that the attribute does not take',
      ofConditions(country('DE', { operator: 'contains' })),
      'conditions.0.operator',
    ],
    ['a list for a single value', ofConditions(country(['DE'])), 'conditions.0.value'],
    ['an object for a value', ofConditions(country({ code: 'DE' })), 'conditions.0.value'],
    [
      'a wrong member of a list',
      ofConditions(country('DE'), country(['DE', 'AT', null], { operator: 'in' })),
      'conditions.1.value.2',
    ],
    [
      'a query parameter without a name',
      ofConditions({ attribute: 'query_param', operator: 'equals', value: 'x' }),
      'conditions.0.param',
    ],
    ['a name for no query parameter', ofConditions(country('DE', { param: 'x' })), 'conditions.0.param'],
    [
      'an unknown member of a condition',
      ofConditions(country('DE', { negate: true })),
      'conditions.0.negate',
    ],
    [
      'half a surrogate pair in a condition',
      ofConditions({ attribute: 'city', operator: 'equals', value: '\udc00' }),
      'conditions.0.value',
    ],
    [
      'a range of three',
      ofConditions({ attribute: 'hour_of_day', operator: 'between', value: [1, 2, 3] }),
      'conditions.0.value',
    ],
    [
      'a pattern that is none',
      ofConditions({ attribute: 'city', operator: 'regex', value: '(' }),
      'conditions.0.value',
    ],
    [
      'a time zone that does not exist',
      ofConditions(country('DE'), {
        attribute: 'hour_of_day',
        operator: 'equals',
        value: 9,
        timezone: 'Europe/Nowhere',
      }),
      'conditions.1.timezone',
    ],
    [
      'a time zone that is no string',
      ofConditions({ attribute: 'day_of_week', operator: 'equals', value: 1, timezone: 1 }),
      'conditions.0.timezone',
    ],
    [
      'null for a time zone',
      ofConditions({ attribute: 'day_of_week', operator: 'equals', value: 1, timezone: null }),
      'conditions.0.timezone',
    ],
    ['a time zone for a country', ofConditions(country('DE', { timezone: 'UTC' })), 'conditions.0.timezone'],
    ['more than 256 KiB', { conditions: conditionsOf(259 * 1024) }, 'conditions'],

    ['a start in words', { startDate: 'tomorrow' }, 'startDate'],
    ['an empty start', { startDate: '' }, 'startDate'],
    ['a start as a number', { startDate: 1_700_000_000 }, 'startDate'],
    ['a day that does not exist', { startDate: '2026-02-29' }, 'startDate'],
    ['a start before 1900', { startDate: '1899-12-31' }, 'startDate'],
    ['an end in words', { endDate: 'never' }, 'endDate'],
    ['an hour that does not exist', { endDate: '2026-01-01T25:00:00Z' }, 'endDate'],
    ['an end before its start', { startDate: '2026-01-02', endDate: '2026-01-01' }, 'endDate'],
    [
      'an end a moment before its start',
      { startDate: '2026-01-01T00:00:00.001Z', endDate: '2026-01-01T00:00:00Z' },
      'endDate',
    ],

    ['null for metadata', { metadata: null }, 'metadata'],
    ['a list for metadata', { metadata: ['a'] }, 'metadata'],
    ['51 members of metadata', { metadata: members(51) }, 'metadata'],
    ['a metadata key that is too long', { metadata: { ['k'.repeat(101)]: 1 } }, 'metadata'],
    ['an empty metadata key', { metadata: { '': 1 } }, 'metadata'],
    ['metadata that is too long', { metadata: { a: 'x'.repeat(1_001) } }, 'metadata.a'],
    ['null in metadata', { metadata: { a: null } }, 'metadata.a'],
    ['an object in metadata', { metadata: { a: {} } }, 'metadata.a'],
    ['U+0000 in metadata', { metadata: { a: '\0' } }, 'metadata.a'],
    ['U+0000 in a metadata key', { metadata: { 'a\0': 1 } }, 'metadata'],
  ])('must not have %s', async (_what, body, field) => {
    const before = await area.list(user, redirectId);
    const answer = await area.create(user, redirectId, body);
    expect(answer).toMatchObject({ status: 422, json: { error: { code: 'VALIDATION_ERROR', field } } });
    expect(answer.json.error.message.length).toBeGreaterThan(15);
    expect(await area.list(user, redirectId)).toEqual(before);
  });

  test.each<[string, object, RegExp]>([
    ['actions', { action: { type: 'block', url } }, /redirect, percentage_redirect, ab_test/],
    ['the action of a type', { type: 'percentage' }, /percentage_redirect/],
    ['shares', ofPercentage(0), /over 0.*100/],
    ['sums', ofAbTest([variant('a', 50), variant('b', 40)]), /100.*90/],
    ['dates', { startDate: 'x' }, /2026-01-31T08:00:00Z.*2026-01-31/],
    ['metadata', { metadata: { a: null } }, /string.*number.*true or false/],
  ])('is told which %s would be accepted', async (_what, body, words) => {
    const answer = await area.create(user, redirectId, body);
    expect(answer.json.error.message).toMatch(words);
  });

  test.each([
    ['__proto__ in metadata', '{"metadata":{"__proto__":1}}'],
    [
      '__proto__ in an action',
      '{"action":{"type":"redirect","url":"https://x.example","__proto__":{"url":1}}}',
    ],
    ['__proto__ in a condition', '{"conditions":[{"__proto__":{"attribute":"country"}}]}'],
  ])('with %s is malformed', async (_what, body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await area.api.call('POST', `/rules/redirect/${redirectId}`, {
      token: user.token,
      body,
      headers,
    });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'INVALID_REQUEST' } } });
  });
});

describe('a changed rule', () => {
  const change = (rule: RuleRecord, body: object) =>
    area.api.call('PUT', `/rules/${rule.id}`, { token: user.token, body });

  test.each<[string, 'force' | 'split', object, string]>([
    ['a type that its action does not fit', 'force', { type: 'percentage' }, 'type'],
    ['an action that its type does not fit', 'force', { action: abTest() }, 'action.type'],
    [
      'a type and an action that do not fit',
      'force',
      { type: 'percentage', action: abTest() },
      'action.type',
    ],
    ['a type alone that would need another action', 'split', { type: 'force' }, 'type'],
    [
      'a split that does not sum up',
      'split',
      { action: abTest([variant('a', 1), variant('b', 1)]) },
      'action.variants',
    ],
    ['null for an action', 'split', { action: null }, 'action'],
    ['no name', 'force', { name: '' }, 'name'],
    ['a condition that is none', 'force', ofConditions(country('Germany')), 'conditions.0.value'],
    ['a priority below 0', 'force', { priority: -1 }, 'priority'],
    ['an unknown member', 'force', { colour: 'red' }, 'colour'],
    ['dates the wrong way round', 'force', { startDate: '2026-01-02', endDate: '2026-01-01' }, 'endDate'],
    ['more than 256 KiB', 'force', { conditions: conditionsOf(259 * 1024) }, 'conditions'],
  ])('must not get %s', async (_what, which, body, field) => {
    const rule = which === 'force' ? force : split;
    expect(await change(rule, body)).toMatchObject({
      status: 422,
      json: { error: { code: 'VALIDATION_ERROR', field } },
    });
    expect(await area.list(user, redirectId)).toContainEqual(rule);
  });

  test('must fit what it already has, or the date that was sent is named', async () => {
    const rule = await area.createRule(user, redirectId, { startDate: '2026-03-01' });
    expect(await change(rule, { endDate: '2026-02-28' })).toMatchObject({
      status: 422,
      json: { error: { field: 'endDate' } },
    });
    expect(await change(rule, { endDate: '2026-03-01' })).toMatchObject({ status: 200 });
    expect(await change(rule, { startDate: '2026-03-02' })).toMatchObject({
      status: 422,
      json: { error: { field: 'startDate', message: expect.stringMatching(/^startDate .* after endDate/) } },
    });
    const { startDate, endDate } = { startDate: '2026-04-02', endDate: '2026-04-01' };
    expect(await change(rule, { startDate, endDate })).toMatchObject({
      json: { error: { field: 'endDate' } },
    });
    expect(await change(rule, { startDate: '2026-03-02', endDate: null })).toMatchObject({ status: 200 });
  });

  test('may change type and action together, and says what would fit when it changes one', async () => {
    const rule = await area.createRule(user, redirectId);
    const refused = await change(rule, { type: 'ab_experiment' });
    expect(refused.json.error.message).toMatch(/force.*redirect.*ab_test/);
    expect(await change(rule, { type: 'ab_experiment', action: abTest() })).toMatchObject({ status: 200 });
    expect(await change(rule, { type: 'ab_experiment' })).toMatchObject({ status: 200 });
  });

  test.each([{ status: 'paused' }, { status: null }, {}, { name: 'b' }])(
    'does not get its status by %j',
    async (body) => {
      const answer = await area.api.call('PUT', `/rules/${force.id}/status`, { token: user.token, body });
      expect(answer).toMatchObject({
        status: 422,
        json: { error: { code: 'VALIDATION_ERROR', field: 'status' } },
      });
    },
  );
});

describe('a new order', () => {
  test.each<[string, (ids: number[]) => unknown, RegExp, string?]>([
    ['a rule missing', (ids) => ids.slice(1), /missing: \d+/],
    ['none', () => [], /missing/],
    ['an unknown rule', (ids) => [...ids, 999_999_999], /unknown: 999999999/],
    ['a rule twice', (ids) => [...ids, ids[0]], /repeated: \d+/],
    ['more ids than could be', (ids) => [...ids, ...Array(90_000).fill(ids[0])], /repeated: \d+/],
    ['a number that is no id', (ids) => [...ids, -1], /unknown: -1/],
    ['an id as text', (ids) => ids.map(String), /whole number/, 'ruleIds.0'],
    ['half an id', (ids) => [...ids.slice(0, 1), 1.5], /whole number/, 'ruleIds.1'],
    ['null', () => null, /list of rule ids/],
  ])('must not have %s', async (_what, ruleIds, words, field = 'ruleIds') => {
    const before = await area.list(user, redirectId);
    const answer = await area.api.call('PUT', `/rules/redirect/${redirectId}/reorder`, {
      token: user.token,
      body: { ruleIds: ruleIds(before.map(({ id }) => id)) },
    });
    expect(answer).toMatchObject({ status: 422, json: { error: { code: 'VALIDATION_ERROR', field } } });
    expect(answer.json.error.message).toMatch(words);
    expect(await area.list(user, redirectId)).toEqual(before);
  });

  test('names only the first of many ids', async () => {
    const answer = await area.api.call('PUT', `/rules/redirect/${redirectId}/reorder`, {
      token: user.token,
      body: { ruleIds: Array.from({ length: 5_000 }, (_, index) => 900_000_000 + index) },
    });
    expect(answer.json.error.message).toMatch(/and 4990 more/);
    expect(answer.json.error.message.length).toBeLessThan(500);
  });
});
