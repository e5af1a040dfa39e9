import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ATTRIBUTES, OPERATORS } from '../../../shared/rules/attributes.js';
import { parseCondition } from '../../../shared/rules/parse-condition.js';
import type { TestUser } from '../../http/api.fixture.js';
import { createAttributeValuesReader } from '../analytics/attribute-values.js';
import { createAttributeRoutes } from './attribute-routes.js';
import type { AttributeRecord, AttributeValue } from './attribute-schema.js';
import { type RuleAnalyticsApi, startRuleAnalyticsApi } from './rule-analytics.fixture.js';

const NOW = new Date('2026-03-18T21:40:00Z');

let area: RuleAnalyticsApi;
let user: TestUser;

beforeAll(async () => {
  area = await startRuleAnalyticsApi(({ redirects }, store) => [
    createAttributeRoutes(redirects, createAttributeValuesReader(store, { clock: () => NOW })),
  ]);
  user = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

const get = (url: string, token = user.token) => area.api.call('GET', url, { token });

async function attributesOf(query = ''): Promise<Map<string, AttributeRecord>> {
  const answer = await get(`/rules/attributes${query}`);
  expect(answer.status, answer.body).toBe(200);
  const categories: readonly { attributes: AttributeRecord[] }[] = Object.values(answer.json.attributes);
  return new Map(categories.flatMap(({ attributes }) => attributes).map((record) => [record.key, record]));
}

async function valuesOf(redirectId: string, attribute: string, query = ''): Promise<AttributeValue[]> {
  const answer = await get(`/rules/redirect/${redirectId}/attributes/${attribute}/values${query}`);
  expect(answer.status, answer.body).toBe(200);
  expect(answer.json.attribute).toBe(attribute);
  return answer.json.values;
}

/** Creates a redirect with a hit for each of these. */
async function redirectWithHits(hits: readonly object[]): Promise<string> {
  const { id } = await area.createRedirect(user);
  await area.record(hits.map((hit) => ({ redirect_id: id, timestamp: '2026-03-18 12:00:00.000', ...hit })));
  return id;
}

const HITS = [
  { country: 'FR', city: 'Lyon', path: '/b' },
  { country: 'FR', city: 'Paris', path: '/a' },
  { country: 'FR', city: 'Paris', path: '/a' },
  { country: 'DE', city: '', path: '/a' },
  { country: 'XX', city: '', path: '/a' },
  { country: 'XX', city: '', path: '/a' },
];

describe('the list of attributes', () => {
  test('has nine categories with all 19 attributes between them', async () => {
    const { json } = await get('/rules/attributes');
    const keysOf = Object.fromEntries(
      Object.entries<{ attributes: AttributeRecord[] }>(json.attributes).map(([category, { attributes }]) => [
        category,
        attributes.map(({ key }) => key),
      ]),
    );
    expect(keysOf).toEqual({
      geography: ['country', 'region', 'city'],
      device: ['device_type', 'device_brand', 'device_model'],
      browser: ['browser_name', 'browser_version'],
      system: ['os_name', 'os_version'],
      traffic: ['referrer', 'referrer_domain'],
      time: ['hour_of_day', 'day_of_week'],
      language: ['language'],
      url: ['url_path', 'query_param'],
      technical: ['user_agent', 'ip_address'],
    });
    expect(json.attributes.geography).toMatchObject({
      name: 'Geography',
      description: expect.stringMatching(/./),
      icon: '🌍',
      iconName: 'globe',
    });
  });

  test('says of each attribute how it is compared', async () => {
    const records = await attributesOf();
    expect([...records.keys()].sort()).toEqual(Object.keys(ATTRIBUTES).sort());
    for (const [key, { type, operators }] of Object.entries(ATTRIBUTES)) {
      expect(records.get(key)).toMatchObject({ type, operators });
    }
    const needParam = [...records.values()].filter(({ requiresParam }) => requiresParam === true);
    expect(needParam.map(({ key }) => key)).toEqual(['query_param']);
    const takeTimezone = [...records.values()].filter(({ acceptsTimezone }) => acceptsTimezone === true);
    expect(takeTimezone.map(({ key }) => key)).toEqual(['hour_of_day', 'day_of_week']);
  });

  test('tells of the 17 operators what values they take', async () => {
    const { json } = await get('/rules/attributes');
    expect(json.operators.map(({ key }: { key: string }) => key)).toEqual(OPERATORS);
    expect(json.operators).toHaveLength(17);
    const valueTypes = new Map<string, string>(
      json.operators.map(({ key, valueType }: { key: string; valueType: string }) => [key, valueType]),
    );
    const unlikeMost = [...valueTypes].filter(([, valueType]) => valueType !== 'single');
    expect(Object.fromEntries(unlikeMost)).toEqual({
      in: 'array',
      not_in: 'array',
      between: 'range',
      exists: 'none',
      not_exists: 'none',
    });
    const symbols = new Set(json.operators.map(({ symbol }: { symbol: string }) => symbol));
    expect(symbols.size).toBe(17);
  });

  test.each([
    ['country', { value: 'DE', label: 'Germany' }],
    ['device_type', { value: 'mobile', label: 'Mobile' }],
    ['browser_name', { value: 'Firefox', label: 'Firefox' }],
    ['os_name', { value: 'Windows', label: 'Windows' }],
    ['hour_of_day', { value: '9', label: '09:00 to 09:59' }],
    ['day_of_week', { value: '0', label: 'Sunday' }],
    ['language', { value: 'de', label: 'German' }],
  ])('offers usual values of %s', async (key, value) => {
    expect((await attributesOf()).get(key)?.predefinedValues).toContainEqual(value);
  });

  test('offers only values that a condition takes, each once', async () => {
    for (const { key, predefinedValues = [] } of (await attributesOf()).values()) {
      const values = predefinedValues.map(({ value }) => value);
      expect(new Set(values).size, key).toBe(values.length);
      for (const value of values) {
        expect(parseCondition({ attribute: key, operator: 'equals', value }), key).toMatchObject({
          ok: true,
        });
      }
    }
  });

  test('offers no usual values of what has none', async () => {
    const records = await attributesOf();
    for (const key of ['region', 'city', 'url_path', 'query_param', 'user_agent', 'ip_address', 'referrer']) {
      expect(records.get(key)).not.toHaveProperty('predefinedValues');
    }
  });

  test('shows values of hits only of a redirect that is named', async () => {
    await redirectWithHits(HITS);
    for (const { key, predefinedValues, availableValues } of (await attributesOf()).values()) {
      const usual = predefinedValues?.map((value) => ({ ...value, source: 'predefined' }));
      expect(availableValues, key).toEqual(usual);
    }
  });

  test('has an emoji for each category', async () => {
    const { json } = await get('/rules/attributes');
    for (const { icon, iconName } of Object.values<{ icon: string; iconName: string }>(json.attributes)) {
      expect(icon).toMatch(/^\p{Extended_Pictographic}\uFE0F?$/u);
      expect(iconName).toMatch(/^[a-z\d-]+$/);
    }
  });

  test('shows values of hits of the redirect, the most frequent first', async () => {
    const id = await redirectWithHits(HITS);
    const records = await attributesOf(`?redirectId=${id}`);
    const countries = records.get('country')?.availableValues ?? [];
    expect(countries.slice(0, 3)).toEqual([
      { value: 'FR', label: 'France', source: 'analytics', count: 3 },
      { value: 'XX', label: 'XX', source: 'analytics', count: 2 },
      { value: 'DE', label: 'Germany', source: 'analytics', count: 1 },
    ]);
    expect(countries).toContainEqual({ value: 'JP', label: 'Japan', source: 'predefined' });
    expect(countries.filter(({ value }) => value === 'FR')).toHaveLength(1);
    expect(records.get('city')?.availableValues).toEqual([
      { value: 'Paris', label: 'Paris', source: 'analytics', count: 2 },
      { value: 'Lyon', label: 'Lyon', source: 'analytics', count: 1 },
    ]);
    expect(records.get('url_path')?.availableValues).toMatchObject([{ value: '/a' }, { value: '/b' }]);
    for (const key of ['region', 'query_param', 'ip_address']) {
      expect(records.get(key)).not.toHaveProperty('availableValues');
    }
  });

  test('shows at most 100 values of hits for each attribute', async () => {
    const id = await redirectWithHits(Array.from({ length: 101 }, (_, n) => ({ city: `city ${n}` })));
    expect((await attributesOf(`?redirectId=${id}`)).get('city')?.availableValues).toHaveLength(100);
  });

  test('shows the usual values while the store is away', async () => {
    const id = await redirectWithHits(HITS);
    area.cutStore(true);
    try {
      const country = (await attributesOf(`?redirectId=${id}`)).get('country');
      expect(country?.availableValues).toContainEqual({
        value: 'FR',
        label: 'France',
        source: 'predefined',
      });
    } finally {
      area.cutStore(false);
    }
  });
});

describe('the values of an attribute', () => {
  test('are those of hits, then usual ones that no hit has', async () => {
    const values = await valuesOf(await redirectWithHits(HITS), 'country');
    expect(values.slice(0, 3)).toEqual([
      { value: 'FR', label: 'France', source: 'analytics', count: 3 },
      { value: 'XX', label: 'XX', source: 'analytics', count: 2 },
      { value: 'DE', label: 'Germany', source: 'analytics', count: 1 },
    ]);
    const usual = values.slice(3);
    expect(usual).toContainEqual({ value: 'AT', label: 'Austria', source: 'predefined' });
    expect(new Set(usual.map(({ source }) => source))).toEqual(new Set(['predefined']));
    expect(new Set(values.map(({ value }) => value)).size).toBe(values.length);
  });

  test('are the usual ones where no hit tells any', async () => {
    const values = await valuesOf(await redirectWithHits(HITS), 'day_of_week');
    expect(values.map(({ value }) => value)).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  test('of a query parameter are those of the one that is named', async () => {
    const id = await redirectWithHits([{ query: 'ref=a' }, { query: 'ref=b&x=1' }, { query: 'ref=b' }]);
    expect(await valuesOf(id, 'query_param', '?param=ref')).toEqual([
      { value: 'b', label: 'b', source: 'analytics', count: 2 },
      { value: 'a', label: 'a', source: 'analytics', count: 1 },
    ]);
    expect(await valuesOf(id, 'query_param', '?param=Ref')).toEqual([]);
    expect(await valuesOf(id, 'query_param')).toEqual([]);
    area.cutStore(true);
    try {
      expect(await valuesOf(id, 'query_param', '?param=ref')).toEqual([]);
    } finally {
      area.cutStore(false);
    }
  });

  test.each(['', 'x'.repeat(2_049)])(
    'of a query parameter need a name of 1 to 2,048 characters',
    async (param) => {
      const { id } = await area.createRedirect(user);
      expect(await get(`/rules/redirect/${id}/attributes/query_param/values?param=${param}`)).toMatchObject({
        status: 400,
        json: { error: { code: 'INVALID_REQUEST', field: 'param' } },
      });
    },
  );

  test.each(['query_param', 'ip_address', 'region'])('are none of %s', async (attribute) => {
    expect(await valuesOf(await redirectWithHits(HITS), attribute)).toEqual([]);
  });

  test('are the usual ones while the store is away', async () => {
    const id = await redirectWithHits(HITS);
    area.cutStore(true);
    try {
      expect(await valuesOf(id, 'country')).toContainEqual({
        value: 'FR',
        label: 'France',
        source: 'predefined',
      });
    } finally {
      area.cutStore(false);
    }
  });

  test.each(['county', 'constructor', '__proto__'])('of %s there are none: 404', async (attribute) => {
    const { id } = await area.createRedirect(user);
    expect(await get(`/rules/redirect/${id}/attributes/${attribute}/values`)).toMatchObject({
      status: 404,
      json: { error: { code: 'NOT_FOUND', message: expect.stringContaining('country, region, city') } },
    });
  });
});

describe('who may ask', () => {
  const paths = [
    (id: string) => `/rules/attributes?redirectId=${id}`,
    (id: string) => `/rules/redirect/${id}/attributes/country/values`,
  ];

  test.each(paths)('only the owner of the redirect (%#)', async (path) => {
    const { id } = await area.createRedirect(user);
    const other = await area.api.createUser();
    expect(await get(path(id), other.token)).toMatchObject({
      status: 403,
      json: { error: { code: 'FORBIDDEN' } },
    });
    expect(await get(path('nobodys'))).toMatchObject({ status: 404, json: { error: { code: 'NOT_FOUND' } } });
  });

  test.each([...paths, () => '/rules/attributes'])('a token that may read redirects (%#)', async (path) => {
    const { id } = await area.createRedirect(user);
    const reader = await area.api.createToken(user.id, { scopes: ['redirects:read'] });
    const analyst = await area.api.createToken(user.id, { scopes: ['analytics:read'] });
    expect((await get(path(id), reader)).status).toBe(200);
    expect(await get(path(id), analyst)).toMatchObject({ json: { error: { code: 'INSUFFICIENT_SCOPE' } } });
  });

  test.each(['', '%20'])('not about a redirect without an id (%j)', async (id) => {
    expect(await get(`/rules/attributes?redirectId=${id}`)).toMatchObject({
      status: 400,
      json: { error: { code: 'INVALID_REQUEST', field: 'redirectId' } },
    });
  });
});
