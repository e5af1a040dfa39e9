import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnalyticsApp, createAnalyticsApp } from './analytics-app.fixture.js';
import { HIT_FILTERS } from './hit-filters.js';
import { FILTERS } from './oracle/filters.fixture.js';
import { variedHits } from './questions/question-rules.fixture.js';
import { QUESTIONS } from './questions/questions.js';
import { makeRollUps, readsSingleHits } from './roll-ups.fixture.js';

const REDIRECT = 'rd_filters';
const PERIOD = 'start=2026-01-31&end=2026-02-05';
let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
  await app.record(variedHits(REDIRECT, 500));
  await makeRollUps(app.test);
});
afterAll(() => app.close());

interface Refused {
  readonly error: { readonly code: string; readonly field: string; readonly message: string };
}

const PATHS = [...QUESTIONS.map(({ path }) => path), 'hits'];

describe('filters', () => {
  it('are all put to random traffic', () => {
    expect(Object.keys(FILTERS)).toEqual(Object.keys(HIT_FILTERS));
  });

  it.each(PATHS)('are taken by %s', async (path) => {
    const { status } = await app.get(
      `${REDIRECT}/${path}?${PERIOD}&country=DE&device=mobile&referrer=direct`,
    );
    expect(status).toBe(200);
  });

  it.each([
    ['country', 'deu', 'a country code of two capital letters, or unknown'],
    ['device', 'phone', 'mobile'],
    ['statusCode', '99', '100'],
    ['ruleId', '0', '1'],
    ['entryId', 'x', 'a whole number from 1'],
    ['path', '', '1'],
    ['countries', 'DE', 'country, region, city, device, browser, os, language, referrer, source'],
  ])('are refused by name: %s=%s', async (field, value, accepted) => {
    for (const path of ['stats/basic', 'stats/geo', 'dashboard', 'hits']) {
      const { status, body } = await app.get(`${REDIRECT}/${path}?${field}=${value}`);
      const { error } = body as Refused;
      expect([path, status, error.field]).toEqual([path, 400, field]);
      expect(error.message).toContain(accepted);
    }
  });

  it.each([
    ['stats/geo?country=DE', true],
    ['stats/basic?statusCode=301', true],
    ['stats/paths?path=/1', true],
    ['stats/geo?groupBy=city&country=DE&region=DE-Bavaria', true],
    ['stats/basic?country=DE', false],
    ['stats/geo?device=mobile', false],
    ['stats/entries?ruleId=2&country=DE', false],
  ])('%s is answered from a roll-up: %s', async (path, isFromRollUp) => {
    const selects = await app.selectsFor(`${REDIRECT}/${path}&${PERIOD}`);
    const reading: boolean[] = [];
    for (const select of selects) reading.push(await readsSingleHits(app.test, select));
    expect(reading.some(Boolean)).toBe(!isFromRollUp);
  });
});
