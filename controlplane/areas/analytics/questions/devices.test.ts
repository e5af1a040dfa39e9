import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HitOptions } from '../../../ingest/hit-batch.fixture.js';
import { type AnalyticsApp, createAnalyticsApp } from '../analytics-app.fixture.js';
import { describeQuestionRules } from './question-rules.fixture.js';

let app: AnalyticsApp;

beforeAll(async () => {
  app = await createAnalyticsApp();
});
afterAll(() => app.close());

interface DeviceAnswer {
  data: {
    devices: { hits: number; percentage: number }[];
    operatingSystems: { name: string; version: string }[];
    browsers: { percentage: number }[];
    summary: object;
  };
}

const NO_DEVICES = {
  mobilePercentage: 0,
  desktopPercentage: 0,
  topDevice: null,
  topOS: null,
  topBrowser: null,
};

describeQuestionRules({
  app: () => app,
  path: 'stats/devices',
  noHits: { devices: [], operatingSystems: [], browsers: [], summary: NO_DEVICES },
  hitsIn: ({ devices }: DeviceAnswer['data']) => devices.reduce((sum, { hits }) => sum + hits, 0),
});

const PHONE: HitOptions = {
  device_type: 'mobile',
  os_name: 'iOS',
  os_version: '17.2',
  browser_name: 'Mobile Safari',
  browser_version: '17.2',
};
const COMPUTER: HitOptions = {
  device_type: 'desktop',
  os_name: 'Linux',
  browser_name: 'Firefox',
  browser_version: '121.0',
};

describe('devices of visitors', () => {
  const devices = async (redirectId: string) =>
    ((await app.get(`${redirectId}/stats/devices?start=2026-01-01`)).body as DeviceAnswer).data;

  it('are told by type, system and browser, each with its version', async () => {
    const redirect_id = 'rd_devices';
    const hits = [PHONE, PHONE, PHONE, { ...PHONE, os_version: '16.0' }, COMPUTER, COMPUTER, {}, {}];
    await app.record(hits.map((hit) => ({ ...hit, redirect_id })));
    expect(await devices(redirect_id)).toEqual({
      devices: [
        { type: 'mobile', hits: 4, percentage: 50 },
        { type: 'desktop', hits: 2, percentage: 25 },
        { type: 'unknown', hits: 2, percentage: 25 },
      ],
      operatingSystems: [
        { name: 'iOS', version: '17.2', hits: 3, percentage: 37.5 },
        { name: 'Linux', version: '', hits: 2, percentage: 25 },
        { name: 'unknown', version: '', hits: 2, percentage: 25 },
        { name: 'iOS', version: '16.0', hits: 1, percentage: 12.5 },
      ],
      browsers: [
        { name: 'Mobile Safari', version: '17.2', hits: 4, percentage: 50 },
        { name: 'Firefox', version: '121.0', hits: 2, percentage: 25 },
        { name: 'unknown', version: '', hits: 2, percentage: 25 },
      ],
      summary: {
        mobilePercentage: 50,
        desktopPercentage: 25,
        topDevice: 'mobile',
        topOS: 'iOS 17.2',
        topBrowser: 'Mobile Safari 17.2',
      },
    });
  });

  it('have no top where none is known, and no version where that is not known', async () => {
    await app.record([{ redirect_id: 'rd_unknown_device' }]);
    expect((await devices('rd_unknown_device')).summary).toEqual(NO_DEVICES);
    await app.record([...Array(3).fill({}), COMPUTER].map((hit) => ({ ...hit, redirect_id: 'rd_linux' })));
    expect((await devices('rd_linux')).summary).toMatchObject({
      topDevice: 'desktop',
      topOS: 'Linux',
      topBrowser: 'Firefox 121.0',
      desktopPercentage: 25,
    });
  });

  it('with as many hits come by name and then by version', async () => {
    const redirect_id = 'rd_equal_devices';
    const systems = ['Windows 10', 'Android 9', 'Android 14', 'Linux '].map((text) => text.split(' '));
    await app.record(
      systems.map(([os_name, os_version]) => ({ redirect_id, os_name: os_name!, os_version: os_version! })),
    );
    const { operatingSystems } = await devices(redirect_id);
    expect(operatingSystems.map(({ name, version }) => `${name} ${version}`.trim())).toEqual([
      'Android 14',
      'Android 9',
      'Linux',
      'Windows 10',
    ]);
  });

  it('of hundreds of versions have shares that add up', async () => {
    const redirect_id = 'rd_versions';
    await app.record(
      Array.from({ length: 700 }, (_, n) => ({
        redirect_id,
        browser_name: 'Chrome',
        browser_version: `${n}`,
      })),
    );
    const { browsers } = await devices(redirect_id);
    expect(browsers).toHaveLength(700);
    expect(browsers.reduce((sum, { percentage }) => sum + percentage, 0)).toBeCloseTo(100, 5);
  });
});
