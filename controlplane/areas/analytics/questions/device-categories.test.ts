import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface DeviceCategoriesAnswer {
  deviceCategories: { hits: number }[];
}

describeQuestionRules({
  app: () => app,
  path: 'stats/device-categories',
  noHits: {
    deviceCategories: [],
    summary: {
      totalDeviceCategories: 0,
      topDevice: null,
      mobilePercentage: 0,
      tabletPercentage: 0,
      desktopPercentage: 0,
    },
  },
  hitsIn: ({ deviceCategories }: DeviceCategoriesAnswer) =>
    deviceCategories.reduce((sum, { hits }) => sum + hits, 0),
});

const ask = async (redirectId: string, query = '') =>
  (await app.get(`${redirectId}/stats/device-categories?start=2026-01-01&${query}`)).body;

describe('device categories', () => {
  it('come by hits and then by name, whatever the browser', async () => {
    const redirect_id = 'rd_categories';
    const on = (device_type: string, browser_name: string, n: number) => ({
      redirect_id,
      device_type,
      browser_name,
      visitor_id: visitor(n),
    });
    await app.record([
      on('', '', 1),
      on('', 'Chrome', 1),
      on('mobile', 'Chrome', 1),
      on('mobile', 'Safari', 1),
      on('desktop', 'Chrome', 2),
      on('mobile', 'Safari', 3),
      on('tablet', 'Safari', 4),
      on('', 'Chrome', 5),
      { ...on('tablet', 'Safari', 6), is_bot: 1 },
    ]);
    expect(await ask(redirect_id)).toMatchObject({
      data: {
        deviceCategories: [
          { device: 'mobile', hits: 3, uniqueVisitors: 2, percentage: 37.5 },
          { device: 'unknown', hits: 3, uniqueVisitors: 2, percentage: 37.5 },
          { device: 'desktop', hits: 1, uniqueVisitors: 1, percentage: 12.5 },
          { device: 'tablet', hits: 1, uniqueVisitors: 1, percentage: 12.5 },
        ],
        summary: {
          totalDeviceCategories: 4,
          topDevice: 'mobile',
          mobilePercentage: 37.5,
          tabletPercentage: 12.5,
          desktopPercentage: 12.5,
        },
      },
    });
  });
});
