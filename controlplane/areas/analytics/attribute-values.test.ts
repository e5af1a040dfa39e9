import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTRIBUTES, type TextAttribute } from '../../../shared/rules/attributes.js';
import type { HitOptions } from '../../ingest/hit-batch.fixture.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import { type AnalyticsApp, createAnalyticsApp, NOW } from './analytics-app.fixture.js';
import {
  type AttributeValuesReader,
  createAttributeValuesReader,
  MAX_HITS_WITH_QUERY,
} from './attribute-values.js';
import { makeRollUps, readsSingleHits, type Select } from './roll-ups.fixture.js';

let app: AnalyticsApp;
let reader: AttributeValuesReader;

beforeAll(async () => {
  app = await createAnalyticsApp();
  reader = createAttributeValuesReader(app.test.store, { clock: () => NOW });
});
afterAll(() => app.close());

const RECENT = '2026-03-15 10:00:00.000';

/** Stores today's hits of a redirect. They are equal except for the given members. */
const record = (redirect_id: string, hits: readonly HitOptions[]) =>
  app.record(hits.map((hit) => ({ redirect_id, timestamp: RECENT, ...hit })));

/** Members of a hit, and the resulting value of the attribute. */
const VALUES: readonly [TextAttribute, HitOptions, string][] = [
  ['country', { country: 'AT' }, 'AT'],
  ['region', { region: 'Vienna' }, 'Vienna'],
  ['city', { city: 'Wien' }, 'Wien'],
  ['device_type', { device_type: 'mobile' }, 'mobile'],
  ['device_brand', { device_brand: 'Apple' }, 'Apple'],
  ['device_model', { device_model: 'iPhone' }, 'iPhone'],
  ['browser_name', { browser_name: 'Mobile Safari' }, 'Mobile Safari'],
  ['browser_version', { browser_version: '17.5' }, '17.5'],
  ['os_name', { os_name: 'iOS' }, 'iOS'],
  ['os_version', { os_version: '17.5.1' }, '17.5.1'],
  ['referrer', { referrer: "https://a.example/?q='x'" }, "https://a.example/?q='x'"],
  ['referrer_domain', { referrer_domain: 'a.example' }, 'a.example'],
  ['language', { language: 'de-AT' }, 'de-AT'],
  ['url_path', { path: '/%C3%BC' }, '/%C3%BC'],
  ['user_agent', { user_agent: 'Firefox' }, 'Firefox'],
];

describe('the values of an attribute', () => {
  it('are tested below for every attribute that visitors have one text of', () => {
    const severalOrNoText = ['hour_of_day', 'day_of_week', 'query_param', 'ip_address'];
    const expected = Object.keys(ATTRIBUTES).filter((attribute) => !severalOrNoText.includes(attribute));
    expect(VALUES.map(([attribute]) => attribute).sort()).toEqual(expected.sort());
  });

  it.each(VALUES)('%s are those of the recorded hits', async (attribute, hit, value) => {
    const redirect = `rd_${attribute}`;
    await record(redirect, [hit, hit]);
    expect(await reader.valuesOf(redirect, attribute, 10)).toEqual([{ value, count: 2 }]);
  });

  it('come by how frequent they are, then by name, no more than asked for, and without the unknown', async () => {
    const countries = ['DE', '', 'FR', 'AT', 'FR', '', '', 'CH', 'FR', 'CH', 'BE'];
    await record(
      'rd_order',
      countries.map((country) => ({ country })),
    );
    expect(await reader.valuesOf('rd_order', 'country', 4)).toEqual([
      { value: 'FR', count: 3 },
      { value: 'CH', count: 2 },
      { value: 'AT', count: 1 },
      { value: 'BE', count: 1 },
    ]);
  });

  it('are those of bots, too, of this redirect alone, and of today and the 90 days before', async () => {
    await record('rd_other', [{ city: 'Elsewhere' }]);
    await record('rd_days', [
      { city: 'Today', is_bot: 1, bot_reason: 'head' },
      { city: 'Today' },
      { city: 'Day 90', timestamp: '2025-12-15 00:00:00.000' },
      { city: 'Too old', timestamp: '2025-12-14 23:59:59.999' },
      { city: 'To come', timestamp: '2026-03-16 00:00:00.000' },
    ]);
    expect(await reader.valuesOf('rd_days', 'city', 10)).toEqual([
      { value: 'Today', count: 2 },
      { value: 'Day 90', count: 1 },
    ]);
  });

  it('are none without hits', async () => {
    expect(await reader.valuesOf('rd_unknown', 'country', 10)).toEqual([]);
  });
});

