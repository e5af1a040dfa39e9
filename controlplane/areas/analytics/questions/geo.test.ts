import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface Location {
  code: string;
  name: string;
  hits: number;
  percentage: number;
  coordinates?: { latitude: number; longitude: number };
}

interface GeoAnswer {
  data: { locations: Location[]; summary: object };
  meta: object;
}

describe.each(['country', 'region', 'city'])('places by %s', (groupBy) => {
  describeQuestionRules({
    app: () => app,
    path: 'stats/geo',
    query: `groupBy=${groupBy}`,
    noHits: { locations: [], summary: { totalLocations: 0, topLocation: null, coverage: 0 } },
    hitsIn: ({ locations }: GeoAnswer['data']) => locations.reduce((sum, { hits }) => sum + hits, 0),
  });
});

describe('places of visitors', () => {
  const geo = async (redirectId: string, query = '') =>
    (await app.get(`${redirectId}/stats/geo?start=2026-01-01&${query}`)).body as GeoAnswer;

  it('are countries by default, with their names and where they are, and shares of what is known', async () => {
    const redirect_id = 'rd_countries';
    await app.record([
      { redirect_id, country: 'DE', visitor_id: visitor(1) },
      { redirect_id, country: 'DE', visitor_id: visitor(1) },
      { redirect_id, country: 'AT', visitor_id: visitor(2) },
      { redirect_id, country: '', visitor_id: visitor(3) },
    ]);
    const { data, meta } = await geo(redirect_id);
    expect(data).toEqual({
      locations: [
        {
          code: 'DE',
          name: 'Germany',
          hits: 2,
          uniqueVisitors: 1,
          percentage: 66.67,
          coordinates: { latitude: 51, longitude: 10.4 },
        },
        {
          code: 'AT',
          name: 'Austria',
          hits: 1,
          uniqueVisitors: 1,
          percentage: 33.33,
          coordinates: { latitude: 47.6, longitude: 14.1 },
        },
      ],
      summary: { totalLocations: 2, topLocation: 'Germany', coverage: 75 },
    });
    expect(meta).toMatchObject({ redirectId: redirect_id, groupBy: 'country' });
  });

  it('are cities with coordinates where these are known', async () => {
    const redirect_id = 'rd_coordinates';
    const place = (ordinal: number, city: string, latitude: number, longitude: number) =>
      `('geo-1', ${ordinal}, '${redirect_id}', '2026-02-03 04:05:06.000', 1, 'DE', '${city}', ${latitude}, ${longitude})`;
    const places = [
      place(1, 'Munich', 48.1374, 11.5755),
      place(2, 'Munich', 0, 0),
      place(3, 'Nowhere', 0, 0),
      place(4, 'Sydney', -33.8678, 151.2073),
    ];
    await app.test.store.command(
      `INSERT INTO hits (producer_id, ordinal, redirect_id, timestamp, sampling_rate, country, city, latitude, longitude)
       VALUES ${places.join(', ')}`,
    );
    const coordinatesBy = async (groupBy: string) => {
      const { data } = await geo(redirect_id, `groupBy=${groupBy}`);
      return data.locations.map(({ name, coordinates }) => [name, coordinates]);
    };
    expect(await coordinatesBy('city')).toEqual([
      ['Munich', { latitude: 48.1374, longitude: 11.5755 }],
      ['Nowhere', undefined],
      ['Sydney', { latitude: -33.8678, longitude: 151.2073 }],
    ]);
    expect(await coordinatesBy('country')).toEqual([['Germany', { latitude: 51, longitude: 10.4 }]]);
  });

  it('tell regions and cities of one name apart by what they lie in', async () => {
    const redirect_id = 'rd_springfields';
    const springfield = { redirect_id, country: 'US', city: 'Springfield' };
    await app.record([
      { ...springfield, region: 'Illinois' },
      { ...springfield, region: 'Illinois' },
      { ...springfield, region: 'Oregon' },
      { ...springfield, region: '' },
      { redirect_id, country: 'US' },
      { redirect_id, country: 'LU', region: 'Luxembourg' },
      { redirect_id, country: 'BE', region: 'Luxembourg' },
      { redirect_id },
    ]);
    const cities = await geo(redirect_id, 'groupBy=city');
    expect(cities.data).toEqual({
      locations: [
        { code: 'US-Illinois-Springfield', name: 'Springfield', hits: 2, uniqueVisitors: 1, percentage: 50 },
        { code: 'US--Springfield', name: 'Springfield', hits: 1, uniqueVisitors: 1, percentage: 25 },
        { code: 'US-Oregon-Springfield', name: 'Springfield', hits: 1, uniqueVisitors: 1, percentage: 25 },
      ],
      summary: { totalLocations: 3, topLocation: 'Springfield', coverage: 50 },
    });
    expect(cities.meta).toMatchObject({ groupBy: 'city' });
    const regions = await geo(redirect_id, 'groupBy=region');
    expect(regions.data.locations.map(({ code, hits }) => [code, hits])).toEqual([
      ['US-Illinois', 2],
      ['BE-Luxembourg', 1],
      ['LU-Luxembourg', 1],
      ['US-Oregon', 1],
    ]);
  });

  it('with as many hits come in the order of their codes, and those without a point on the map too', async () => {
    const redirect_id = 'rd_equals';
    await app.record(['ZW', 'AQ', 'XK', 'BR'].map((country) => ({ redirect_id, country })));
    const { locations } = (await geo(redirect_id)).data;
    expect(locations.map(({ code, name }) => [code, name])).toEqual([
      ['AQ', 'Antarctica'],
      ['BR', 'Brazil'],
      ['XK', 'Kosovo'],
      ['ZW', 'Zimbabwe'],
    ]);
    expect(locations[0]).not.toHaveProperty('coordinates');
  });

  it('are a thousand at most, whose shares are of all', async () => {
    const redirect_id = 'rd_cities';
    const city = (n: number) => ({ redirect_id, country: 'US', city: `City ${String(n).padStart(4, '0')}` });
    await app.record([city(1234), ...Array.from({ length: 1250 }, (_, n) => city(n))]);
    const { data } = await geo(redirect_id, 'groupBy=city');
    expect(data.locations).toHaveLength(1000);
    expect(data.locations.slice(0, 2)).toMatchObject([
      { name: 'City 1234', hits: 2 },
      { name: 'City 0000', hits: 1 },
    ]);
    expect(data.summary).toEqual({ totalLocations: 1250, topLocation: 'City 1234', coverage: 100 });
    const sum = data.locations.reduce((total, { percentage }) => total + percentage, 0);
    expect(sum).toBeCloseTo((100 * 1001) / 1251, 1);
  });

  it('are grouped by nothing else', async () => {
    expect(await app.get('rd_1/stats/geo?groupBy=planet')).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', field: 'groupBy' } },
    });
  });
});