describe('the values of a query parameter', () => {
  it('are those of its own name as conditions read them, by how many hits have each', async () => {
    const queries = [
      'ref=a&x=1',
      'ref=a&ref=a&ref=b',
      'r%65f=a',
      'ref=two+words',
      'ref=%C3%BC',
      'ref=&x=1',
      'Ref=c',
      'xref=d',
      '',
    ];
    await record(
      'rd_params',
      queries.map((query) => ({ query })),
    );
    expect(await reader.valuesOfParam('rd_params', 'ref', 10)).toEqual([
      { value: 'a', count: 3 },
      { value: 'b', count: 1 },
      { value: 'two words', count: 1 },
      { value: 'ü', count: 1 },
    ]);
    expect(await reader.valuesOfParam('rd_params', 'ref', 1)).toEqual([{ value: 'a', count: 3 }]);
    expect(await reader.valuesOfParam('rd_params', 'none', 10)).toEqual([]);
  });

  it('leave out what is masked', async () => {
    await record('rd_masked', [{ query: 'ref=***&next=%3Ftoken%3D***' }, { query: 'ref=a' }]);
    expect(await reader.valuesOfParam('rd_masked', 'ref', 10)).toEqual([{ value: 'a', count: 1 }]);
    expect(await reader.valuesOfParam('rd_masked', 'next', 10)).toEqual([]);
  });

  it('are those of this redirect, of today and the 90 days before', async () => {
    await record('rd_other_params', [{ query: 'ref=elsewhere' }]);
    await record('rd_param_days', [
      { query: 'ref=today', is_bot: 1, bot_reason: 'head' },
      { query: 'ref=day-90', timestamp: '2025-12-15 00:00:00.000' },
      { query: 'ref=too-old', timestamp: '2025-12-14 23:59:59.999' },
    ]);
    const values = await reader.valuesOfParam('rd_param_days', 'ref', 10);
    expect(values.map(({ value }) => value)).toEqual(['day-90', 'today']);
  });

  it('are those of the newest hits that have a query alone', async () => {
    const redirect = 'rd_many_params';
    await record(redirect, [{ query: 'ref=old', timestamp: '2026-03-14 00:00:00.000' }]);
    await app.test.store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, query)
       SELECT {redirect:String}, number, {redirect:String}, toDateTime64('2026-03-15 01:00:00.000', 3, 'UTC'),
         if(number % 2 = 0, '', 'ref=new')
       FROM numbers({hits:UInt64})`,
      { redirect, hits: 2 * MAX_HITS_WITH_QUERY },
    );
    expect(await reader.valuesOfParam(redirect, 'ref', 10)).toEqual([
      { value: 'new', count: MAX_HITS_WITH_QUERY },
    ]);
  });
});

describe('the values of all attributes', () => {
  it('are what each one gives by itself', async () => {
    const hits = Array.from({ length: 30 }, (_, n) =>
      Object.assign({ path: `/${n % 7}` }, ...VALUES.slice(0, n % VALUES.length).map(([, hit]) => hit)),
    );
    await record('rd_all', hits);
    const all = await reader.allValuesOf('rd_all', 5);
    expect(all.size).toBe(VALUES.length);
    for (const [attribute] of VALUES) {
      expect(all.get(attribute), attribute).toEqual(await reader.valuesOf('rd_all', attribute, 5));
    }
    expect(all.get('country')).toEqual([{ value: 'AT', count: 28 }]);
    expect(all.get('url_path')).toHaveLength(5);
  });

  it('are answered without a look at single hits', async () => {
    await record('rd_rolled_up', [Object.assign({}, ...VALUES.map(([, hit]) => hit))]);
    await makeRollUps(app.test);
    const selects: Select[] = [];
    const store: AnalyticsStore = {
      ...app.test.store,
      query(sql, params = {}) {
        selects.push({ sql, params });
        return app.test.store.query(sql, params);
      },
    };
    const all = await createAttributeValuesReader(store, { clock: () => NOW }).allValuesOf('rd_rolled_up', 5);
    expect([...all.values()].map(([value]) => value?.count)).toEqual(VALUES.map(() => 1));
    const reads = await Promise.all(selects.map((select) => readsSingleHits(app.test, select)));
    expect(reads).toEqual([false]);
  });

  it('are empty without hits', async () => {
    const all = await reader.allValuesOf('rd_unknown', 10);
    expect(new Set([...all.values()].map((values) => values.length))).toEqual(new Set([0]));
  });

  it('are not waited for when the store is busy', async () => {
    const store: AnalyticsStore = { ...app.test.store, query: () => new Promise(() => {}) };
    const impatient = createAttributeValuesReader(store, { timeoutMs: 10 });
    const failure = { failure: 'unavailable', message: 'no answer within 10 ms' };
    await expect(impatient.allValuesOf('rd_all', 10)).rejects.toMatchObject(failure);
  });

  it('are read by a statement that ends when nobody waits for it any more', async () => {
    const limits: unknown[] = [];
    const store: AnalyticsStore = {
      ...app.test.store,
      query: (sql, params, limit) => {
        limits.push(limit);
        return app.test.store.query(sql, params, limit);
      },
    };
    await createAttributeValuesReader(store, { timeoutMs: 9_000 }).valuesOf('rd_all', 'country', 10);
    expect(limits).toEqual([{ withinMs: 9_000 }]);
  });
});
